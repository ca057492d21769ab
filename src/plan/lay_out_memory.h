// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tenon {

/// A piece of memory that must not be overwritten from step `first` to step `last` (both included).
struct Lifetime {
    size_t bytes = 0;
    int first = 0;
    int last = 0;
};

struct MemoryLayout {
    std::vector<size_t> offsets; // one for each lifetime, multiples of 64
    size_t bytes = 0;
};

/// The next multiple of `unit`.
size_t roundUp(size_t bytes, size_t unit);

/// Places all pieces in one block so that no two that live at the same time overlap: the largest first, each into the
/// smallest gap that fits (Pisarchyk and Lee, "Efficient memory management for deep neural net inference", 2020).
MemoryLayout layOutMemory(std::span<Lifetime const> lifetimes, size_t alignment = 64);

} // namespace tenon
