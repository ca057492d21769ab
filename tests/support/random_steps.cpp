// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/random_steps.h"

#include "base/text.h"
#include "layers/cast/cast.h"
#include "support/layer_case.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tenon::test {
namespace {

using enum PointwiseOp;

constexpr float kMost = std::numeric_limits<float>::max();

class RandomSteps {
public:
    explicit RandomSteps(std::mt19937& random) : random_(random) {}

    WrittenGraph build() {
        for (int i = 0; i < 2; ++i) tensors_.push_back(input());
        size_t const layers = 2 + below(9);
        for (size_t i = 0; i < layers; ++i) tensors_.push_back(layer());
        output(tensors_.back());
        if (below(4) == 0) output(any());
        return std::move(net_);
    }

private:
    size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
    template <class T> T oneOf(std::initializer_list<T> all) { return all.begin()[below(all.size())]; }
    float number() { return tellingNumbers()[below(tellingNumbers().size())]; }

    /// Later ones more often, so that chains get long.
    Tensor* any() { return below(3) != 0 ? tensors_.back() : tensors_[below(tensors_.size())]; }

    Tensor* input() {
        Dims const dims{2, 3, 9};
        std::vector<float> values;
        for (int64_t i = 0; i < dims.volume(); ++i) {
            float const integer = static_cast<float>(below(100)) - 20;
            values.push_back(oneOf({number(), number(), integer, integer / 8, integer + number()}));
        }
        values[below(values.size())] = NAN;
        values[below(values.size())] = INFINITY;
        values[below(values.size())] = -INFINITY;
        Tensor* const x = net_.input(dims);
        net_.values.back() = floats(dims, values);
        return x;
    }

    void output(Tensor* tensor) {
        if (net_.graph.isOutput(tensor) || tensor->producer() == nullptr) return;
        tensor->name = text('y', net_.graph.outputs().size());
        net_.graph.markOutput(tensor);
    }

    Tensor* layer() {
        switch (below(8)) {
        case 0: return ofOne();
        case 1: return ofTwo(any(), any());
        case 2: return activation();
        case 3: return rounded();
        default: return below(2) ? ofTwo(any(), constant()) : ofTwo(constant(), any());
        }
    }

    Tensor* constant() {
        if (below(4) != 0) return net_.number(number());
        return net_.constant(floats({3, 1}, {number(), number(), number()}));
    }

    Tensor* ofOne() { return net_.emit(oneOf({Neg, Abs, Sqrt, Recip, Floor, Ceil, Round}), any()); }

    Tensor* ofTwo(Tensor* a, Tensor* b) {
        PointwiseOp const op =
            oneOf({Sum, Sum, Sub, Sub, Prod, Prod, Prod, Div, Div, Max, Min, ParametricRelu, FloorDiv, Fmod});
        Tensor* const y = net_.emit(op, a, b);
        return op == Max || op == Min ? net_.emit(Sum, y, net_.number(0)) : y; // 0 and -0 are 0
    }

    Tensor* activation() {
        float const a = number(), b = number();
        switch (below(4)) {
        case 0: return net_.emit(Relu, any());
        case 1: return net_.emit(LeakyRelu, any(), a);
        case 2: return net_.emit(Clip, any(), std::min(a, b), std::max(a, b));
        default: return net_.emit(HardSigmoid, any(), oneOf({0.2F, 1.0F, 1e9F}), oneOf({0.0F, 0.5F, -12582912.0F}));
        }
    }

    /// Functions with a step, where the last bit of the operand matters.
    Tensor* rounded() {
        switch (below(3)) {
        case 0: return net_.emit(oneOf({Floor, Ceil, Round}), any());
        case 1: return castTo(DataType::Float32, castTo(DataType::Int64, any()));
        default: return castTo(DataType::Float32, net_.emit(oneOf({Equal, Greater, Less}), any(), constant()));
        }
    }

    Tensor* castTo(DataType type, Tensor* x) {
        Cast cast;
        cast.to = type;
        return net_.graph.emit(cast, {x});
    }

    std::mt19937& random_;
    WrittenGraph net_;
    std::vector<Tensor*> tensors_;
};

} // namespace

std::vector<float> const& tellingNumbers() {
    static std::vector<float> const all{1e-30F, -1e-30F, 1e9F,      -1e9F,    kMost,     -kMost,   12582912, -12582912,
                                        41,     -41,     1 / 41.0F, 49,       10,        16777216, 16777215, 6,
                                        0.5F,   2,       4,         -1,       1,         0,        -0.0F,    1e-20F,
                                        1e20F,  1e5F,    -1e5F,     37.77F,   -37.7749F, 255,      0.1F,     7,
                                        1e-40F, -2,      0x1p-20F,  0x1p100F, 0x1p-126F};
    return all;
}

WrittenGraph randomSteps(std::mt19937& random) { return RandomSteps(random).build(); }

void expectSameBits(std::vector<Literal> const& found, std::vector<Literal> const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].dims(), expected[i].dims());
        auto const a = found[i].toFloat();
        auto const b = expected[i].toFloat();
        for (size_t j = 0; j < a.size(); ++j) {
            bool const same = std::bit_cast<uint32_t>(a[j]) == std::bit_cast<uint32_t>(b[j]);
            ASSERT_TRUE(same || (std::isnan(a[j]) && std::isnan(b[j])))
                << "output " << i << ", element " << j << " is " << a[j] << "; expected " << b[j];
        }
    }
}

} // namespace tenon::test
