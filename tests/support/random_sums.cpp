// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/random_sums.h"

#include "base/text.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "support/layer_case.h"
#include "support/random_steps.h"
#include "support/run_graph.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tenon::test {
namespace {

using enum PointwiseOp;

/// A product with constant weights and lines before and after it, and the same on absolute values: its results bound
/// the summands of the first.
class Writer {
public:
    explicit Writer(Literal const& x) {
        y_ = net_.input(x.dims());
        size_ = sizes_.input(x.dims());
        net_.values[0] = x;
        auto values = x.toFloat();
        for (float& value : values) value = std::isfinite(value) ? std::abs(value) : 1;
        sizes_.values[0] = floats(x.dims(), values);
    }

    void line(PointwiseOp op, Literal const& numbers, bool first) {
        Tensor *a, *b;
        constants(numbers, a, b);
        y_ = first ? net_.emit(op, a, y_) : net_.emit(op, y_, a);
        size_ = sizes_.emit(op == Sub ? Sum : op, size_, b);
    }

    void product(Layer const& layer, std::vector<Literal> const& weights) {
        std::vector<Tensor*> a{y_}, b{size_};
        for (Literal const& literal : weights) {
            a.push_back(nullptr);
            b.push_back(nullptr);
            constants(literal, a.back(), b.back());
        }
        y_ = net_.graph.add(layer.clone(), a)->output();
        size_ = sizes_.graph.add(layer.clone(), b)->output();
    }

    Sums finish() {
        y_->name = text('y');
        net_.graph.markOutput(y_);
        sizes_.graph.markOutput(size_);
        return {std::move(net_), runGraph(sizes_.graph, sizes_.values)[0].toFloat()};
    }

private:
    void constants(Literal const& literal, Tensor*& a, Tensor*& b) {
        auto values = literal.toFloat();
        a = net_.constant(literal);
        for (float& value : values) value = std::abs(value);
        b = sizes_.constant(floats(literal.dims(), values));
    }

    WrittenGraph net_, sizes_;
    Tensor* y_ = nullptr;
    Tensor* size_ = nullptr;
};

/// Some of them special ones, of such a magnitude that products of a few are normal.
Literal numbersOf(std::mt19937& random, Dims const& dims, bool telling) {
    std::vector<float> all = test::tellingNumbers();
    std::erase_if(all, [](float number) { return number != 0 && std::abs(number) < 1e-20F; });
    std::vector<float> values;
    for (int64_t i = 0; i < dims.volume(); ++i)
        values.push_back(telling && random() % 3 == 0 ? all[random() % all.size()]
                                                      : static_cast<float>(random() % 2001) / 500 - 2);
    return floats(dims, values);
}

/// The first of the numbers is a different one.
Literal with(Literal const& numbers, float first) {
    auto values = numbers.toFloat();
    values[0] = first;
    return floats(numbers.dims(), values);
}

void addLines(Writer& sums, std::mt19937& random, Dims const& perChannel) {
    for (size_t count = random() % 4; count-- > 0;) {
        Dims const dims = random() % 3 == 0 ? Dims{} : perChannel;
        PointwiseOp const ops[]{Sum, Sub, Prod, Prod, Div};
        PointwiseOp const op = ops[random() % 5];
        sums.line(op, numbersOf(random, dims, random() % 2 == 0), random() % 2 == 0 && op != Div);
    }
}

} // namespace

Sums randomSums(std::mt19937& random) {
    bool const telling = random() % 2 == 0;
    bool const isMatrix = random() % 3 == 0;
    Literal const x = numbersOf(random, isMatrix ? Dims{3, 4} : Dims{1, 4, 3, 3}, telling);
    float const ends[]{INFINITY, NAN, x.toFloat()[0], 1};
    Writer sums(with(x, ends[random() % 4]));
    addLines(sums, random, isMatrix ? Dims{4} : Dims{4, 1, 1});
    if (isMatrix)
        sums.product(MatrixMultiply{}, {numbersOf(random, {4, 5}, telling)});
    else if (random() % 2 == 0)
        sums.product(Convolution{}, {numbersOf(random, {5, 4, 2, 2}, telling), numbersOf(random, {5}, telling)});
    else
        sums.product(Deconvolution{}, {numbersOf(random, {4, 5, 2, 2}, telling)});
    addLines(sums, random, isMatrix ? Dims{5} : Dims{5, 1, 1});
    return sums.finish();
}

void expectWithin(Literal const& found, Literal const& expected, std::vector<float> const& sizes) {
    auto const a = found.toFloat();
    auto const b = expected.toFloat();
    ASSERT_EQ(a.size(), sizes.size());
    for (size_t i = 0; i < a.size(); ++i) {
        if (!(sizes[i] < 0x1p60F) || a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        ASSERT_NEAR(a[i], b[i], double{sizes[i]} * 0x1p-20 + 1e-37) << "element " << i;
    }
}

} // namespace tenon::test
