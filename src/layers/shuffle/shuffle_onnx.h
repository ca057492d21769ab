// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/importer.h"

namespace tenon::onnx {

// Reshapes that importers need, for shapes that may be known at run time only. Any extent may be 0 then, so none of
// them has a -1 for what the others leave over, which is no number beside a 0.

/// X in the shape that lists of extents make one behind the other, each as it is; then transposed.
Tensor* reshape(NodeReader& node, Tensor* x, std::vector<Tensor*> const& lists, std::vector<int64_t> transpose = {});
/// X [d0,…,dn] → Y [d0,…,d(axis-1), d(axis)·…·dn]; axis from 0 to the rank.
Tensor* joinFrom(NodeReader& node, Tensor* x, int64_t axis);
/// X [d0,…,dn] → Y [d0,…,parts,dn/parts]; an Error names the attribute that says how many.
Tensor* splitLast(NodeReader& node, Tensor* x, int64_t parts, std::string_view what);
/// X [d0,…,dn] → Y [d0·…·d(axis-1), d(axis)·…·dn]; axis may be negative.
Tensor* flatten(NodeReader& node, Tensor* x, int64_t axis);
/// The elements of X in the shape of `like`.
Tensor* reshapeLike(NodeReader& node, Tensor* x, Tensor* like);

} // namespace tenon::onnx
