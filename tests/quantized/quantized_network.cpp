// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "quantized_network.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/dequantize/dequantize.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/quantize/quantize.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/tested_device.h"

#include <algorithm>
#include <cmath>

namespace tenon::test {
namespace {

/// Deterministic numbers; others for another seed.
std::vector<float> pseudoRandom(int64_t count, float low, float high, int seed) {
    std::vector<float> values;
    uint32_t state = 12345U + static_cast<uint32_t>(seed) * 7919U;
    for (int64_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U; // Numerical Recipes' generator
        values.push_back(low + (high - low) * static_cast<float>(state >> 8) / 16777216.0F);
    }
    return values;
}

} // namespace

Tensor* QuantizedNetwork::input(Dims const& dims, float low, float high) {
    inputs_.push_back(Literal::of(dims, pseudoRandom(dims.volume(), low, high, ++seed_)));
    return graph.addInput(text("x", inputs_.size()), DataType::Float32, toShape(dims));
}

Tensor* QuantizedNetwork::openInput(Dims const& dims) {
    inputs_.push_back(Literal::of(dims, pseudoRandom(dims.volume(), -1, 1, ++seed_)));
    Shape shape = toShape(dims);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis != 1) shape[axis] = DimExpr::symbol(text("x.", axis));
    }
    return graph.addInput(text("x", inputs_.size()), DataType::Float32, shape);
}

Tensor* QuantizedNetwork::numbers(Dims const& dims, float low, float high) {
    return graph.emit(Constant(Literal::of(dims, pseudoRandom(dims.volume(), low, high, ++seed_))), {});
}

Tensor* QuantizedNetwork::scaleOf(Grid const& grid) { return graph.emit(Constant(Literal::scalar(grid.scale)), {}); }

Tensor* QuantizedNetwork::zeroOf(Grid const& grid) {
    bool const isSigned = grid.type == DataType::Int8;
    return graph.emit(Constant(isSigned ? Literal::scalar(static_cast<int8_t>(grid.zero))
                                        : Literal::scalar(static_cast<uint8_t>(grid.zero))),
                      {});
}

Tensor* QuantizedNetwork::quantize(Tensor* x, Grid const& grid) {
    Quantize layer;
    layer.to = grid.type;
    return graph.emit(layer, {x, scaleOf(grid), zeroOf(grid)});
}

Tensor* QuantizedNetwork::dequantize(Tensor* x, Grid const& grid) {
    return graph.emit(Dequantize{}, {x, scaleOf(grid), zeroOf(grid)});
}

Tensor* QuantizedNetwork::weights(Dims const& dims, int64_t axis, float scale, int64_t most) {
    std::vector<int8_t> integers;
    auto const edge = static_cast<float>(most);
    for (float const value : pseudoRandom(dims.volume(), -edge, edge, ++seed_))
        integers.push_back(static_cast<int8_t>(std::lround(value)));
    Tensor* const w = graph.emit(Constant(Literal::of(dims, integers)), {});
    if (axis < 0) return graph.emit(Dequantize{}, {w, graph.emit(Constant(Literal::scalar(scale)), {})});
    int64_t const count = dims[static_cast<int>(axis)];
    std::vector<float> scales;
    for (int64_t i = 0; i < count; ++i) scales.push_back(scale * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.5F : 0.25F));
    Dequantize layer;
    layer.axis = axis;
    return graph.emit(layer, {w, graph.emit(Constant(Literal::of({count}, scales)), {})});
}

Tensor* QuantizedNetwork::convolution(Tensor* x, Tensor* w, Tensor* bias, int64_t padding, int64_t groups) {
    Convolution layer;
    size_t const axes = x->shape.size() - 2;
    layer.window.prePadding = layer.window.postPadding = std::vector(axes, padding);
    layer.groups = groups;
    return graph.emit(layer, {x, w, bias});
}

void QuantizedNetwork::output(Tensor* y) {
    y->name = text("y", graph.outputs().size());
    graph.markOutput(y);
}

void QuantizedNetwork::expect(float difference) const {
    auto const expected = runGraph(graph, inputs_);
    auto const found = runEngine(graph, inputs_, config);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        std::vector<float> const f = found[i].toFloat();
        std::vector<float> const e = expected[i].toFloat();
        ASSERT_EQ(f.size(), e.size());
        int wrong = 0;
        for (size_t at = 0; at < f.size() && wrong < 5; ++at) {
            if (std::abs(f[at] - e[at]) <= difference + 1e-5F * std::abs(e[at])) continue;
            ADD_FAILURE() << "output " << i << ", element " << at << ": " << f[at] << ", expected " << e[at];
            ++wrong;
        }
    }
}

std::string QuantizedNetwork::describe(std::vector<std::string> const& kinds, std::string_view between,
                                       std::function<std::string(Assignment const&)> const& what) const {
    BuildConfig with = config;
    with.device = testedDevice();
    std::string all;
    Plan const plan = saved(build(graph, with)); // describes the same as when it was built
    for (Assignment const& assignment : plan.nodes) {
        bool const isAsked = std::ranges::find(kinds, assignment.node->kind()) != kinds.end();
        if (isAsked && !assignment.variant.view) all += text(all.empty() ? "" : between, what(assignment));
    }
    return all;
}

std::string QuantizedNetwork::kernels(std::vector<std::string> const& kinds) const {
    return describe(kinds, " ", [](Assignment const& assignment) { return std::string(assignment.kernel->name()); });
}

std::string QuantizedNetwork::types(std::vector<std::string> const& kinds) const {
    return describe(kinds, ", ", [](Assignment const& assignment) {
        std::string types;
        for (size_t i = 0; i < assignment.variant.inputs.size(); ++i) {
            if (assignment.node->input(static_cast<int>(i)) != nullptr)
                types += text(assignment.variant.inputs[i].type, ' ');
        }
        return text(types, "to ", assignment.variant.outputs[0].type);
    });
}

void QuantizedNetwork::askForIntegers() {
    config.settings.precision.asked = AskedTypes::Obeyed;
    for (auto const& node : graph.nodes()) {
        bool const isProduct = as<Convolution>(*node->layer) || as<MatrixMultiply>(*node->layer);
        if (isProduct) node->askedType = DataType::Int8;
    }
}

} // namespace tenon::test
