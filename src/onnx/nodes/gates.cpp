// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/term.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importSwish(NodeReader& node) { return {swish(input(node, 0), node.real("alpha", 1))}; }

std::vector<Tensor*> importSwiGLU(NodeReader& node) {
    return {swish(input(node, 0), node.real("alpha", 1)) * input(node, 1)};
}

/// Shrinks towards zero by `bias`; zero between -lambd and lambd. Integers are compared and shifted as float32, then
/// truncated.
std::vector<Tensor*> importShrink(NodeReader& node) {
    float const bias = node.real("bias", 0);
    float const border = node.real("lambd", 0.5F);
    DataType const type = node.input(0)->type;
    Term const x = cast(input(node, 0), isFloat(type) ? type : DataType::Float32);
    Term const near = where(x > border, x - bias, x.constant(0));
    return {cast(where(x < -border, x + bias, near), type)};
}

} // namespace

ImporterList gatesImporters() {
    static constexpr Importer all[] = {{"Swish", importSwish}, {"SwiGLU", importSwiGLU}, {"Shrink", importShrink}};
    return all;
}

} // namespace tenon::onnx
