// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects behind the opaque pointers that a program holds. A handle that is not, or no longer, one of ours is told
// apart without touching it.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "status.h"

namespace hostcuda {

template <class Object> class Handles {
public:
    void* add(std::shared_ptr<Object> object) {
        std::lock_guard const lock(mutex_);
        void* const handle = object.get();
        objects_.emplace(handle, std::move(object));
        return handle;
    }

    std::shared_ptr<Object> find(void const* handle) const {
        std::lock_guard const lock(mutex_);
        auto const found = objects_.find(handle);
        require(found != objects_.end(), cudaErrorInvalidResourceHandle);
        return found->second;
    }

    std::shared_ptr<Object> remove(void const* handle) {
        std::lock_guard const lock(mutex_);
        auto const found = objects_.find(handle);
        require(found != objects_.end(), cudaErrorInvalidResourceHandle);
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<void const*, std::shared_ptr<Object>> objects_;
};

} // namespace hostcuda
