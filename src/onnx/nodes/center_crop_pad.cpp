// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"
#include "onnx/term.h"

namespace tenon::onnx {
namespace {

/// One window inside or around X; it starts at (extent - wished) / 2, rounded towards zero; zeros outside of X.
std::vector<Tensor*> importCenterCropPad(NodeReader& node) {
    Term const x = input(node, 0);
    Term const wished = cast(input(node, 1), DataType::Int64);
    Slice layer;
    layer.mode = Slice::Mode::Fill;
    for (int64_t axis = 0; axis < x.rank(); ++axis) layer.axes.push_back(axis);
    layer.axes = node.integers("axes", layer.axes);
    Term const start = (take(extents(x), list(node, layer.axes), 0) - wished) / 2;
    return {x.through(std::move(layer), {start, wished})};
}

} // namespace

ImporterList centerCropPadImporters() {
    static constexpr Importer all[] = {{"CenterCropPad", importCenterCropPad}};
    return all;
}

} // namespace tenon::onnx
