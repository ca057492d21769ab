// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/grid_sample/grid_sample.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/recorded.h"

#include <algorithm>

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;
using test::OneOp;
using test::spread;

using Mode = GridSample::Mode;
using Padding = GridSample::Padding;

GridSample with(Mode mode, Padding padding, bool alignCorners) {
    GridSample layer;
    layer.mode = mode;
    layer.padding = padding;
    layer.alignCorners = alignCorners;
    return layer;
}

/// Expects the results of ONNX Runtime for the inputs of record_grid_sample.py.
void expectRecorded(Dims const& x, Dims const& grid, Mode mode) {
    for (Padding const padding : {Padding::Zeros, Padding::Border, Padding::Reflection}) {
        for (bool const align : {false, true}) {
            std::string const name = text(x.rank() - 2, names(mode)[static_cast<size_t>(mode)],
                                          names(padding)[static_cast<size_t>(padding)], align ? 1 : 0);
            SCOPED_TRACE(name);
            LayerCase{.inputs = {spread(x, -1, 1), spread(grid, -2.4F, 2.4F)},
                      .expected = {test::recorded("src/layers/grid_sample/grid_sample_test.txt", name)}}
                .expect(with(mode, padding, align));
        }
    }
}

TEST(GridSample, takesTheNearestElement) {
    expectRecorded({2, 3, 5, 6}, {2, 7, 4, 2}, Mode::Nearest);
    expectRecorded({1, 11, 3, 4, 5}, {1, 3, 2, 5, 3}, Mode::Nearest);
}

TEST(GridSample, interpolatesLinearly) {
    expectRecorded({2, 3, 5, 6}, {2, 7, 4, 2}, Mode::Linear);
    expectRecorded({1, 11, 3, 4, 5}, {1, 3, 2, 5, 3}, Mode::Linear);
}

TEST(GridSample, interpolatesCubically) { expectRecorded({2, 3, 5, 6}, {2, 7, 4, 2}, Mode::Cubic); }

// along one axis, by hand: -1, -1/2, 0, 1 are the elements 0, 1/2, 1, 2 of three
TEST(GridSample, samplesAlongAnyNumberOfAxes) {
    LayerCase{.inputs = {floats({1, 1, 3}, {1, 3, 7}), floats({1, 4, 1}, {-1, -0.5F, 0, 1})},
              .expected = {floats({1, 1, 4}, {1, 2, 3, 7})}}
        .expect(with(Mode::Linear, Padding::Zeros, true));
    std::vector<float> const x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; // the center of a 4-D cube
    LayerCase{.inputs = {floats({1, 1, 2, 2, 2, 2}, x), floats({1, 2, 4}, {0, 0, 0, 0, -1, 1, 1, 1})},
              .expected = {floats({1, 1, 2}, {7.5F, 14})}}
        .expect(with(Mode::Linear, Padding::Border, true));
}

// elements are 5 b + 10 c + 2 i + 3 j, and interpolation gives the same for fractional i and j; outside, the nearest
// one
TEST(GridSample, samplesAtManyPoints) {
    constexpr int64_t kBatch = 2, kChannels = 3, kRows = 5, kColumns = 9, kPoints = 700;
    std::vector<float> x;
    for (int64_t i = 0; i < kBatch * kChannels * kRows * kColumns; ++i) {
        int64_t const map = i / (kRows * kColumns);
        int64_t const place = 5 * (map / kChannels) + 10 * (map % kChannels);
        x.push_back(static_cast<float>(place + 2 * (i / kColumns % kRows) + 3 * (i % kColumns)));
    }
    Literal const grid = spread({kBatch, kPoints, 2}, -1.3F, 1.3F);
    auto const at = grid.toFloat();
    std::vector<float> y;
    for (int64_t i = 0; i < kBatch * kChannels * kPoints; ++i) {
        int64_t const map = i / kPoints;
        auto const point = static_cast<size_t>((map / kChannels * kPoints + i % kPoints) * 2);
        auto const along = [&](float coordinate, int64_t extent) {
            return (std::clamp(coordinate, -1.F, 1.F) + 1) / 2 * static_cast<float>(extent - 1);
        };
        auto const place = static_cast<float>(5 * (map / kChannels) + 10 * (map % kChannels));
        y.push_back(place + 2 * along(at[point + 1], kRows) + 3 * along(at[point], kColumns));
    }
    LayerCase{.inputs = {floats({kBatch, kChannels, kRows, kColumns}, x), grid},
              .expected = {floats({kBatch, kChannels, kPoints}, y)},
              .types = {DataType::Float32}}
        .expect(with(Mode::Linear, Padding::Border, true));
}

TEST(GridSample, readsNaNAsMinusOneAndBoundsInfinity) { // like PyTorch
    Literal const x = floats({1, 1, 3}, {1, 3, 7});
    Literal const grid = floats({1, 3, 1}, {NAN, INFINITY, -INFINITY});
    LayerCase{.inputs = {x, grid}, .expected = {floats({1, 1, 3}, {1, 7, 1})}}.expect(
        with(Mode::Linear, Padding::Border, true));
    LayerCase{.inputs = {x, grid}, .expected = {floats({1, 1, 3}, {1, 0, 0})}}.expect(
        with(Mode::Cubic, Padding::Zeros, true));
}

TEST(GridSample, keepsWhatIsOutsideOutOfSums) { // 0 times NaN would be NaN
    LayerCase{.inputs = {floats({1, 1, 2}, {NAN, 4}), floats({1, 2, 1}, {1, 0.5F})},
              .expected = {floats({1, 1, 2}, {2, 4})}}
        .expect(with(Mode::Linear, Padding::Zeros, false));
}

TEST(GridSample, copiesAnyTypeWhereItDoesNotInterpolate) {
    LayerCase{.inputs = {ints({1, 2, 2}, {int64_t{1} << 60, 3, 5, 7}), floats({1, 3, 1}, {-1, 1, 9})},
              .expected = {ints({1, 2, 3}, {int64_t{1} << 60, 3, 0, 5, 7, 0})}}
        .expect(with(Mode::Nearest, Padding::Zeros, true));
}

TEST(GridSample, takesAGridIn16Bits) {
    LayerCase{.inputs = {floats({1, 1, 3}, {1, 3, 7}), floats({1, 4, 1}, {-1, -0.5F, 0, 1})},
              .expected = {floats({1, 1, 4}, {1, 2, 3, 7})}}
        .in(DataType::Float16)
        .expect(with(Mode::Linear, Padding::Zeros, true));
}

TEST(GridSample, refusesWhatDoesNotFit) {
    GridSample const layer;
    EXPECT_EQ(inferError(layer, {{DataType::Float32, {1, 2, 3, 4}}, {DataType::Float32, {1, 5, 5, 3}}}),
              "node (GridSample): grid [1,5,5,3] has points of 3 coordinates; X [1,2,3,4] requires 2");
    EXPECT_EQ(inferError(layer, {{DataType::Float32, {1, 2, 3, 4}}, {DataType::Float32, {2, 5, 5, 2}}}),
              "node (GridSample): X [1,2,3,4] and grid [2,5,5,2] differ in their number of batch items");
    EXPECT_EQ(inferError(layer, {{DataType::Int32, {1, 2, 3, 4}}, {DataType::Float32, {1, 5, 5, 2}}}),
              "node (GridSample): input 0 is int32; expected float32, float16 or bfloat16");
}

std::string errorFor(std::string const& attribute, std::string const& value) {
    return OneOp{.op = "GridSample",
                 .opset = 20,
                 .attributes = {{attribute, value}},
                 .inputs = {floats({1, 1, 1, 1}, {1}), floats({1, 1, 1, 2}, {0, 0})}}
        .error();
}

TEST(GridSample, refusesAttributesThatOnnxDoesNotHave) {
    EXPECT_NE(errorFor("mode", "magic").find("mode is \"magic\"; expected nearest, linear, bilinear, cubic or bicubic"),
              std::string::npos);
    EXPECT_NE(errorFor("padding_mode", "wrap").find("padding_mode is \"wrap\"; expected zeros, border or reflection"),
              std::string::npos);
}

} // namespace
} // namespace tenon
