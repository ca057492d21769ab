// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/text.h"
#include "layers/shape/shape.h"
#include "plan/json/json_fields.h"
#include "support/layer_case.h"

#include <algorithm>
#include <fstream>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Resize scaledBy(std::vector<double> scales, Resize::Mode mode = Resize::Mode::Nearest) {
    Resize layer;
    layer.scales = std::move(scales);
    layer.mode = mode;
    return layer;
}

Resize sizedTo(std::vector<int64_t> sizes) {
    Resize layer;
    layer.sizes = std::move(sizes);
    return layer;
}

struct Computed {
    Resize layer;
    LayerCase values;
};

Computed fromJson(std::string const& line) {
    Json const json = Json::parse(line);
    Computed one;
    JsonReader reader(json["fields"], [](int64_t) { return Literal(); });
    one.layer.fields(reader);
    reader.expectAllRead();
    Dims const dims(std::span<int64_t const>(json["x"].get<std::vector<int64_t>>()));
    std::vector<float> x;
    for (int64_t i = 0; i < dims.volume(); ++i) x.push_back(static_cast<float>(i * 37 % 101) / 16);
    one.values.inputs = {floats(dims, x)};
    auto const roi = json["roi"].get<std::vector<float>>();
    if (!roi.empty())
        one.values.inputs.insert(one.values.inputs.end(), {{}, {}, floats({static_cast<int64_t>(roi.size())}, roi)});
    Dims const to(std::span<int64_t const>(json["y"].get<std::vector<int64_t>>()));
    one.values.expected = {floats(to, json["elements"].get<std::vector<float>>())};
    one.values.tolerance = 2e-5; // ONNX Runtime computes in float32 throughout
    return one;
}

TEST(Resize, computesWhatOnnxRuntimeDoes) { // tools/make_resize_cases.py wrote the file
    std::ifstream file("src/layers/resize/resize_cases.jsonl");
    int count = 0;
    for (std::string line; std::getline(file, line); ++count) {
        SCOPED_TRACE(line.substr(0, line.find("\"y\"")));
        Computed const one = fromJson(line);
        one.values.expect(one.layer);
        for (DataType type : {DataType::Float16, DataType::BFloat16}) one.values.in(type).expect(one.layer);
    }
    EXPECT_GT(count, 40);
}

/// x[n,c,i…] = n + c / 4 + Σ 2 · i: linear, so interpolated elements follow the same formula, and y is its value at the
/// origin of each element, which stays within X.
LayerCase linearIn(Dims const& x, Dims const& y) {
    auto const sampled = [&](Dims const& dims) {
        std::vector<float> values;
        Dims index = Dims::filled(dims.rank(), 0);
        do {
            float value = static_cast<float>(index[0]) + static_cast<float>(index[1]) / 4;
            for (int axis = 2; axis < dims.rank(); ++axis) {
                float const step = static_cast<float>(x[axis]) / static_cast<float>(dims[axis]);
                float const origin = (static_cast<float>(index[axis]) + 0.5F) * step - 0.5F;
                value += 2 * std::clamp(origin, 0.0F, static_cast<float>(x[axis] - 1));
            }
            values.push_back(value);
        } while (nextIndex(index, dims));
        return floats(dims, values);
    };
    return {.inputs = {sampled(x)}, .expected = {sampled(y)}};
}

TEST(Resize, interpolatesImagesAndVolumes) {
    Resize layer;
    layer.mode = Resize::Mode::Linear;
    layer.coordinates = Resize::Coordinates::HalfPixel;
    for (auto const& [x, y] : {std::pair{Dims{2, 16, 3, 5}, Dims{2, 16, 6, 10}},
                               {{1, 3, 9, 7}, {1, 3, 20, 21}},
                               {{1, 8, 6, 40}, {1, 8, 3, 80}},
                               {{1, 4, 3, 4, 5}, {1, 4, 6, 4, 10}},
                               {{1, 16, 2, 4, 3}, {1, 16, 6, 2, 9}}}) {
        SCOPED_TRACE(text(x, " to ", y));
        layer.sizes.assign(y.begin(), y.end());
        linearIn(x, y).expect(layer);
    }
}

TEST(Resize, takesSizesFromAnInput) { // nearest, asymmetric: y[i] = x[floor(i / 2)]
    LayerCase{.inputs = {floats({1, 2}, {1, 2}), ints({2}, {1, 4})}, .expected = {floats({1, 4}, {1, 1, 2, 2})}}.expect(
        Resize{});
}

TEST(Resize, takesScalesFromAnInput) {
    LayerCase{.inputs = {floats({1, 4}, {1, 2, 3, 4}), {}, floats({2}, {1, 0.5F})},
              .expected = {floats({1, 2}, {1, 3})}}
        .expect(Resize{});
}

/// The fast kernels with another roi in each run: y[i] is at (start + i / 3 · (end - start)) · 3 of x.
TEST(Resize, followsListsThatChangeFromRunToRun) {
    for (Resize::Mode const mode : {Resize::Mode::Nearest, Resize::Mode::Linear}) {
        Resize layer = sizedTo({4});
        layer.mode = mode;
        layer.coordinates = Resize::Coordinates::TfCropAndResize;
        layer.extrapolation = 9;
        Graph graph;
        Tensor* x = graph.addInput("x", DataType::Float32, {4});
        Tensor* roi = graph.addInput("roi", DataType::Float32, {2});
        Node* node = graph.emit(layer, {x, nullptr, nullptr, roi})->producer();
        std::vector<Dims> const inputs{{4}, {}, {}, {2}};
        std::vector<Dims> const outputs{{4}};
        Kernel const& kernel = *backendOf(Device::Cpu).kernelsFor(Resize::kKind)[mode == Resize::Mode::Nearest ? 0 : 1];
        auto const variant = kernel.offer({*node, inputs, outputs}).variants.at(0);
        auto const executable = kernel.prepare({*node, variant, inputs, outputs, nullptr});
        auto const workspace = allocateHost(executable->workspaceBytes());
        auto const run = [&](std::vector<float> const& part) {
            std::vector<float> const data{1, 2, 3, 4};
            std::vector<float> y(4);
            void const* from[]{data.data(), nullptr, nullptr, part.data()};
            void* to[]{y.data()};
            executable->run({from, to, workspace.get(), nullptr});
            return y;
        };
        EXPECT_EQ(run({0, 1}), (std::vector<float>{1, 2, 3, 4}));
        EXPECT_EQ(run({1, 0}), (std::vector<float>{4, 3, 2, 1}));
        EXPECT_EQ(run({0, 2}), (std::vector<float>{1, 3, 9, 9}));
        EXPECT_EQ(run({0, 1e30F}), (std::vector<float>{1, 9, 9, 9})); // beyond the range of integers
    }
}

TEST(Resize, keepsProportionsByLimitsOfRunTime) { // 4 / 2 is less than 16 / 2; nearest, asymmetric
    Resize layer;
    layer.aspectRatio = Resize::AspectRatio::NotLarger;
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {2, 2});
    Node* node = graph.emit(layer, {x, graph.addInput("limits", DataType::Int64, {2})})->producer();
    std::vector<Dims> const inputs{{2, 2}, {2}};
    std::vector<Dims> const outputs{{4, 4}};
    Kernel const& kernel = *backendOf(Device::Cpu).kernelsFor(Resize::kKind)[0];
    auto const variant = kernel.offer({*node, inputs, outputs}).variants.at(0);
    auto const executable = kernel.prepare({*node, variant, inputs, outputs, nullptr});
    std::vector<float> const data{1, 2, 3, 4};
    std::vector<int64_t> const limits{4, 16};
    std::vector<float> y(16);
    void const* from[]{data.data(), limits.data()};
    void* to[]{y.data()};
    executable->run({from, to, nullptr, nullptr});
    EXPECT_EQ(y, (std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
}

TEST(Resize, movesElementsOfAnyType) {
    Literal const flags = Literal::copyOf(DataType::Bool, {1, 2}, "\1\0");
    LayerCase{.inputs = {flags}, .expected = {Literal::copyOf(DataType::Bool, {1, 4}, "\1\1\0\0")}}.expect(
        scaledBy({1, 2}));
    LayerCase{.inputs = {ints({1, 2}, {INT64_MAX, INT64_MIN})},
              .expected = {ints({1, 4}, {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN})}}
        .expect(scaledBy({1, 2}));
}

TEST(Resize, interpolatesIntegersWithinTheirRange) { // truncated towards zero; 200 and 255 overshoot to 264 in a cubic
    Literal const x = Literal::of<uint8_t>({4}, {0, 10, 255, 255});
    LayerCase{.inputs = {x}, .expected = {Literal::of<uint8_t>({8}, {0, 5, 10, 132, 255, 255, 255, 255})}}.expect(
        scaledBy({2}, Resize::Mode::Linear));
    Graph graph;
    Tensor* tensor = graph.addInput("x", DataType::UInt8, {4});
    Tensor* y = graph.emit(scaledBy({2}, Resize::Mode::Cubic), {tensor});
    std::vector<uint8_t> out(8);
    HostTensor const input = x.view();
    HostTensor const output{DataType::UInt8, {8}, out.data()};
    y->producer()->layer->reference({&input, 1}, {&output, 1});
    EXPECT_EQ(out[1], 0);   // below 0 before clamping: (-0.09375·0 + 0.59375·0 + 0.59375·10 - 0.09375·255) = -17.97
    EXPECT_EQ(out[5], 255); // above 255: -0.09375·10 + 1.09375·255 = 277.97
}

TEST(Resize, takesTheFirstElementOfASinglePixelWhenAsked) {
    Resize layer = sizedTo({1});
    layer.coordinates = Resize::Coordinates::HalfPixel;
    layer.mode = Resize::Mode::Linear;
    LayerCase{.inputs = {floats({4}, {1, 2, 3, 4})}, .expected = {floats({1}, {2.5F})}}.expect(layer);
    layer.selector = Resize::Selector::Upper;
    LayerCase{.inputs = {floats({4}, {1, 2, 3, 4})}, .expected = {floats({1}, {1})}}.expect(layer);
}

TEST(Resize, keepsUnknownExtents) {
    auto const shape = [](Resize const& layer) {
        Graph graph;
        Shape const x{DimExpr::symbol("N"), 3, DimExpr::symbol("H"), DimExpr::symbol("W")};
        return text(graph.emit(layer, {graph.addInput("x", DataType::Float32, x)}, "node")->shape);
    };
    EXPECT_EQ(shape(scaledBy({1, 1, 2, 4})), "[N,3,(H*2),(W*4)]");
    EXPECT_EQ(shape(scaledBy({1, 1, 0.5, 1.5})), "[N,3,(H/2),((W*3)/2)]");
    EXPECT_EQ(shape(scaledBy({1, 1, 0.3, 1})), "[N,3,node.extent2,W]");
}

TEST(Resize, takesTheShapeOfAnotherTensor) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 8, 4, 4});
    Tensor* other = graph.addInput("other", DataType::Float32,
                                   {DimExpr::symbol("N"), 8, DimExpr::symbol("H"), DimExpr::symbol("W")});
    EXPECT_EQ(text(graph.emit(Resize{}, {x, graph.emit(ShapeOf{}, {other})})->shape), "[N,8,H,W]");
}

TEST(Resize, refusesScalesThatAskForTooMuch) {
    EXPECT_EQ(test::inferError(scaledBy({0x1p100}), {{DataType::Float32, {1}}}),
              "node (Resize): an extent becomes 1.2676506002282294e+30; expected a number from 0 to 2^63");
    Resize layer = scaledBy({0x1p-30}, Resize::Mode::Linear);
    layer.antialias = true;
    EXPECT_EQ(test::errorOf([&] { tapsOf(layer, {.axis = 0, .from = 4, .to = 4, .scale = 0x1p-30F}); }),
              "resizing axis 0 from 4 to 4 with a scale of 9.313225746154785e-10 needs 134217728 weights for each "
              "element; at most 67108864 are supported in all");
}

TEST(Resize, refusesWhatDoesNotFit) {
    auto const error = [](Resize const& layer, Shape const& x = {2, 3}) {
        return test::inferError(layer, {{DataType::Float32, x}});
    };
    EXPECT_EQ(error(Resize{}), "node (Resize): has neither sizes nor scales; set one of them");
    EXPECT_EQ(error(scaledBy({2})), "node (Resize): scales has 1 elements; expected 2, one for each resized axis");
    EXPECT_EQ(error(sizedTo({2, 3, 4})), "node (Resize): sizes has 3 elements; expected 2, one for each resized axis");
    EXPECT_EQ(error(scaledBy({1, -1})), "node (Resize): a scale is -1; expected more than 0");
    EXPECT_EQ(error(sizedTo({2, -3})), "node (Resize): sizes [2,-3] has a negative extent");
    Resize twice = sizedTo({2, 3});
    twice.axes = {1, -1};
    EXPECT_EQ(error(twice), "node (Resize): axes [1, -1] name axis 1 twice");
    EXPECT_EQ(error(sizedTo({2, 3}), {2, 0}), "node (Resize): axis 1 of X [2,0] has no elements to make 3 of");
    EXPECT_EQ(test::inferError(scaledBy({2}, Resize::Mode::Linear), {{DataType::Bool, {4}}}),
              "node (Resize): no interpolation between elements of bool; use the mode Nearest (not TfCropAndResize), "
              "or cast");
}

TEST(Resize, refusesAnExtentThatNoTensorHas) {
    EXPECT_EQ(test::inferError(scaledBy({1, 1e30}), {{DataType::Float32, {2, 1}}}),
              text("node (Resize): an extent becomes ", double{1e30F}, "; expected a number from 0 to 2^63"));
}

TEST(Resize, refusesToCropWhatItIsNotTold) {
    Resize layer = sizedTo({2, 3});
    layer.coordinates = Resize::Coordinates::TfCropAndResize;
    test::Input const x{DataType::Float32, {2, 3}};
    EXPECT_EQ(test::inferError(layer, {x}), "node (Resize): crops (TfCropAndResize), but has no roi");
    Graph graph;
    std::vector<Tensor*> inputs{graph.addInput("x", DataType::Float32, {2, 3}), nullptr, nullptr,
                                graph.addInput("roi", DataType::Float32, {3})};
    EXPECT_NE(test::errorOf([&] {
                  graph.emit(layer, inputs);
              }).find("roi has 3 elements; expected 4, a start and an end for each resized axis"),
              std::string::npos);
}

TEST(Resize, callsItsListsByTheirNames) {
    auto const error = [](std::vector<test::Input> const& inputs) { return test::inferError(Resize{}, inputs); };
    test::Input const x{DataType::Float32, {2, 3}};
    EXPECT_EQ(error({x, {DataType::Float32, {2}}}), "node (Resize): sizes is float32; expected int32 or int64");
    EXPECT_EQ(error({x, {DataType::Int64, {2, 1}}}),
              "node (Resize): sizes has shape [2,1], of rank 2; expected rank 1");
}

} // namespace
} // namespace tenon
