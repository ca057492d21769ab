// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/lrn/lrn.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

Lrn over(int64_t window, double alpha, double beta, double k) {
    Lrn layer;
    layer.window = window;
    layer.alpha = alpha;
    layer.beta = beta;
    layer.k = k;
    return layer;
}

TEST(Lrn, dividesByTheNeighboursInOtherChannels) { // beta 1: x / (1 + sum of x^2); an even window has one more after
    Literal const x = floats({1, 4, 1}, {1, 2, 3, 4});
    LayerCase{.inputs = {x}, .expected = {floats({1, 4, 1}, {1 / 6.F, 2 / 15.F, 3 / 30.F, 4 / 26.F})}}.expect(
        over(3, 3, 1, 1));
    LayerCase{.inputs = {x}, .expected = {floats({1, 4, 1}, {1 / 6.F, 2 / 14.F, 3 / 26.F, 4 / 17.F})}}.expect(
        over(2, 2, 1, 1));
    LayerCase{.inputs = {x}, .expected = {floats({1, 4, 1}, {1 / 31.F, 2 / 31.F, 3 / 31.F, 4 / 31.F})}}.expect(
        over(15, 15, 1, 1));
}

/// The formula, in double precision.
std::vector<float> normalized(Lrn const& layer, Dims const& dims, std::span<float const> x) {
    std::vector<float> y;
    int64_t const inner = dims.volume(2, dims.rank());
    for (int64_t i = 0; i < dims.volume(); ++i) {
        double sum = 0;
        int64_t const c = i / inner % dims[1];
        for (int64_t d = -((layer.window - 1) / 2); d <= layer.window / 2; ++d) {
            if (c + d >= 0 && c + d < dims[1]) sum += std::pow(x[static_cast<size_t>(i + d * inner)], 2);
        }
        double const base = layer.k + layer.alpha / static_cast<double>(layer.window) * sum;
        y.push_back(static_cast<float>(x[static_cast<size_t>(i)] / std::pow(base, layer.beta)));
    }
    return y;
}

TEST(Lrn, computesItsFormula) {
    for (Dims const& dims : {Dims{2, 5, 7, 41}, Dims{3, 70}, Dims{1, 3, 2, 3, 5}}) {
        for (Lrn const& layer : {over(5, 0.5, 0.75, 2), over(1, 1, 0.5, 0.25), over(4, 2, 1.25, 1)}) {
            Literal const x = test::spread(dims, -3, 3);
            LayerCase{.inputs = {x}, .expected = {floats(dims, normalized(layer, dims, x.as<float>()))}}.expect(layer);
        }
    }
}

TEST(Lrn, refusesWhatDoesNotFit) {
    EXPECT_EQ(test::inferError(over(0, 1, 1, 1), {{DataType::Float32, {1, 2}}}),
              "node (LRN): the window has 0 channels; expected at least 1");
    EXPECT_EQ(test::inferError(Lrn{}, {{DataType::Float32, {2}}}),
              "node (LRN): input 0 has shape [2], of rank 1; expected rank 2 to 8");
    EXPECT_EQ(test::inferError(Lrn{}, {{DataType::Int32, {1, 2}}}),
              "node (LRN): input 0 is int32; expected float32, float16 or bfloat16");
}

} // namespace
} // namespace tenon
