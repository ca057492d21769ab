// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of tensors that may be kept in int8. Values and scales are chosen so that nothing but the result's own
// quantization is rounded; expected values come from the definition of the convolution.

#include "base/parallel.h"
#include "layers/convolution/convolution.h"
#include "support/layer_case.h"

#include <algorithm>

namespace tenon {
namespace {

using test::floats;

struct Int8Case {
    Dims x;
    int64_t outputs;
    int64_t window = 3;
    int64_t stride = 1;
    bool residual = false;
    bool relu = true;
};

constexpr float kStep = 1.0F / 128;

/// Integers from -127 to 127 that look random.
std::vector<float> steps(int64_t count, uint32_t seed) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U; // Numerical Recipes' generator
        values.push_back(static_cast<float>(static_cast<int>(seed >> 24) % 255 - 127) * kStep);
    }
    return values;
}

/// max(0, X · W + b + Z)
class Int8Convolution {
public:
    explicit Int8Convolution(Int8Case const& wanted)
        : the_(wanted),
          pad_(the_.window / 2), y_{the_.x[0], the_.outputs, extent(the_.x[2]), extent(the_.x[3])}, w_{the_.outputs,
                                                                                                       the_.x[1],
                                                                                                       the_.window,
                                                                                                       the_.window},
          x_(steps(the_.x.volume(), 1)), weights_(steps(w_.volume(), 2)), bias_(steps(the_.outputs, 3)),
          z_(steps(y_.volume(), 4)) {
        for (int64_t k = 0; k < the_.outputs; ++k) // its largest weight: the others are multiples of 1/127 of it
            weights_[static_cast<size_t>(k * w_.volume(1, 4))] = 127 * kStep;
    }

    void expect() const {
        Convolution layer;
        layer.window.stride = {the_.stride, the_.stride};
        layer.window.prePadding = layer.window.postPadding = {pad_, pad_};
        test::LayerCase all{{floats(the_.x, x_), floats(w_, weights_), floats({the_.outputs}, bias_)}, {}};
        if (the_.residual) {
            all.inputs.push_back(floats(y_, z_));
            layer.epilogue.push_back({PointwiseOp::Sum, Convolution::kFirstExtra});
        }
        if (the_.relu) layer.epilogue.push_back({PointwiseOp::Relu});
        all.expected = {floats(y_, expected())};
        all.constants = 0b110;
        all.scales = {kStep, 0, 0};
        if (the_.residual) all.scales.push_back(kStep);
        all.scales.push_back(1.0F / 8);
        all.expect(layer);
    }

private:
    int64_t extent(int64_t in) const { return (in + 2 * pad_ - the_.window) / the_.stride + 1; }

    std::vector<float> expected() const {
        std::vector<float> y;
        Dims index = Dims::filled(4, 0);
        do {
            double const sum = sumAt(index) + (the_.residual ? z_[y.size()] : 0);
            y.push_back(static_cast<float>(the_.relu ? std::max(sum, 0.0) : sum));
        } while (nextIndex(index, y_));
        return y;
    }

    double sumAt(Dims const& at) const {
        double sum = bias_[static_cast<size_t>(at[1])];
        for (int64_t i = 0; i < w_.volume(1, 4); ++i) {
            int64_t const row = at[2] * the_.stride + i / the_.window % the_.window - pad_;
            int64_t const column = at[3] * the_.stride + i % the_.window - pad_;
            int64_t const channel = i / (the_.window * the_.window);
            if (row < 0 || column < 0 || row >= the_.x[2] || column >= the_.x[3]) continue;
            int64_t const from = ((at[0] * the_.x[1] + channel) * the_.x[2] + row) * the_.x[3] + column;
            sum += double{x_[static_cast<size_t>(from)]} *
                   double{weights_[static_cast<size_t>(at[1] * w_.volume(1, 4) + i)]};
        }
        return sum;
    }

    Int8Case the_;
    int64_t pad_;
    Dims y_, w_;
    std::vector<float> x_, weights_, bias_, z_;
};

TEST(Int8Convolution, sumsIntegers) { Int8Convolution({{2, 32, 9, 11}, 48}).expect(); }

TEST(Int8Convolution, ofOnePixelAndWithStrides) {
    Int8Convolution({{2, 64, 8, 8}, 32, 1}).expect();
    Int8Convolution({{1, 16, 15, 15}, 64, 5, 2}).expect();
}

TEST(Int8Convolution, isDividedByRowsAndItems) { // with work for two threads
    ThreadLimit const limit(2);
    Int8Convolution({.x = {1, 64, 24, 24}, .outputs = 64, .residual = true}).expect();
    Int8Convolution({{3, 32, 20, 20}, 64}).expect();
    Int8Convolution({{1, 32, 40, 40}, 64, 3, 2}).expect();
}

TEST(Int8Convolution, padsChannels) { Int8Convolution({{1, 20, 7, 6}, 37}).expect(); }

TEST(Int8Convolution, readsPictures) { Int8Convolution({{1, 3, 48, 192}, 8, 3, 2}).expect(); }

TEST(Int8Convolution, keepsNegativeResults) {
    Int8Convolution({.x = {1, 32, 5, 5}, .outputs = 16, .relu = false}).expect();
}

TEST(Int8Convolution, addsATensorByItsOwnScale) {
    Int8Convolution({.x = {2, 32, 9, 11}, .outputs = 48, .residual = true}).expect();
    Int8Convolution({.x = {1, 20, 7, 6}, .outputs = 37, .residual = true}).expect();
}

} // namespace
} // namespace tenon
