// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random networks of quantized layers. All scales are powers of two, zero points even and sums small, so that every
// operation is exact in float32, and an engine must equal the references of the nodes bit for bit.

#include "base/text.h"
#include "layers/activation/activation.h"
#include "layers/concatenation/concatenation.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pooling/pooling.h"
#include "layers/shuffle/shuffle.h"
#include "quantized_network.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

using test::QuantizedNetwork;

class RandomNetwork {
public:
    explicit RandomNetwork(uint32_t seed) : random_(seed) {}

    void make() {
        int64_t const channels = 1 + below(40);
        pool_.push_back(quantized(net_.input({1 + below(2), channels, 3 + below(7), 3 + below(7)})));
        for (int64_t layers = 2 + below(5); layers > 0; --layers) add();
        net_.output(below(2) == 0 ? pool_.back() : product(pool_.back()));
        net_.expect(0);
        askForTypes();
        net_.expect(0);
    }

private:
    void askForTypes() {
        net_.config.settings.precision.asked = AskedTypes::Preferred;
        for (auto const& node : net_.graph.nodes()) {
            if (below(2) == 0) node->askedType = below(2) == 0 ? DataType::Float32 : DataType::Int8;
        }
    }

    int64_t below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint32_t>(count)); }

    Tensor* quantized(Tensor* x) {
        DataType const type = below(2) == 0 ? DataType::Int8 : DataType::UInt8;
        int64_t const zero = below(3) == 0 ? 2 * below(30) : type == DataType::UInt8 ? 128 : 0;
        return net_.quantized(x, {std::ldexp(1.0F, static_cast<int>(-7 + below(3))), static_cast<int32_t>(zero), type});
    }

    static int64_t channelsOf(Tensor const* x) { return x->shape[1].constant(); }

    /// Weights of a scale for which sums of `terms` products are mostly below 2.
    float scaleFor(int64_t terms) const {
        return std::ldexp(1.0F, -7 - static_cast<int>(std::lround(std::log2(std::sqrt(static_cast<double>(terms))))));
    }

    Tensor* convolution(Tensor* x) {
        int64_t const channels = channelsOf(x);
        int64_t const window = below(2) == 0 ? 1 : 3;
        bool const isDepthwise = below(4) == 0;
        int64_t const outputs = isDepthwise ? channels : 1 + below(40);
        int64_t const terms = (isDepthwise ? 1 : channels) * window * window;
        Tensor* const w = net_.weights({outputs, isDepthwise ? 1 : channels, window, window}, below(2) == 0 ? 0 : -1,
                                       scaleFor(terms), 15);
        Tensor* y = net_.convolution(x, w, nullptr, window / 2, isDepthwise ? channels : 1);
        if (outputs == channels && below(2) == 0) y = net_.graph.emit(elementwise(PointwiseOp::Sum), {y, x});
        return below(2) == 0 ? quantized(activated(y)) : quantized(y);
    }

    Tensor* activated(Tensor* x) {
        Activation layer;
        if (below(2) == 0) {
            layer.operation = PointwiseOp::Clip;
            layer.alpha = -0.25;
            layer.beta = 0.75;
        }
        return net_.graph.emit(layer, {x});
    }

    Tensor* pooled(Tensor* x) {
        Pooling layer;
        layer.windowSize = {2, 2};
        layer.window.postPadding = {1, 1};
        Tensor* const y = net_.graph.emit(layer, {x});
        return below(2) == 0 ? quantized(y) : y;
    }

    /// With one of the same extents except the channels.
    Tensor* joined(Tensor* x) {
        for (Tensor* other : pool_) {
            bool const fits =
                other->shape[0] == x->shape[0] && other->shape[2] == x->shape[2] && other->shape[3] == x->shape[3];
            if (fits && other != x) return quantized(net_.graph.emit(Concatenation::along(1), {other, x}));
        }
        return quantized(x);
    }

    Tensor* added(Tensor* x) {
        for (Tensor* other : pool_) {
            if (other != x && other->shape == x->shape)
                return quantized(activated(net_.graph.emit(elementwise(PointwiseOp::Sum), {other, x})));
        }
        return quantized(activated(x));
    }

    Tensor* product(Tensor* x) {
        int64_t const batch = x->shape[0].constant();
        int64_t const terms = channelsOf(x) * x->shape[2].constant() * x->shape[3].constant();
        Tensor* const rows = net_.graph.emit(Shuffle::reshaping({batch, terms}), {x});
        return net_.graph.emit(MatrixMultiply{}, {rows, net_.weights({terms, 10}, 1, scaleFor(terms), 15)});
    }

    void add() {
        Tensor* const x = pool_[static_cast<size_t>(below(static_cast<int64_t>(pool_.size())))];
        switch (below(6)) {
        case 0: pool_.push_back(pooled(x)); break;
        case 1: pool_.push_back(joined(x)); break;
        case 2: pool_.push_back(added(x)); break;
        default: pool_.push_back(convolution(x)); break;
        }
    }

    QuantizedNetwork net_;
    std::mt19937 random_;
    std::vector<Tensor*> pool_; // dequantized, or maxima of such
};

TEST(RandomQuantizedNetworks, areComputedAsNodeByNode) {
    for (uint32_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(text("seed ", seed));
        RandomNetwork(seed).make();
    }
}

} // namespace
} // namespace tenon
