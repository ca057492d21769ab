// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/pooling.h"

#include "support/layer_case.h"
#include "support/recorded.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;
using test::spread;
using enum PoolingType;

Pooling pooling(PoolingType type, std::vector<int64_t> size, Window window = {}) {
    Pooling layer;
    layer.type = type;
    layer.windowSize = std::move(size);
    layer.window = std::move(window);
    return layer;
}

/// Expects the results of ONNX Runtime for the inputs of record_pooling.py.
void expectRecorded(std::string const& name, Dims const& x, Pooling const& layer) {
    LayerCase const test{.inputs = {spread(x, -1, 1)},
                         .expected = {test::recorded("src/layers/pooling/pooling_test.txt", name)}};
    test.expect(layer);
    for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
}

Window const kPadded{.stride = {2, 2}, .prePadding = {1, 0}, .postPadding = {1, 1}};

Pooling withPadding(Pooling layer) {
    layer.averageCountExcludesPadding = false;
    return layer;
}

TEST(Pooling, takesTheMaximum) { expectRecorded("max", {1, 18, 5, 6}, pooling(Max, {3, 2}, kPadded)); }

TEST(Pooling, takesTheAverageWithOrWithoutPadding) {
    expectRecorded("average", {1, 18, 5, 6}, pooling(Average, {3, 2}, kPadded));
    expectRecorded("averageWithPadding", {1, 18, 5, 6}, withPadding(pooling(Average, {3, 2}, kPadded)));
}

TEST(Pooling, averagesAreQuotients) { // of 49 elements of 41, not 41 times 49 times the rounded 1/49
    LayerCase{.inputs = {floats({1, 2, 7, 7}, std::vector<float>(98, 41))},
              .expected = {floats({1, 2, 1, 1}, {41, 41})},
              .tolerance = 0}
        .expect(pooling(Average, {7, 7}));
}

// numpy: np.max and np.mean of a window with NaN are NaN
TEST(Pooling, isNanWhereAnElementOfAWindowIs) {
    for (int64_t const channels : {1, 3, 16, 17}) {
        std::vector<float> x(static_cast<size_t>(channels * 4 * 6), 2);
        std::vector<float> y(static_cast<size_t>(channels * 2 * 3), 2);
        x[x.size() - 24 + 2 * 6 + 3] = NAN; // of the last channel, in the window at [1,1]
        y[y.size() - 6 + 4] = NAN;
        for (auto const type : {Max, Average}) {
            LayerCase{.inputs = {floats({1, channels, 4, 6}, x)}, .expected = {floats({1, channels, 2, 3}, y)}}.expect(
                pooling(type, {2, 2}, {.stride = {2, 2}}));
        }
    }
}

TEST(Pooling, dilatesItsWindow) {
    Window const dilated{.dilation = {3, 2}, .prePadding = {1, 1}, .postPadding = {1, 1}};
    expectRecorded("maxDilated", {1, 3, 7, 8}, pooling(Max, {2, 3}, dilated));
    expectRecorded("averageDilated", {1, 3, 7, 8}, pooling(Average, {2, 3}, dilated));
}

TEST(Pooling, roundsUpAsOnnxDoes) {
    Window window{.stride = {2, 3}, .prePadding = {0, 1}, .postPadding = {0, 1}};
    window.paddingMode = PaddingMode::CaffeRoundUp;
    expectRecorded("maxUp", {1, 2, 6, 7}, pooling(Max, {3, 3}, window));
    expectRecorded("averageUp", {1, 2, 6, 7}, pooling(Average, {3, 3}, window));
    expectRecorded("averageUpWithPadding", {1, 2, 6, 7}, withPadding(pooling(Average, {3, 3}, window)));
    Window none{.stride = {2, 2}};
    none.paddingMode = PaddingMode::CaffeRoundUp;
    expectRecorded("noneInPadding", {1, 1, 4, 4}, pooling(Max, {1, 1}, none));
}

TEST(Pooling, padsToTheSameExtent) {
    Window window{.stride = {2, 1}};
    window.paddingMode = PaddingMode::SameUpper;
    expectRecorded("sameUpper", {1, 2, 5, 6}, pooling(Average, {2, 4}, window));
    window.paddingMode = PaddingMode::SameLower;
    expectRecorded("sameLower", {1, 2, 5, 6}, pooling(Max, {2, 4}, window));
}

TEST(Pooling, takesTheNorm) {
    Pooling layer = pooling(Lp, {2, 3}, {.stride = {1, 2}});
    layer.p = 3;
    expectRecorded("lp", {1, 3, 5, 6}, layer);
    layer = pooling(Lp, {2, 2}, {.prePadding = {1, 0}, .postPadding = {0, 1}});
    layer.p = 1;
    expectRecorded("lpOfOne", {1, 2, 5, 6}, layer);
}

TEST(Pooling, slidesOverOneAxisAndOverThree) {
    expectRecorded("line", {2, 3, 9}, pooling(Max, {4}, {.stride = {2}, .prePadding = {1}, .postPadding = {2}}));
    expectRecorded(
        "volume", {1, 3, 4, 5, 4},
        pooling(Average, {2, 3, 2}, {.stride = {1, 2, 1}, .prePadding = {0, 1, 1}, .postPadding = {1, 1, 0}}));
}

TEST(Pooling, slidesOverFourAxes) { // x counts from 0, so the maximum is the last element of a window
    Pooling layer = pooling(Max, {2, 1, 2, 2}, {.stride = {1, 1, 1, 2}});
    layer.indices = true;
    std::vector<float> x;
    for (int i = 0; i < 2 * 48; ++i) x.push_back(static_cast<float>(i)); // [2,2,3,4] per channel
    std::vector<int64_t> const last{29, 31, 33, 35, 41, 43, 45, 47, 77, 79, 81, 83, 89, 91, 93, 95};
    LayerCase{.inputs = {floats({1, 2, 2, 2, 3, 4}, x)},
              .expected = {floats({1, 2, 1, 2, 2, 2}, {last.begin(), last.end()}), ints({1, 2, 1, 2, 2, 2}, last)}}
        .expect(layer);
}

TEST(Pooling, blendsMaximumAndAverage) { // 3/4 of the maximum, 1/4 of the average
    Pooling layer = pooling(MaxAverageBlend, {2}, {.stride = {2}});
    layer.blendFactor = 0.25;
    LayerCase{.inputs = {floats({1, 1, 4}, {1, 3, -2, 6})}, .expected = {floats({1, 1, 2}, {2.75F, 5})}}.expect(layer);
}

TEST(Pooling, saysWhereTheMaximaAre) { // ONNX: maxpool_with_argmax_2d_precomputed_strides, and by hand
    Pooling layer = pooling(Max, {2, 2}, {.stride = {2, 2}});
    layer.indices = true;
    std::vector<float> x;
    for (int i = 1; i <= 25; ++i) x.push_back(static_cast<float>(i));
    LayerCase test{.inputs = {floats({1, 1, 5, 5}, x)},
                   .expected = {floats({1, 1, 2, 2}, {7, 9, 17, 19}), ints({1, 1, 2, 2}, {6, 8, 16, 18})}};
    test.expect(layer);
    layer.columnMajorIndices = true;
    test.expected[1] = ints({1, 1, 2, 2}, {6, 16, 8, 18});
    test.expect(layer);
}

TEST(Pooling, takesManyWindows) { // x counts up in each window: the maximum is its last element
    Dims const dims{2, 16, 33, 42};
    std::vector<float> x;
    std::vector<float> most;
    std::vector<float> average;
    std::vector<int64_t> places;
    auto const base = [](int64_t plane) { return static_cast<float>(plane % 4 * 8); };
    for (int64_t i = 0; i < dims.volume(); ++i)
        x.push_back(base(i / (33 * 42)) + static_cast<float>(i / 42 % 33 % 2 * 4 + i % 42 % 4));
    for (int64_t i = 0; i < 2 * 16 * 16 * 10; ++i) { // [2,16,16,10], of 2 rows and 4 columns
        most.push_back(base(i / 160) + 7);
        average.push_back(base(i / 160) + 3.5F);
        places.push_back((i / 160 * 33 + i / 10 % 16 * 2 + 1) * 42 + i % 10 * 4 + 3);
    }
    LayerCase test{.inputs = {floats(dims, x)}, .expected = {floats({2, 16, 16, 10}, most)}};
    Pooling layer = pooling(Max, {2, 4}, {.stride = {2, 4}});
    test.expect(layer);
    layer.indices = true;
    test.expected.push_back(ints({2, 16, 16, 10}, places));
    test.expect(layer);
    test.expected = {floats({2, 16, 16, 10}, average)};
    test.expect(pooling(Average, {2, 4}, {.stride = {2, 4}}));
}

TEST(Pooling, takesTheMaximumOfManyBytes) { // 7 i mod 101, less 50, in plain loops
    std::vector<int8_t> x;
    for (int i = 0; i < 3 * 700; ++i) x.push_back(static_cast<int8_t>(7 * i % 101 - 50));
    std::vector<int8_t> most;
    for (size_t i = 0; i < 3 * 698; ++i) {
        size_t const at = i / 698 * 700 + i % 698;
        most.push_back(std::max({x[at], x[at + 1], x[at + 2]}));
    }
    LayerCase{.inputs = {Literal::of<int8_t>({1, 3, 700}, x)}, .expected = {Literal::of<int8_t>({1, 3, 698}, most)}}
        .expect(pooling(Max, {3}));
}

TEST(Pooling, takesTheMaximumOfBytes) {
    LayerCase{.inputs = {Literal::of<int8_t>({1, 1, 4}, {-5, -3, 7, -8})},
              .expected = {Literal::of<int8_t>({1, 1, 3}, {-3, 7, 7})}}
        .expect(pooling(Max, {2}));
    LayerCase{.inputs = {Literal::of<uint8_t>({1, 1, 3}, {200, 3, 7})},
              .expected = {Literal::of<uint8_t>({1, 1, 2}, {200, 7})}}
        .expect(pooling(Max, {2}));
}

std::string error(Pooling const& layer, DataType type, Shape const& x) { return test::inferError(layer, {{type, x}}); }

TEST(Pooling, takesTheLeastNumberWhereAWindowSeesPaddingOnly) { // numpy: np.max([], initial=np.iinfo(np.int8).min)
    Pooling layer = pooling(Max, {1});
    layer.window.postPadding = {2};
    LayerCase{.inputs = {Literal::of<int8_t>({1, 1, 2}, {-5, 3})},
              .expected = {Literal::of<int8_t>({1, 1, 4}, {-5, 3, -128, -128})}}
        .expect(layer);
    LayerCase{.inputs = {Literal::of<uint8_t>({1, 1, 2}, {5, 3})},
              .expected = {Literal::of<uint8_t>({1, 1, 4}, {5, 3, 0, 0})}}
        .expect(layer);
}

TEST(Pooling, refusesWhatMakesNoSense) {
    EXPECT_EQ(error(pooling(Max, {2}), DataType::Float32, {1, 2, 5, 5}),
              "node (Pooling): window size is [2]; expected 2 numbers of 1 or more for input 0 [1,2,5,5]");
    EXPECT_EQ(error(pooling(Max, {7, 2}), DataType::Float32, {1, 2, 5, 5}),
              "node (Pooling): a window of 7 does not fit into 5 with padding 0 and 0");
    EXPECT_EQ(error(pooling(Average, {2, 2}), DataType::Int8, {1, 2, 5, 5}),
              "node (Pooling): input 0 is int8; expected float32, float16 or bfloat16");
    Pooling layer = pooling(Average, {2, 2});
    layer.indices = true;
    EXPECT_EQ(error(layer, DataType::Float32, {1, 2, 5, 5}), "node (Pooling): only Max pooling has indices");
}

TEST(Pooling, refusesWindowsOverNothing) {
    Pooling layer = pooling(Max, {2, 2});
    layer.window.prePadding = layer.window.postPadding = {1, 1};
    EXPECT_EQ(error(layer, DataType::Float32, {1, 2, 0, 5}),
              "node (Pooling): input 0 [1,2,0,5] is empty, but its padding gives windows for "
              "[1,2,1,6], which have no elements");
}

TEST(Pooling, refusesWindowsThatNoKernelCounts) {
    Pooling layer = pooling(Max, {65536, 65536});
    EXPECT_EQ(error(layer, DataType::Float32, {1, 2, 5, 5}),
              "node (Pooling): a window of [65536, 65536] elements; expected at most 2147483647");
    layer = pooling(Max, {2, 2});
    layer.window.prePadding = {int64_t{1} << 40, 0};
    EXPECT_EQ(error(layer, DataType::Float32, {1, 2, 5, 5}),
              "node (Pooling): pre-padding [1099511627776, 0] has 1099511627776; expected 0 to 2147483647");
    layer.window.prePadding = {INT32_MAX, INT32_MAX};
    EXPECT_EQ(error(layer, DataType::Float32, {1, 2, 5, 5}),
              "node (Pooling): a tensor of float32 and shape [1,2,2147483651,2147483651] takes more than 128 TiB, more "
              "than any memory");
}

} // namespace
} // namespace tenon
