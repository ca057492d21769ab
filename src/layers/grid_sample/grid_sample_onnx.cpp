// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/grid_sample/grid_sample.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

GridSample::Mode modeOf(std::string const& name) {
    if (name == "nearest") return GridSample::Mode::Nearest;
    if (name == "linear" || name == "bilinear") return GridSample::Mode::Linear; // before and since opset 20
    if (name == "cubic" || name == "bicubic") return GridSample::Mode::Cubic;
    fail(ErrorCode::InvalidModel, "mode is \"", name, "\"; expected nearest, linear, bilinear, cubic or bicubic");
}

GridSample::Padding paddingOf(std::string const& name) {
    if (name == "zeros") return GridSample::Padding::Zeros;
    if (name == "border") return GridSample::Padding::Border;
    if (name == "reflection") return GridSample::Padding::Reflection;
    fail(ErrorCode::InvalidModel, "padding_mode is \"", name, "\"; expected zeros, border or reflection");
}

std::vector<Tensor*> importGridSample(NodeReader& node) {
    GridSample layer;
    layer.mode = modeOf(node.string("mode", "linear"));
    layer.padding = paddingOf(node.string("padding_mode", "zeros"));
    layer.alignCorners = node.integer("align_corners", 0) != 0;
    return {node.add(layer, {node.input(0), node.input(1)})};
}

} // namespace

ImporterList gridSampleImporters() {
    static constexpr Importer all[]{{"GridSample", importGridSample}};
    return all;
}

} // namespace tenon::onnx
