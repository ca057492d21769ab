// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/window.h"

#include "base/error.h"

namespace tenon::onnx {

size_t spatialAxes(NodeReader const& node) {
    Shape const& shape = node.input(0)->shape;
    if (shape.size() < 3)
        fail(ErrorCode::InvalidModel, "input 0 '", node.input(0)->name, "' has shape ", shape, " of rank ",
             shape.size(), "; expected [N,C,…] with one spatial axis at least");
    return shape.size() - 2;
}

Window readWindow(NodeReader const& node, size_t axes) {
    Window window;
    window.stride = node.integers("strides", {});
    window.dilation = node.integers("dilations", {});
    auto const pads = node.integers("pads", {}); // all begins, then all ends; ignored with auto_pad
    std::string const mode = node.string("auto_pad", "NOTSET");
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
        window.paddingMode = mode == "SAME_UPPER" ? PaddingMode::SameUpper : PaddingMode::SameLower;
    } else if (mode == "NOTSET") {
        if (!pads.empty() && pads.size() != 2 * axes)
            fail(ErrorCode::InvalidModel, "pads [", joined(pads), "] has ", pads.size(), " numbers; expected ",
                 2 * axes, " for ", axes, " spatial axes");
        auto const half = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
        window.prePadding.assign(pads.begin(), half);
        window.postPadding.assign(half, pads.end());
    } else if (mode != "VALID") {
        fail(ErrorCode::InvalidModel, "auto_pad is \"", mode, "\"; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    }
    return window;
}

void checkKernelShape(NodeReader const& node) {
    auto const said = node.integers("kernel_shape", {});
    if (said.empty()) return;
    Shape const& weights = node.input(1)->shape;
    bool agree = weights.size() == said.size() + 2;
    for (size_t i = 0; agree && i < said.size(); ++i) agree = weights[i + 2].constantOr(said[i]) == said[i];
    if (!agree)
        fail(ErrorCode::InvalidModel, "kernel_shape is [", joined(said), "], but weights '", node.input(1)->name,
             "' have shape ", weights);
}

} // namespace tenon::onnx
