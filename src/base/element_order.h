// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

/// The order of the elements of a dense tensor in a copy; all offsets are counted in elements. The axes may differ from
/// the tensor's and be in any order, but must cover all of its elements.
struct ElementOrder {
    std::vector<int64_t> dims;    // the extents of the axes
    std::vector<int64_t> dense;   // the stride of an axis in the tensor
    std::vector<int64_t> strides; // the stride of an axis in the copy, in blocks
    std::vector<int64_t> blocks;  // the sizes of the blocks that axes are cut into, outermost first
    std::vector<int64_t> blocked; // the axis that each of them cuts

    bool operator==(ElementOrder const&) const = default;
};

/// Whether the order is valid for a tensor of `elements` elements, and stays within it and the copy.
bool isWithin(ElementOrder const& order, int64_t elements, int64_t copied);

/// Copies the elements of a dense tensor, `width` bytes each, to their offsets in the copy. The gaps between them are
/// not written.
/// \param order within tensor and copy
void place(ElementOrder const& order, size_t width, std::span<std::byte const> tensor, std::span<std::byte> copy);

/// Copies the elements of a copy, `width` bytes each, back into the tensor's row-major order. Elements that the order
/// leaves out become 0.
/// \param order within tensor and copy
void restore(ElementOrder const& order, size_t width, std::span<std::byte const> copy, std::span<std::byte> tensor);

} // namespace tenon
