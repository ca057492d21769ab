// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tenon {

/// memcpy; large copies use several threads.
void copyBytes(std::byte* to, std::byte const* from, size_t bytes);
/// A copy, aligned like the memory of allocateHost().
std::shared_ptr<void> copied(std::span<std::byte const> bytes);

/// std::allocator that default-initializes elements: memory that is overwritten anyway is not cleared first.
template <class T> struct WithoutValues : std::allocator<T> {
    template <class U> struct rebind { using other = WithoutValues<U>; };
    template <class U> void construct(U* element) noexcept { ::new (static_cast<void*>(element)) U; }
    template <class U, class... Args> void construct(U* element, Args&&... args) {
        ::new (static_cast<void*>(element)) U(std::forward<Args>(args)...);
    }
};

/// Uninitialized bytes, for files of hundreds of megabytes.
using Bytes = std::vector<std::byte, WithoutValues<std::byte>>;

} // namespace tenon
