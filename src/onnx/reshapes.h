// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/term.h"

#include <string_view>
#include <vector>

namespace tenon::onnx {

// Reshapes for importers, for shapes that may be known only at run time. Any extent may be 0 then, so none of them uses
// -1: it cannot be inferred beside a 0.

/// The product of the extents of axes [from, to) of x, as a list of one; extents() gives the list.
Tensor* productOf(NodeReader& node, Tensor* x, int64_t from, int64_t to);
/// The extent of an axis of x divided by a number, as a list of one. A reshape that reads it detects a remainder.
Tensor* quotientOf(NodeReader& node, Tensor* x, int64_t axis, int64_t divisor);

/// X reshaped to the concatenation of lists of extents, then transposed.
Tensor* reshape(NodeReader& node, Tensor* x, std::vector<Tensor*> const& lists, std::vector<int64_t> transpose = {});
/// X [d0,…,dn] → Y [d0,…,d(axis-1), d(axis)·…·dn]; axis from 0 to the rank.
Tensor* joinFrom(NodeReader& node, Tensor* x, int64_t axis);
/// X [d0,…,dn] → Y [d0,…,parts,dn/parts]; an Error names the attribute that specifies the number of parts.
Tensor* splitLast(NodeReader& node, Tensor* x, int64_t parts, std::string_view what);
/// The elements of X in the shape of `like`.
Tensor* reshapeLike(NodeReader& node, Tensor* x, Tensor* like);

} // namespace tenon::onnx
