// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

/// Where the elements of a dense tensor lie in a copy of them in another order, all places counted in elements. Axes
/// may be others than the tensor's, in any order, as long as they go through all of its elements.
struct ElementOrder {
    std::vector<int64_t> dims;    // the extents of the axes
    std::vector<int64_t> dense;   // from one index of an axis to the next, in the tensor
    std::vector<int64_t> strides; // from one block of an axis to the next, in the copy
    std::vector<int64_t> blocks;  // the blocks that axes are cut into, outermost first: their sizes
    std::vector<int64_t> blocked; // and which axis each of them cuts

    bool operator==(ElementOrder const&) const = default;
};

/// Whether the order makes sense for a tensor of `elements` elements, and stays within it and the copy.
bool isWithin(ElementOrder const& order, int64_t elements, int64_t copied);

/// Puts the elements of a dense tensor, `width` bytes each, where they lie in the copy. What lies between them stays.
/// \param order within tensor and copy
void place(ElementOrder const& order, size_t width, std::span<std::byte const> tensor, std::span<std::byte> copy);

/// Puts the elements of a copy, `width` bytes each, back into the tensor's own order. What the order leaves out is 0.
/// \param order within tensor and copy
void restore(ElementOrder const& order, size_t width, std::span<std::byte const> copy, std::span<std::byte> tensor);

} // namespace tenon
