// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// The slices of X whose condition is true: a NonZero of the condition, then a Gather. The condition may be shorter
/// than the axis. Without an axis X is one list of elements.
std::vector<Tensor*> importCompress(NodeReader& node) {
    Shuffle const listing = Shuffle::reshaping({-1});
    Gather picking;
    Tensor* x = node.input(0);
    if (node.has("axis")) {
        picking.axis = node.integer("axis");
    } else {
        x = node.add(listing, {x});
    }
    Tensor* const places = node.add(listing, {node.add(NonZero(), {node.input(1)})}); // [1,n] → [n]
    return {node.add(picking, {x, places})};
}

} // namespace

ImporterList compressImporters() {
    static constexpr Importer all[]{{"Compress", importCompress}};
    return all;
}

} // namespace tenon::onnx
