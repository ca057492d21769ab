// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>

namespace island {

/// Memory that can be accessed only while a Visit lives. An Error if less is free.
std::shared_ptr<void> allocate(size_t bytes);
size_t freeBytes();
bool holds(void const* address);

/// While one lives, in any thread, the island's memory can be read and written.
class Visit {
public:
    Visit();
    ~Visit();
    Visit(Visit const&) = delete;
    Visit& operator=(Visit const&) = delete;
};

} // namespace island
