// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/segment.h"

#include <functional>

namespace tenon {

/// Memory of a context for activations and workspaces: its own, from sources that the caller may replace, or the
/// user's.
class ContextMemory {
public:
    /// Allocates 64-byte aligned memory; throws an Error on failure.
    using Source = std::function<std::shared_ptr<void>(size_t bytes)>;

    explicit ContextMemory(Backend const& backend);

    /// The sources and the user memory of another context.
    void copyFrom(ContextMemory const& other);
    /// Empty: the device's memory.
    void setSources(Source lasting, Source temporary);
    /// User memory for the first segment; null: the context's own again.
    void use(void* data, size_t bytes);

    /// Places a first segment, in larger memory if the present one is too small.
    void place(Segment& segment);
    std::shared_ptr<void> allocateLasting(size_t bytes) const { return lasting_(bytes); }
    /// For segments after the first.
    std::shared_ptr<void> allocateTemporary(size_t bytes) const { return temporary_(bytes); }
    void free() { own_.reset(); }

private:
    Source ofDevice() const;

    Backend const& backend_;
    Source lasting_;
    Source temporary_;
    std::shared_ptr<void> own_;
    size_t ownBytes_ = 0;
    void* users_ = nullptr;
    size_t usersBytes_ = 0;
};

} // namespace tenon
