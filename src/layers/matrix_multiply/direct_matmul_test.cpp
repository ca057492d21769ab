// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/direct_matmul_cpu.h"

#include "backends/backend.h"
#include "backends/empty_tensors.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "support/kernel_run.h"
#include "support/layer_case.h"
#include "support/one_node.h"

#include <cmath>
#include <limits>

namespace tenon::cpu {
namespace {

using enum MatrixOperation;

/// Rows of numbers times a constant matrix [k,n], and the steps of an epilogue.
struct Case {
    int64_t rows, k, n;
    MatrixMultiply layer = {};
    std::vector<Literal> inputs = {};

    Case(int64_t rows, int64_t k, int64_t n, MatrixOperation b = None) : rows(rows), k(k), n(n) {
        layer.b = b;
        inputs = {test::spread({rows, k}, -1, 1), test::spread(b == Transpose ? Dims{n, k} : Dims{k, n}, -1, 1)};
    }

    template <class Use> auto with(Use const& use) const {
        test::LayerCase const layerCase{.inputs = inputs, .expected = {}, .constants = 0b10};
        test::OneNode const one(layerCase, layer, test::OneNode::fixed);
        return use(*one.node, KernelQuery{*one.node, one.inputDims, {toDims(one.node->output()->shape)}});
    }

    Offer offer() const {
        return with([](Node const&, KernelQuery const& query) { return offerOf(directMatmul(), query); });
    }

    std::vector<float> run() const {
        return with([&](Node const& node, KernelQuery const& query) {
            Variant const variant = offerOf(directMatmul(), query).variants.at(0);
            NodeDims const dims{query.inputs, query.outputs};
            return test::KernelRun(node, directMatmul(), variant, dims).run(inputs, dims.outputs)[0].toFloat();
        });
    }

    /// The sum of products for an element of the result.
    double sum(int64_t row, int64_t column) const {
        double total = 0;
        for (int64_t i = 0; i < k; ++i) {
            int64_t const b = layer.b == Transpose ? column * k + i : i * n + column;
            total += static_cast<double>(inputs[0].as<float>()[static_cast<size_t>(row * k + i)]) *
                     inputs[1].as<float>()[static_cast<size_t>(b)];
        }
        return total;
    }

    /// Results are finish(sum, row, column), to within 4 u of the number of terms, each of which is at most 1.
    template <class Finish> void expect(Finish const& finish) const {
        ASSERT_EQ(offer().variants.size(), 1U) << offer().refusal;
        auto const found = run();
        for (int64_t i = 0; i < rows * n; ++i) {
            double const bound = 4.0 / (1 << 24) * static_cast<double>(k + 4);
            ASSERT_NEAR(found[static_cast<size_t>(i)], finish(sum(i / n, i % n), i / n, i % n), bound)
                << rows << " x " << k << " x " << n << " at " << i;
        }
    }
    void expect() const {
        expect([](double sum, int64_t, int64_t) { return sum; });
    }
};

TEST(DirectMatmul, takesAnyExtents) {
    for (int64_t const rows : {1, 2, 7, 13, 14, 15, 29, 57}) {
        for (int64_t const n : {1, 3, 16, 17, 31, 48, 63, 64, 65, 100}) Case(rows, 37, n).expect();
    }
    for (int64_t const k : {1, 2, 15, 16, 17, 32, 100}) Case(9, k, 33, Transpose).expect();
    Case(3, 5000, 70).expect(); // weights in pieces
    Case(300, 40, 200).expect();
}

TEST(DirectMatmul, finishesWithRowsOfNumbers) {
    Case one(20, 24, 150);
    one.layer.epilogue = {
        {PointwiseOp::Sum, 2}, {PointwiseOp::Clip, -1, -0.5, 2}, {PointwiseOp::Prod, 3}, {PointwiseOp::Sum, 4}};
    one.inputs.insert(one.inputs.end(),
                      {test::spread({150}, -1, 1), test::spread({1, 150}, -1, 1), test::spread({20, 150}, -1, 1)});
    auto const at = [&](int input, int64_t i) {
        return static_cast<double>(one.inputs[static_cast<size_t>(input)].as<float>()[static_cast<size_t>(i)]);
    };
    one.expect([&](double sum, int64_t row, int64_t column) {
        return std::clamp(sum + at(2, column), -0.5, 2.0) * at(3, column) + at(4, row * 150 + column);
    });
    one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sum, 2}, {PointwiseOp::Prod, 3}, {PointwiseOp::Sum, 4}};
    one.expect([&](double sum, int64_t row, int64_t column) {
        return (std::max(sum, 0.0) + at(2, column)) * at(3, column) + at(4, row * 150 + column);
    });
}

TEST(DirectMatmul, leavesStepsWithAnElementForEachRow) { // to the kernel that finishes the result in place
    Case one(20, 24, 20);
    one.layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Sum, 2}};
    one.inputs.push_back(test::spread({20, 1}, -1, 1));
    one.expect([&](double sum, int64_t row, int64_t) {
        return std::max(sum, 0.0) + one.inputs[2].as<float>()[static_cast<size_t>(row)];
    });
}

TEST(DirectMatmul, keepsNumbersThatAreNotFiniteInTheirRow) {
    for (float const number : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        Case one(30, 20, 70);
        auto values = one.inputs[0].toFloat();
        values[7 * 20 + 3] = number;
        one.inputs[0] = test::floats({30, 20}, values);
        one.layer.epilogue = {{PointwiseOp::Relu}};
        auto const found = one.run();
        for (int64_t i = 0; i < 30 * 70; ++i) {
            auto const weight = static_cast<double>(one.inputs[1].as<float>()[static_cast<size_t>(3 * 70 + i % 70)]);
            double const result = found[static_cast<size_t>(i)];
            if (i / 70 != 7)
                ASSERT_TRUE(std::isfinite(result)) << i;
            else if (std::isnan(number) || weight == 0)
                ASSERT_TRUE(std::isnan(result)) << i;
            else
                ASSERT_EQ(result, weight > 0 ? number : 0) << i;
        }
    }
}

TEST(DirectMatmul, computesARowAlikeBesideAnyOthers) {
    Case const many(61, 300, 90);
    auto const all = many.run();
    for (int64_t const rows : {1, 6, 25}) {
        Case some(rows, 300, 90);
        auto const values = many.inputs[0].toFloat();
        some.inputs[0] = test::floats({rows, 300}, {values.begin(), values.begin() + rows * 300});
        EXPECT_EQ(some.run(), std::vector<float>(all.begin(), all.begin() + rows * 90)) << rows;
    }
}

TEST(DirectMatmul, isWhatOneDnnLeavesFloat32To) {
    for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(MatrixMultiply::kKind)) {
        if (kernel->name() != "onednn_matmul") continue;
        Case(6, 4, 5).with([&](Node const&, KernelQuery query) {
            EXPECT_EQ(kernel->offer(query).refusal, "declines in favor of Tenon's kernels");
            query.hasLimit = true; // which may exclude others
            EXPECT_EQ(kernel->offer(query).variants.size(), 1U);
            return 0;
        });
    }
}

TEST(DirectMatmul, refusesAMatrixThatIsTransposed) { // also with one row: other shapes of the profile have more
    for (int64_t const rows : {1, 6}) {
        Case one(rows, 4, 5);
        one.layer.a = Transpose;
        one.inputs[0] = test::spread({4, rows}, -1, 1);
        EXPECT_EQ(one.offer().refusal, "supports rows times one matrix");
    }
}

TEST(DirectMatmul, refusesStacks) {
    Case one(6, 4, 5);
    one.inputs = {test::spread({2, 3, 4}, -1, 1), test::spread({2, 4, 5}, -1, 1)};
    EXPECT_EQ(one.offer().refusal, "supports rows times one matrix");
}

} // namespace
} // namespace tenon::cpu
