// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// Whether the first of two names is given; throws an Error for neither.
bool isFirst(std::string_view attribute, std::string const& given, std::string_view first, std::string_view second) {
    if (given != first && given != second)
        fail(ErrorCode::InvalidModel, attribute, " is \"", given, "\"; expected ", first, " or ", second);
    return given == first;
}

std::vector<Tensor*> importRoiAlign(NodeReader& node) {
    RoiAlign layer;
    constexpr std::string_view kCoordinates = "coordinate_transformation_mode"; // since opset 16
    layer.halfPixel =
        isFirst(kCoordinates, node.string(kCoordinates, node.opset() < 16 ? "output_half_pixel" : "half_pixel"),
                "half_pixel", "output_half_pixel");
    bool const averages = isFirst("mode", node.string("mode", "avg"), "avg", "max");
    layer.mode = averages ? RoiAlign::Mode::Average : RoiAlign::Mode::Max;
    layer.height = node.integer("output_height", 1);
    layer.width = node.integer("output_width", 1);
    layer.points = node.integer("sampling_ratio", 0);
    layer.scale = static_cast<double>(node.real("spatial_scale", 1));
    return {node.add(layer, {node.input(0), node.input(1), node.input(2)})};
}

} // namespace

ImporterList roiAlignImporters() {
    static constexpr Importer all[]{{"RoiAlign", importRoiAlign}};
    return all;
}

} // namespace tenon::onnx
