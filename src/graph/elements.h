// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

#include <vector>

namespace tenon {

// Shared by layers that move elements without computing with them.

/// Shape rules do not track the elements of larger integer tensors.
constexpr int64_t kMostValues = 256;

/// The elements of a small integer or bool tensor, if they are known: constants and symbols.
std::optional<Shape> valuesIn(Operand const& operand);

/// The elements of the output of a layer whose reference only moves elements of the inputs listed in `moved` (and fills
/// with zeros), as constants and symbols. nullopt if they are not all known.
std::optional<Shape> movedValues(Layer const& layer, Operands const& in, std::vector<int> const& moved,
                                 Shape const& shape);

/// The axes that an integer input lists, ascending; nullopt if they are known at run time only. An Error if one is out
/// of range for `rank` or listed twice.
std::optional<std::vector<int>> axesIn(Operands const& in, int input, int rank);
/// The number of axes that such an input lists, which decides a rank; an Error if it is not known, or exceeds `most`.
int axisCount(Operands const& in, int input, int most);
/// A shape of this rank whose extents are known at run time only.
Shape unknownShape(Operands const& in, int rank);

/// The inputs of a reference kernel as a shape rule sees them, with the elements of those up to kMostValues.
Operands operandsOf(std::span<HostTensor const> tensors);

/// Elements as 64-bit integers, whatever integer type holds them.
std::vector<int64_t> integersIn(HostTensor const& tensor);

/// Bytes of one element; an Error for types of which several share a byte.
size_t elementBytes(DataType type);
/// to[j] = from[i], of one type.
void copyElement(HostTensor const& from, int64_t i, HostTensor const& to, int64_t j);

/// `of` in the order of `permutation`: result[i] = of[permutation[i]]; unchanged if it is empty.
Shape permuted(Shape const& of, std::vector<int64_t> const& permutation);
Dims permuted(Dims const& of, std::vector<int64_t> const& permutation);

} // namespace tenon
