// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Literal counted(Dims const& dims) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < dims.volume(); ++i) values.push_back(i);
    return ints(dims, values);
}

Slice sized(std::vector<int64_t> start, std::vector<int64_t> size, std::vector<int64_t> stride,
            Slice::Mode mode = Slice::Mode::StrictBounds) {
    Slice layer;
    layer.mode = mode;
    layer.start = std::move(start);
    layer.size = std::move(size);
    layer.stride = std::move(stride);
    return layer;
}

Slice bounded(Slice::Bounds bounds, std::vector<int64_t> start, std::vector<int64_t> size,
              std::vector<int64_t> axes = {}) {
    Slice layer = sized(std::move(start), std::move(size), {});
    layer.bounds = bounds;
    layer.axes = std::move(axes);
    return layer;
}

Slice padded(Slice::Mode mode, std::vector<int64_t> before, std::vector<int64_t> behind) {
    Slice layer = bounded(Slice::Bounds::Pads, std::move(before), std::move(behind));
    layer.mode = mode;
    return layer;
}

Literal absent() { return {}; }

TEST(Slice, takesEveryNthElement) { // numpy: np.arange(24).reshape(2, 3, 4)[1:2, 0:3:2, 3::-2]
    LayerCase{.inputs = {counted({2, 3, 4})}, .expected = {ints({1, 2, 2}, {15, 13, 23, 21})}}.expect(
        sized({1, 0, 3}, {1, 2, 2}, {1, 2, -2}));
}

TEST(Slice, ofANumberIsThatNumber) { // numpy: np.array(7)[()]
    LayerCase{.inputs = {ints({}, {7})}, .expected = {ints({}, {7})}}.expect(sized({}, {}, {}));
}

TEST(Slice, readsItsBoundsFromInputs) { // numpy: np.arange(24).reshape(2, 3, 4)[:, 1:3, 1:4:2]
    LayerCase{.inputs = {counted({2, 3, 4}), ints({3}, {0, 1, 1}), ints({3}, {2, 2, 2}), ints({3}, {1, 1, 2})},
              .expected = {ints({2, 2, 2}, {5, 7, 9, 11, 17, 19, 21, 23})}}
        .expect(Slice{});
    Slice const along = bounded(Slice::Bounds::Size, {}, {});
    LayerCase{.inputs = {counted({2, 3, 4}), ints({1}, {1}), ints({1}, {2}), absent(), absent(), ints({1}, {-2})},
              .expected = {ints({2, 2, 4}, {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23})}}
        .expect(along);
}

TEST(Slice, takesAxesThatOnlyTheRunKnows) { // numpy: x = np.arange(24).reshape(2, 3, 4)
    Slice const ends = bounded(Slice::Bounds::End, {}, {});
    LayerCase{.inputs = {counted({2, 3, 4}), ints({2}, {-1, 1}), ints({2}, {INT64_MIN, 3}), ints({2}, {-3, 1}),
                         absent(), ints({2}, {-1, 0})}, // x[1:3, :, ::-3]
              .expected = {ints({1, 3, 2}, {15, 12, 19, 16, 23, 20})}}
        .expectFed(ends);
    Slice pads = padded(Slice::Mode::Fill, {}, {}); // np.pad(x[:, :1, :2], ((0, 0), (0, 0), (1, 0)), constant_values=7)
    pads.axes = {};
    LayerCase{.inputs = {ints({2, 1, 2}, {0, 1, 12, 13}), ints({1}, {1}), ints({1}, {0}), absent(), ints({}, {7}),
                         ints({1}, {2})},
              .expected = {ints({2, 1, 3}, {7, 0, 1, 7, 12, 13})}}
        .expectFed(pads);
    LayerCase{.inputs = {counted({2, 3, 0}), ints({1}, {1}), ints({1}, {2}), absent(), absent(), ints({1}, {1})},
              .expected = {ints({2, 1, 0}, {})}}
        .expectFed(ends);
}

TEST(Slice, refusesAxesOfTheRunThatDoNotFit) {
    auto const error = [](std::vector<int64_t> const& starts, std::vector<int64_t> const& axes) {
        return test::errorOf([&] {
            Literal const list = Literal::of({static_cast<int64_t>(starts.size())}, starts);
            LayerCase{.inputs = {counted({2, 3}), list, list, absent(), absent(),
                                 Literal::of({static_cast<int64_t>(axes.size())}, axes)},
                      .expected = {}}
                .expectFed(bounded(Slice::Bounds::End, {}, {}));
        });
    };
    EXPECT_EQ(error({1}, {2}), "node (Slice): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error({1, 1}, {1, -1}), "node (Slice): axis -1 is listed twice");
    EXPECT_EQ(error({1, 1}, {1}), "node (Slice): starts has 2 elements; expected 1, one for each sliced axis");
}

TEST(Slice, repeatsAnElementWithStrideZero) {
    LayerCase{.inputs = {floats({2, 1}, {1, 2})}, .expected = {floats({2, 3}, {1, 1, 1, 2, 2, 2})}}.expect(
        sized({0, 0}, {2, 3}, {1, 0}));
}

// numpy.pad of [1,2,3] by 4 and 5: mode constant, edge, wrap, reflect
TEST(Slice, readsOutsideAsItsModeSays) {
    Literal const x = floats({3}, {1, 2, 3});
    auto const expect = [&](Slice::Mode mode, std::vector<float> const& values) {
        LayerCase{.inputs = {x}, .expected = {floats({12}, values)}}.expect(sized({-4}, {12}, {}, mode));
        LayerCase{.inputs = {x}, .expected = {floats({12}, values)}}.expect(padded(mode, {4}, {5}));
    };
    expect(Slice::Mode::Fill, {0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0});
    expect(Slice::Mode::Clamp, {1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3});
    expect(Slice::Mode::Wrap, {3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2});
    expect(Slice::Mode::Reflect, {1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2});
}

TEST(Slice, fillsWhereThereIsNothing) { // numpy: np.pad(np.zeros((0, 1)), ((1, 1), (0, 1)))
    LayerCase{.inputs = {floats({0, 1}, {})}, .expected = {floats({2, 2}, {0, 0, 0, 0})}}.expect(
        padded(Slice::Mode::Fill, {1, 0}, {1, 1}));
}

TEST(Slice, fillsWithItsFillValue) { // numpy: np.pad([[1, 2], [3, 4]], ((0, 1), (1, 2)), constant_values=7)
    LayerCase{.inputs = {ints({2, 2}, {1, 2, 3, 4}), absent(), absent(), absent(), ints({}, {7})},
              .expected = {ints({3, 5}, {7, 1, 2, 7, 7, 7, 3, 4, 7, 7, 7, 7, 7, 7, 7})}}
        .expect(padded(Slice::Mode::Fill, {0, 1}, {1, 2}));
}

TEST(Slice, cutsWithNegativePads) { // ONNX: pads [-1, 1] of [1,2,3] = [2,3,0]
    LayerCase{.inputs = {floats({3}, {1, 2, 3})}, .expected = {floats({3}, {2, 3, 0})}}.expect(
        padded(Slice::Mode::Fill, {-1}, {1}));
}

// numpy: np.pad(np.arange(12).reshape(1, 3, 4), ((0, 0), (1, 2), (2, 1)), mode)
TEST(Slice, padsSeveralAxes) {
    Literal const x = counted({1, 3, 4});
    LayerCase{.inputs = {x},
              .expected = {ints({1, 6, 7}, {6,  5, 4, 5, 6,  7,  6,  2, 1, 0, 1, 2, 3, 2, 6, 5, 4, 5, 6, 7, 6,
                                            10, 9, 8, 9, 10, 11, 10, 6, 5, 4, 5, 6, 7, 6, 2, 1, 0, 1, 2, 3, 2})}}
        .expect(padded(Slice::Mode::Reflect, {0, 1, 2}, {0, 2, 1}));
    LayerCase{.inputs = {x},
              .expected = {ints({1, 6, 7}, {0, 0, 0, 1, 2,  3,  3,  0, 0, 0, 1, 2,  3,  3,  4, 4, 4, 5, 6,  7,  7,
                                            8, 8, 8, 9, 10, 11, 11, 8, 8, 8, 9, 10, 11, 11, 8, 8, 8, 9, 10, 11, 11})}}
        .expect(padded(Slice::Mode::Clamp, {0, 1, 2}, {0, 2, 1}));
}

TEST(Slice, repeatsAll) { // numpy: np.tile([[0, 1], [2, 3]], (2, 3))
    Slice layer = bounded(Slice::Bounds::Repeats, {}, {2, 3});
    layer.mode = Slice::Mode::Wrap;
    LayerCase{.inputs = {counted({2, 2})},
              .expected = {ints({4, 6}, {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3})}}
        .expect(layer);
}

TEST(Slice, takesAPart) { // ONNX Split of 7 into 3: 3, 3, 1
    Literal const x = floats({1, 7}, {0, 1, 2, 3, 4, 5, 6});
    LayerCase{.inputs = {x}, .expected = {floats({1, 3}, {3, 4, 5})}}.expect(
        bounded(Slice::Bounds::Part, {1}, {3}, {1}));
    LayerCase{.inputs = {x}, .expected = {floats({1, 1}, {6})}}.expect(bounded(Slice::Bounds::Part, {2}, {3}, {-1}));
}

struct PythonCase {
    int64_t start, end, step;
    std::vector<float> expected; // np.arange(5)[start:end:step]
};

TEST(Slice, boundsLikePython) {
    std::vector<PythonCase> const cases{{0, 3, 1, {0, 1, 2}},
                                        {1, 1000, 1, {1, 2, 3, 4}},
                                        {-2, INT64_MAX, 1, {3, 4}},
                                        {-9, 2, 1, {0, 1}},
                                        {3, 1, 1, {}},
                                        {7, 9, 1, {}},
                                        {0, -1, 2, {0, 2}},
                                        {4, 0, -1, {4, 3, 2, 1}},
                                        {-1, INT64_MIN, -1, {4, 3, 2, 1, 0}},
                                        {1000, -1000, -3, {4, 1}},
                                        {INT64_MIN, INT64_MAX, 3, {0, 3}},
                                        {2, 2, -1, {}},
                                        {-4, -1, 1, {1, 2, 3}},
                                        {3, -5, -2, {3, 1}}};
    Literal const x = floats({5}, {0, 1, 2, 3, 4});
    for (PythonCase const& one : cases) {
        SCOPED_TRACE(text(one.start, ':', one.end, ':', one.step));
        Slice layer = bounded(Slice::Bounds::End, {one.start}, {one.end});
        layer.stride = {one.step};
        auto const count = static_cast<int64_t>(one.expected.size());
        LayerCase{.inputs = {x}, .expected = {floats({count}, one.expected)}}.expect(layer);
        // with the extent as a symbol, the same once it is filled in
        Graph graph;
        Tensor* y = graph.emit(layer, {graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")})});
        EXPECT_EQ(y->shape[0].substitute([](std::string const&) { return DimExpr(5); }).constant(), count);
    }
}

TEST(Slice, namesUnknownExtentsPlainly) {
    auto const extent = [](Slice const& layer) {
        Graph graph;
        return text(graph.emit(layer, {graph.addInput("x", DataType::Int8, {DimExpr::symbol("N")})}, "node")->shape);
    };
    EXPECT_EQ(extent(bounded(Slice::Bounds::End, {0}, {INT64_MAX})), "[N]");
    EXPECT_EQ(extent(bounded(Slice::Bounds::End, {0}, {2})), "[(N min 2)]");
    EXPECT_EQ(extent(bounded(Slice::Bounds::End, {-1}, {INT64_MAX})), "[(N min 1)]");
    EXPECT_EQ(extent(bounded(Slice::Bounds::Pads, {1}, {2})), "[(N+3)]");
    EXPECT_EQ(extent(bounded(Slice::Bounds::Repeats, {}, {2})), "[(N*2)]");
    EXPECT_EQ(extent(bounded(Slice::Bounds::Part, {0}, {2})), "[(N/^2)]");
    EXPECT_EQ(extent(sized({3}, {4}, {})), "[4]");
}

TEST(Slice, hasUnknownExtentsWhereOnlyTheRunKnowsTheAxes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {7, DimExpr::symbol("N")});
    Tensor* axes = graph.addInput("axes", DataType::Int64, {1});
    Slice const layer = bounded(Slice::Bounds::End, {0}, {2});
    EXPECT_EQ(text(graph.emit(layer, {x, nullptr, nullptr, nullptr, nullptr, axes}, "node")->shape),
              "[node.extent0,node.extent1]");
}

TEST(Slice, hasUnknownExtentsWhereItsBoundsAreComputedAtRunTime) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {7, DimExpr::symbol("N")});
    Tensor* start = graph.addInput("start", DataType::Int64, {1});
    Tensor* end = graph.addInput("end", DataType::Int64, {1});
    EXPECT_EQ(text(graph.emit(bounded(Slice::Bounds::End, {}, {}, {0}), {x, start, end}, "node")->shape),
              "[(node.extent0 min 7),N]");
    EXPECT_EQ(text(graph.emit(bounded(Slice::Bounds::Size, {}, {}, {0}), {x, start, end}, "other")->shape),
              "[other.size0,N]");
}

TEST(Slice, followsBoundsThatChangeFromRunToRun) { // numpy: np.arange(8)[a:b]
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {8});
    Tensor* start = graph.addInput("start", DataType::Int64, {1});
    Tensor* end = graph.addInput("end", DataType::Int32, {1});
    Node* node = graph.emit(bounded(Slice::Bounds::End, {}, {}), {x, start, end}, "node")->producer();
    std::vector<Dims> const inputs{{8}, {1}, {1}};
    std::vector<Dims> const outputs{{3}};
    std::vector<float> const data{0, 1, 2, 3, 4, 5, 6, 7};
    int64_t from = 1;
    int32_t to = 4;
    std::vector<float> y(3);
    void const* pointers[]{data.data(), &from, &to};
    void* results[]{y.data()};
    for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(Slice::kKind)) {
        auto const variant = kernel->offer({*node, inputs, outputs}).variants.at(0);
        auto const executable = kernel->prepare({*node, variant, inputs, outputs, nullptr});
        for (int64_t const begin : {1, 5, 0}) {
            from = begin - 8;
            to = static_cast<int32_t>(begin) + 3;
            executable->run({pointers, results, nullptr, nullptr});
            auto const first = static_cast<float>(begin);
            EXPECT_EQ(y, (std::vector<float>{first, first + 1, first + 2})) << kernel->name();
        }
    }
}

TEST(Slice, takesChannelsOfImages) { // whole blocks and others
    Literal const x = test::spread({2, 35, 2, 3}, -1, 1);
    auto const part = [&](int64_t first, int64_t count) {
        std::vector<float> values;
        for (int64_t i = 0; i < 2 * count * 6; ++i)
            values.push_back(
                x.as<float>()[static_cast<size_t>((i / (count * 6) * 35 + first + i / 6 % count) * 6 + i % 6)]);
        return floats({2, count, 2, 3}, values);
    };
    for (auto const& [first, count] :
         {std::pair{0, 16}, std::pair{16, 16}, std::pair{16, 19}, std::pair{3, 20}, std::pair{32, 3}}) {
        LayerCase{.inputs = {x}, .expected = {part(first, count)}, .tolerance = 0.004}.expect(
            bounded(Slice::Bounds::Size, {first}, {count}, {1}));
    }
}

TEST(Slice, padsImages) { // numpy: np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 1))) of 2, padding channels included
    Literal const x = floats({1, 3, 1, 2}, {1, 2, 3, 4, 5, 6});
    LayerCase{.inputs = {x}, .expected = {floats({1, 3, 2, 3}, {0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 5, 6, 0})}}
        .expect(padded(Slice::Mode::Fill, {0, 0, 1, 0}, {0, 0, 0, 1}));
    LayerCase{.inputs = {x, absent(), absent(), absent(), floats({}, {9})},
              .expected = {floats({1, 3, 2, 3}, {9, 9, 9, 1, 2, 9, 9, 9, 9, 3, 4, 9, 9, 9, 9, 5, 6, 9})}}
        .expect(padded(Slice::Mode::Fill, {0, 0, 1, 0}, {0, 0, 0, 1}));
}

TEST(Slice, padsImagesOfManyChannels) { // y[c,i,j] = x[c,i - 1,j - 2], 9 or the mirrored element outside
    constexpr int64_t kChannels = 16;
    auto const value = [](int64_t c, int64_t i, int64_t j) {
        return static_cast<float>((c * 35 + i * 7 + j) * 37 % 101);
    };
    auto const mirrored = [](int64_t at, int64_t extent) {
        return at < 0 ? -at : at >= extent ? 2 * extent - 2 - at : at;
    };
    std::vector<float> x;
    std::vector<float> filled;
    std::vector<float> reflected;
    for (int64_t k = 0; k < kChannels * 35; ++k) x.push_back(value(k / 35, k / 7 % 5, k % 7));
    for (int64_t k = 0; k < kChannels * 80; ++k) {
        int64_t const i = k / 10 % 8 - 1;
        int64_t const j = k % 10 - 2;
        bool const inside = i >= 0 && i < 5 && j >= 0 && j < 7;
        filled.push_back(inside ? value(k / 80, i, j) : 9);
        reflected.push_back(value(k / 80, mirrored(i, 5), mirrored(j, 7)));
    }
    LayerCase{.inputs = {floats({1, kChannels, 5, 7}, x), absent(), absent(), absent(), floats({}, {9})},
              .expected = {floats({1, kChannels, 8, 10}, filled)}}
        .expect(padded(Slice::Mode::Fill, {0, 0, 1, 2}, {0, 0, 2, 1}));
    LayerCase{.inputs = {floats({1, kChannels, 5, 7}, x)}, .expected = {floats({1, kChannels, 8, 10}, reflected)}}
        .expect(padded(Slice::Mode::Reflect, {0, 0, 1, 2}, {0, 0, 2, 1}));
}

TEST(Slice, followsTheElementsOfShapes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3, DimExpr::symbol("W")});
    Tensor* shape = graph.emit(ShapeOf{}, {x});
    EXPECT_EQ(text(*graph.emit(bounded(Slice::Bounds::End, {-1}, {INT64_MAX}), {shape})->values), "[W]");
    EXPECT_EQ(text(*graph.emit(padded(Slice::Mode::Fill, {1}, {0}), {shape})->values), "[0,N,3,W]");
}

TEST(Slice, boundsByExtentsOfOtherTensors) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* other = graph.emit(ShapeOf{}, {graph.addInput("other", DataType::Float32, {DimExpr::symbol("M")})});
    Tensor* y = graph.emit(bounded(Slice::Bounds::End, {0}, {}), {x, nullptr, other});
    EXPECT_EQ(text(y->shape), "[(N min M)]");
}

TEST(Slice, refusesAFillValueThatIsNotOne) {
    Slice const layer = bounded(Slice::Bounds::Pads, {1}, {1}, {0});
    for (Dims const& dims : {Dims{0}, Dims{2}}) {
        Graph graph;
        Tensor* const x = graph.addInput("x", DataType::Float32, {2});
        Tensor* const fill = graph.addInput("fill", DataType::Float32, toShape(dims));
        EXPECT_EQ(test::errorOf([&] {
                      graph.emit(layer, {x, nullptr, nullptr, nullptr, fill}, "pad");
                  }),
                  text("pad (Slice): the fill value has shape ", dims, "; expected one element"));
    }
}

TEST(Slice, refusesWhatDoesNotFit) {
    auto const error = [](Slice const& layer) { return test::inferError(layer, {{DataType::Float32, {2, 3}}}); };
    EXPECT_EQ(error(sized({0, 1}, {2, 3}, {})), "node (Slice): takes elements 1 to 3 of axis 1, which has extent 3; "
                                                "use bounds within it, or a mode other than StrictBounds");
    EXPECT_EQ(error(sized({0}, {2}, {})), "node (Slice): start has 1 elements; expected 2, one for each sliced axis");
    EXPECT_EQ(error(sized({0, 0}, {-1, 3}, {})),
              "node (Slice): bounds=Size gives an extent of -1; it cannot be negative");
    EXPECT_EQ(error(bounded(Slice::Bounds::Size, {0}, {1}, {2})),
              "node (Slice): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error(bounded(Slice::Bounds::Size, {0, 0}, {1, 1}, {0, -2})), "node (Slice): axis -2 is listed twice");
    Slice still = bounded(Slice::Bounds::End, {0, 0}, {1, 1});
    still.stride = {1, 0};
    EXPECT_EQ(error(still), "node (Slice): the stride is 0; expected another number");
    EXPECT_EQ(test::inferError(padded(Slice::Mode::Wrap, {1}, {1}), {{DataType::Float32, {0}}}),
              "node (Slice): axis 0 has extent 0; expected a positive one to take 2 elements from");
}

TEST(Slice, callsItsListsAsItsUsersDo) {
    using enum Slice::Bounds;
    test::Input const x{DataType::Float32, {4}};
    test::Input const list{DataType::Int64, {1}};
    test::Input const wrong{DataType::Float32, {1}};
    auto const error = [&](Slice::Bounds bounds, std::vector<test::Input> const& inputs) {
        return test::inferError(bounded(bounds, {}, {}), inputs);
    };
    EXPECT_EQ(error(End, {x, wrong, list}), "node (Slice): starts is float32; expected int32 or int64");
    EXPECT_EQ(error(End, {x, list, wrong}), "node (Slice): ends is float32; expected int32 or int64");
    EXPECT_EQ(error(End, {x, list, list, wrong}), "node (Slice): steps is float32; expected int32 or int64");
    EXPECT_EQ(error(Pads, {x, wrong, list}), "node (Slice): pads is float32; expected int32 or int64");
    EXPECT_EQ(error(Size, {x, list, wrong}), "node (Slice): size is float32; expected int32 or int64");
    EXPECT_EQ(error(Size, {x, list, list, wrong}), "node (Slice): stride is float32; expected int32 or int64");
    EXPECT_EQ(error(Repeats, {x, list, wrong}), "node (Slice): repeats is float32; expected int32 or int64");
    EXPECT_EQ(error(Size, {x, list, list, list, list}),
              "node (Slice): input 0 is float32 and the fill value is int64; expected one type (add a cast)");
    EXPECT_EQ(error(Size, {x, list, list, list, wrong, wrong}),
              "node (Slice): axes is float32; expected int32 or int64");
}

} // namespace
} // namespace tenon
