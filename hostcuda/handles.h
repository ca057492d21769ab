// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects behind the opaque handles of an application. A handle that is invalid, or no longer valid, is recognized
// without dereferencing it.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "status.h"

namespace hostcuda {

template <class Object> class Handles {
public:
    // The error for an invalid handle.
    explicit Handles(cudaError_t wrong = cudaErrorInvalidResourceHandle) : wrong_(wrong) {}

    void* add(std::shared_ptr<Object> object) {
        std::lock_guard const lock(mutex_);
        void* const handle = object.get();
        objects_.emplace(handle, std::move(object));
        return handle;
    }

    std::shared_ptr<Object> find(void const* handle) const {
        std::lock_guard const lock(mutex_);
        auto const found = objects_.find(handle);
        require(found != objects_.end(), wrong_);
        return found->second;
    }

    std::shared_ptr<Object> remove(void const* handle) {
        std::lock_guard const lock(mutex_);
        auto const found = objects_.find(handle);
        require(found != objects_.end(), wrong_);
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    // Whether or not the handle is valid.
    void discard(void const* handle) {
        std::shared_ptr<Object> last; // destroyed outside of the lock
        std::lock_guard const lock(mutex_);
        auto const found = objects_.find(handle);
        if (found == objects_.end()) return;
        last = std::move(found->second);
        objects_.erase(found);
    }

private:
    cudaError_t const wrong_;
    mutable std::mutex mutex_;
    std::unordered_map<void const*, std::shared_ptr<Object>> objects_;
};

} // namespace hostcuda
