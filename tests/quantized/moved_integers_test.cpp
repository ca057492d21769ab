// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Networks with ranges, whose layers move or select elements: if both sides have one range, the integers are moved.
// Values are those of the formula s · clamp(round half to even(x / s), -128, 127), moved by the layer's reference; all
// scales are powers of two, so nothing else is rounded.

#include "backends/cpu/isa.h"
#include "base/error.h"
#include "base/text.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/expand/expand.h"
#include "layers/identity/identity.h"
#include "layers/pooling/pooling.h"
#include "layers/resize/resize.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"
#include "plan/build.h"
#include "quantized_network.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/tested_device.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tenon {
namespace {

constexpr float kScale = 1.0F / 32;

BuildConfig obeying() {
    BuildConfig config;
    config.device = test::testedDevice();
    config.settings.precision.int8 = true;
    config.settings.precision.asked = AskedTypes::Obeyed;
    return config;
}

/// Numbers between integers of that scale, some of which are clipped.
Literal numbers(Dims const& dims) {
    std::vector<float> values;
    for (int64_t i = 0; i < dims.volume(); ++i)
        values.push_back((static_cast<float>(i * 37 % 301 - 150) + 0.25F * static_cast<float>(i % 4)) * kScale);
    return Literal::of(dims, values);
}

Literal rounded(Literal const& x, float scale) {
    std::vector<float> values = x.toFloat();
    for (float& value : values) value = scale * std::min(127.0F, std::max(-128.0F, std::nearbyint(value / scale)));
    return Literal::of(x.dims(), values);
}

/// The inputs → one layer, with requested type int8 → y. All have ranges.
struct Moving {
    explicit Moving(std::vector<Dims> const& dims) {
        for (Dims const& each : dims) {
            inputs.push_back(numbers(each));
            xs.push_back(graph.addInput(text("x", inputs.size()), DataType::Float32, toShape(each)));
            xs.back()->quantum.scale = kScale;
        }
    }

    template <class T> void add(T layer, std::vector<Literal> const& others = {}, float scale = kScale) {
        std::vector<Tensor*> all = xs;
        for (Literal const& other : others) all.push_back(graph.emit(Constant(other), {}));
        Node* const node = graph.add(std::make_unique<T>(std::move(layer)), all, "layer");
        node->askedType = DataType::Int8;
        node->output()->name = "y";
        node->output()->quantum.scale = scale;
        graph.markOutput(node->output());
    }

    void expectIntegersMoved() const {
        std::vector<Literal> kept;
        for (Literal const& input : inputs) kept.push_back(rounded(input, kScale));
        EXPECT_EQ(test::runEngine(graph, inputs, obeying())[0].toFloat(), test::runGraph(graph, kept)[0].toFloat());
        Plan const plan = test::saved(build(graph, obeying()));
        std::string types;
        for (Assignment const& one : plan.nodes) {
            if (one.node->name == "layer")
                types += text(one.variant.inputs[0].type, " to ", one.variant.outputs[0].type);
        }
        EXPECT_EQ(types, "int8 to int8");
    }

    Graph graph;
    std::vector<Tensor*> xs;
    std::vector<Literal> inputs;
};

Pooling maxima() {
    Pooling layer;
    layer.windowSize = {3, 3};
    layer.window.stride = {2, 2};
    layer.window.prePadding = layer.window.postPadding = {1, 1};
    return layer;
}

Slice slice(Slice::Mode mode, std::vector<int64_t> start, std::vector<int64_t> size) {
    Slice layer;
    layer.mode = mode;
    layer.start = std::move(start);
    layer.size = std::move(size);
    return layer;
}

TEST(MovedIntegers, areThoseOfMaxima) {
    Moving net({{2, 20, 7, 9}});
    net.add(maxima());
    net.expectIntegersMoved();
}

TEST(MovedIntegers, areThoseOfTensorsThatAreJoined) {
    for (int64_t const axis : {0, 1, 3}) {
        Moving net({{2, 16, 3, 5}, {2, 16, 3, 5}});
        net.add(Concatenation::along(axis));
        net.expectIntegersMoved();
    }
}

TEST(MovedIntegers, areThoseOfOtherShapes) {
    Moving transposed({{2, 3, 5, 7}});
    transposed.add(Shuffle::transposing({0, 3, 1, 2}));
    transposed.expectIntegersMoved();
    Moving reshaped({{2, 3, 5, 7}});
    reshaped.add(Shuffle::reshaping({6, 35}));
    reshaped.expectIntegersMoved();
    Moving squeezed({{2, 1, 5, 7}});
    squeezed.add(Squeeze{}, {Literal::of({1}, std::vector<int64_t>{1})});
    squeezed.expectIntegersMoved();
    Moving unsqueezed({{2, 5, 7}});
    unsqueezed.add(Unsqueeze{}, {Literal::of({1}, std::vector<int64_t>{1})});
    unsqueezed.expectIntegersMoved();
    Moving same({{2, 5, 7}});
    same.add(Identity{});
    same.expectIntegersMoved();
}

TEST(MovedIntegers, areThoseOfParts) {
    for (auto const mode : {Slice::Mode::StrictBounds, Slice::Mode::Reflect, Slice::Mode::Fill}) { // with zeros
        bool const isInside = mode == Slice::Mode::StrictBounds;
        Moving net({{1, 16, 6, 8}});
        net.add(slice(mode, {0, 0, isInside ? 1 : -1, isInside ? 2 : -2}, {1, 16, 4, 5}));
        net.expectIntegersMoved();
    }
}

TEST(MovedIntegers, areThoseOfRepeatedElements) {
    Resize twice;
    twice.scales = {1, 1, 2, 2};
    Moving resized({{1, 16, 3, 5}});
    resized.add(twice);
    resized.expectIntegersMoved();
    Moving withInput({{1, 16, 3, 5}});
    withInput.xs.resize(2); // no sizes
    withInput.add(Resize{}, {Literal::of({4}, std::vector<float>{1, 1, 2, 3})});
    withInput.expectIntegersMoved();
    Moving expanded({{2, 1, 5}});
    expanded.add(Expand{}, {Literal::of({3}, std::vector<int64_t>{2, 4, 5})});
    expanded.expectIntegersMoved();
}

/// The message of a build that is requested to move integers, but cannot.
std::string refusalOf(Moving const& net) {
    try {
        build(net.graph, obeying());
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

TEST(MovedIntegers, haveOneScaleOnBothSides) {
    Moving net({{1, 16, 7, 9}});
    net.add(maxima(), {}, 2 * kScale);
    EXPECT_TRUE(
        refusalOf(net).starts_with("layer (Pooling): requested to compute in int8, and no implementation on the "))
        << refusalOf(net);
}

TEST(MovedIntegers, areNotPaddedWithRealNumbers) {
    Moving net({{1, 16, 6, 8}});
    net.xs.resize(Slice::kFill);
    net.add(slice(Slice::Mode::Fill, {0, 0, -1, -1}, {1, 16, 8, 10}), {Literal::scalar(0.3F)});
    EXPECT_NE(refusalOf(net).find("requested to compute in int8"), std::string::npos) << refusalOf(net);
}

TEST(MovedIntegers, areWhatIsBetweenProducts) {
    if (test::testedDevice() == Device::Cpu && !cpu::multipliesInt8()) GTEST_SKIP() << "no products of integers";
    constexpr int64_t kChannels = 32;
    std::vector<float> w; // integers · 2^-7, of which the largest of each channel is 127
    for (int64_t i = 0; i < kChannels * kChannels * 9; ++i)
        w.push_back(static_cast<float>(i % (kChannels * 9) == 0 ? 127 : i * 29 % 15 - 7) / 128);
    auto const network = [&](auto const& kept) {
        Graph graph;
        Tensor* x = kept(graph, graph.addInput("x", DataType::Float32, {1, kChannels, 9, 11}), kScale);
        for (float const scale : {0.125F, 0.5F}) {
            Convolution layer;
            layer.window.prePadding = layer.window.postPadding = {1, 1};
            Tensor* const weights = graph.emit(Constant(Literal::of({kChannels, kChannels, 3, 3}, w)), {});
            x = kept(graph, graph.emit(layer, {x, weights}), scale);
            x->producer()->askedType = DataType::Int8;
            if (scale == 0.125F) x = kept(graph, graph.emit(maxima(), {x}), scale);
        }
        x->name = "y";
        graph.markOutput(x);
        return graph;
    };
    Graph const ranged = network([](Graph&, Tensor* x, float scale) { return x->quantum.scale = scale, x; });
    test::QuantizedNetwork formula; // Quantize and Dequantize instead of ranges
    formula.graph = network([&](Graph& graph, Tensor* x, float scale) {
        std::swap(graph, formula.graph);
        Tensor* const y = formula.quantized(x, {scale});
        std::swap(graph, formula.graph);
        return y;
    });
    Literal const x = numbers({1, kChannels, 9, 11});
    EXPECT_EQ(test::runEngine(ranged, {x}, obeying())[0].toFloat(), test::runGraph(formula.graph, {x})[0].toFloat());
    Plan const plan = test::saved(build(ranged, obeying()));
    for (Assignment const& one : plan.nodes) {
        Tensor const& made = *one.node->output();
        bool const isInside = one.node->layer->constant() == nullptr && !plan.graph.isOutput(&made);
        if (isInside) {
            EXPECT_EQ(made.label.type, DataType::Int8) << text(*one.node);
        }
    }
}

} // namespace
} // namespace tenon
