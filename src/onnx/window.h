// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/window.h"
#include "onnx/importer.h"

namespace tenon::onnx {

/// Spatial axes of input 0 of a convolution or pooling node.
size_t spatialAxes(NodeReader const& node);
/// The attributes strides, dilations, pads and auto_pad.
Window readWindow(NodeReader const& node, size_t axes);
/// The attribute kernel_shape, if present, must match the weights (input 1); otherwise an Error.
void checkKernelShape(NodeReader const& node);

} // namespace tenon::onnx
