// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace tenon::cuda {

/// Divides a workspace into parts, each aligned for any kernel. Without memory (null) it counts the bytes.
class WorkspaceParts {
public:
    explicit WorkspaceParts(void* workspace) : workspace_(static_cast<std::byte*>(workspace)) {}

    template <class T> void take(T*& part, size_t count) {
        constexpr size_t kAlignment = 256;
        if (workspace_) part = reinterpret_cast<T*>(workspace_ + bytes_);
        bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    }
    size_t bytes() const { return bytes_; }

private:
    std::byte* workspace_;
    size_t bytes_ = 0;
};

} // namespace tenon::cuda
