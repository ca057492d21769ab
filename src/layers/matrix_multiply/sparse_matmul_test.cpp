// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/backend.h"
#include "backends/cpu/isa.h"
#include "backends/empty_tensors.h"
#include "base/error.h"
#include "layers/constant/constant.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/run_engine.h"
#include "support/tested_device.h"

#include <algorithm>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using enum MatrixOperation;

/// A product with weights of which each column has two nonzero values in each four rows, or fewer, and its result by
/// the formula y[m][n] = Σ a[m][k] w[k][n].
struct SparseCase {
    Dims a;
    int64_t n;
    MatrixOperation b = None;

    int64_t k() const { return a[a.rank() - 1]; }
    int64_t rows() const { return a.volume() / k(); }

    /// All pairs of indices occur, and groups with one value or none.
    float weight(int64_t row, int64_t column) const {
        int64_t const group = row / 4;
        int64_t const first = (group + column) % 4;
        int64_t const second = (first + 1 + (group + column / 4) % 3) % 4;
        bool const isKept = row % 4 == first || row % 4 == second;
        return isKept ? static_cast<float>((row * 5 + column * 3) % 9 - 4) / 4 : 0;
    }

    Literal weights() const {
        std::vector<float> values(static_cast<size_t>(k() * n));
        for (int64_t row = 0; row < k(); ++row) {
            for (int64_t column = 0; column < n; ++column)
                values[static_cast<size_t>(b == Transpose ? column * k() + row : row * n + column)] =
                    weight(row, column);
        }
        return floats(b == Transpose ? Dims{n, k()} : Dims{k(), n}, values);
    }

    Literal x() const {
        std::vector<float> values; // multiples of 1/64, which all floating point types represent
        for (int64_t i = 0; i < a.volume(); ++i) values.push_back(static_cast<float>(i * 37 % 129 - 64) / 64);
        return floats(a, values);
    }

    /// finish(y, column, i) is applied to element i of the result.
    template <class Finish> Literal expected(Finish const& finish) const {
        auto const fed = x();
        std::vector<float> y;
        for (int64_t i = 0; i < rows() * n; ++i) {
            double sum = 0;
            for (int64_t row = 0; row < k(); ++row)
                sum += double{fed.as<float>()[static_cast<size_t>(i / n * k() + row)]} * double{weight(row, i % n)};
            y.push_back(finish(static_cast<float>(sum), i % n, i));
        }
        Dims dims = a;
        dims[dims.rank() - 1] = n;
        return floats(dims, y);
    }
    Literal expected() const {
        return expected([](float y, int64_t, int64_t) { return y; });
    }

    MatrixMultiply layer() const {
        MatrixMultiply layer;
        layer.b = b;
        return layer;
    }
    LayerCase layerCase() const { return {.inputs = {x(), weights()}, .expected = {expected()}, .constants = 0b10}; }
    void expect() const;
};

bool isSparse(Kernel const& kernel) { return kernel.name().ends_with("sparse_matmul"); }

/// The offer of the sparse kernel for a node with this constant.
Offer offerFor(Dims const& a, Literal const& b, MatrixMultiply const& layer, bool isAllowed = true) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, toShape(a));
    Node const* const node = graph.emit(layer, {x, graph.emit(Constant(b), {})}, "fc")->producer();
    KernelQuery query{*node, {a, b.dims()}, {toDims(node->output()->shape)}};
    query.allowSparse = isAllowed;
    auto const kernels = test::testedBackend().kernelsFor(MatrixMultiply::kKind);
    auto const kernel = std::ranges::find_if(kernels, [](Kernel const* one) { return isSparse(*one); });
    if (kernel == kernels.end()) return Offer::refuse("there is none");
    return offerOf(**kernel, query);
}

std::string refusalFor(Dims const& a, Literal const& b, MatrixMultiply const& layer = {}, bool isAllowed = true) {
    return offerFor(a, b, layer, isAllowed).refusal;
}

void SparseCase::expect() const {
    EXPECT_EQ(refusalFor(a, weights(), layer()), "");
    layerCase().expect(layer());
    layerCase().in(DataType::Float16).expect(layer());
    layerCase().in(DataType::BFloat16).expect(layer());
}

TEST(SparseMatmul, ofAnyNumberOfRows) {
    for (int64_t const rows : {1, 2}) SparseCase{{rows, 64}, 48}.expect();
    for (int64_t const rows : {3, 4, 5, 6, 7, 8}) {
        SCOPED_TRACE(rows);
        SparseCase const one{{rows, 40}, 24};
        one.layerCase().expect(one.layer());
    }
}

/// They are stored in groups of 4, of which 8 have their indices in one word.
TEST(SparseMatmul, ofSumsOfAnyLength) {
    for (int64_t const k : {1, 2, 3, 4, 5, 7, 8, 28, 31, 32, 33, 35, 36, 63, 64, 65, 100, 127, 1029, 1100}) {
        SCOPED_TRACE(k);
        SparseCase{{1, k}, 19}.expect();
        SparseCase{{2, k}, 19, Transpose}.expect();
    }
}

TEST(SparseMatmul, ofAnyNumberOfColumns) {
    for (int64_t const n : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 100, 257}) {
        SCOPED_TRACE(n);
        SparseCase{{1, 44}, n}.expect();
        SparseCase{{2, 44}, n, Transpose}.expect();
    }
}

TEST(SparseMatmul, takesRowsOfSeveralMatrices) { SparseCase{{2, 1, 36}, 20}.expect(); }

TEST(SparseMatmul, takesVectors) {
    SparseCase const one{{1, 50}, 1};
    MatrixMultiply layer;
    layer.a = layer.b = Vector;
    Literal const x = one.x().reshaped({50});
    Literal const w = one.weights().reshaped({50});
    EXPECT_EQ(refusalFor({50}, w, layer), "");
    LayerCase{.inputs = {x, w}, .expected = {one.expected().reshaped({})}, .constants = 0b10}.expect(layer);
}

TEST(SparseMatmul, finishesWithAnEpilogue) { // relu(y / 2 + bias) + addend
    for (int64_t const rows : {1, 2, 6}) {
        SparseCase const one{{rows, 64}, 40};
        MatrixMultiply layer;
        layer.epilogue = {
            {PointwiseOp::Affine, -1, 0.5, 0}, {PointwiseOp::Sum, 2}, {PointwiseOp::Relu}, {PointwiseOp::Sum, 3}};
        Literal const bias = test::spread({40}, -1, 1);
        Literal const addend = test::spread({rows, 40}, -2, 2);
        LayerCase test = one.layerCase();
        test.inputs.insert(test.inputs.end(), {bias, addend});
        test.expected = {one.expected([&](float y, int64_t column, int64_t i) {
            return std::max(y / 2 + bias.as<float>()[static_cast<size_t>(column)], 0.0F) +
                   addend.as<float>()[static_cast<size_t>(i)];
        })};
        test.expect(layer);
        test.in(DataType::Float16).expect(layer);
        test.in(DataType::BFloat16).expect(layer);
    }
}

/// Below the smallest normal number of float16, at its maximum, and zero.
TEST(SparseMatmul, keepsNumbersOfAnySize) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kSmall = -1023 * 0x1p-24F;
    std::vector<float> w(16, 0);
    std::ranges::copy(std::vector{kSmall, kInf, 65504.0F, kNan, 0.5F, 1.0F, 0.25F, 1.0F}, w.begin());
    LayerCase test{.inputs = {floats({1, 4}, {0x1p14F, 0.5, 2, 3}), floats({4, 4}, w)},
                   .expected = {floats({1, 4}, {0x1p14F * kSmall + 0.25F, kInf, 0x1p14F * 65504, kNan})},
                   .tolerance = 1e-6,
                   .constants = 0b10,
                   .types = {DataType::Float32}};
    EXPECT_EQ(refusalFor({1, 4}, test.inputs[1]), "");
    test.expect(MatrixMultiply{});
    test.in(DataType::Float16).expect(MatrixMultiply{}); // which cannot represent the third number
}

/// An engine that was built for one row also runs with more.
TEST(SparseMatmul, takesMoreRowsThanItWasBuiltFor) {
    for (int64_t const k : {40, 41}) {
        SparseCase const one{{1, k}, 24};
        Graph graph;
        Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), k});
        Tensor* const w = graph.emit(Constant(one.weights()), {});
        MatrixMultiply layer;
        layer.epilogue = {{PointwiseOp::Relu}};
        Node const* const node = graph.emit(layer, {x, w}, "fc")->producer();
        for (int64_t const rows : {2, 9, 64, 65, 150}) {
            SparseCase const more{{rows, k}, 24};
            test::expectAtOtherShapes(*node, {{{1, k}, {k, 24}}, {{1, 24}}}, {more.x(), more.weights()});
        }
    }
}

TEST(SparseMatmul, runsInAnEngineThatWasSaved) {
    bool const isOnGpu = test::testedDevice() != Device::Cpu;
    bool const isFast = isOnGpu || cpu::bestIsa() != cpu::Isa::Portable;
    int64_t const k = isOnGpu ? 4096 : 203; // on a GPU it pays if a cache cannot hold the weights
    int64_t const n = isOnGpu ? 4096 : 530;
    for (bool const isAllowed : {true, false}) {
        SparseCase const one{{1, k}, n};
        Graph graph;
        Tensor* const x = graph.addInput("x", DataType::Float32, {1, k});
        graph.markOutput(graph.emit(one.layer(), {x, graph.emit(Constant(one.weights()), {})}, "fc"));
        BuildConfig config;
        config.profiles = {Profile{}};
        config.settings.sparse = isAllowed;
        test::EngineRun run(graph, config);
        EXPECT_EQ(isSparse(*run.engine().plan().nodes.at(0).kernel), isAllowed && isFast);
        test::expectClose(run.run({one.x()})[0], one.expected(), isOnGpu ? 1e-4 : 1e-5, "fc");
    }
}

TEST(SparseMatmul, saysWhyItDoesNotTakeSomething) {
    SparseCase const one{{1, 8}, 4};
    EXPECT_EQ(refusalFor({1, 8}, one.weights(), {}, false), "skips zero weights, which the build does not allow");
    std::vector<float> const dense{1, 0, 2, 0, 3, 0, 0, 0, 4, 5, 0, 6, 8, 7};
    EXPECT_EQ(refusalFor({1, 7}, floats({7, 2}, dense)),
              "requires at most 2 nonzero weights in each 4 rows of a column; column 0 has 3 from row 0 "
              "on");
    EXPECT_EQ(refusalFor({1, 7}, floats({2, 7}, dense), SparseCase{{}, 0, Transpose}.layer()),
              "requires at most 2 nonzero weights in each 4 rows of a column; column 1 has 3 from row 4 "
              "on");
    EXPECT_EQ(refusalFor({2, 1, 4}, floats({2, 4, 1}, {1, 0, 0, 0, 1, 0, 0, 0})), "supports rows times one matrix");
    EXPECT_TRUE(refusalFor({200, 8}, one.weights()).ends_with(" rows, not 200"));
    MatrixMultiply turned;
    turned.a = Transpose;
    EXPECT_EQ(refusalFor({8, 2}, one.weights(), turned), "supports rows times one matrix");
}

/// The engine's sparsity setting is verified when the weights are packed.
TEST(SparseMatmul, packsNoWeightsThatAreNotSparse) {
    SparseCase const one{{1, 8}, 4};
    Variant const variant = offerFor({1, 8}, one.weights(), {}).variants.at(0);
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {1, 8});
    Tensor* const w = graph.emit(Constant(test::spread({8, 4}, 1, 2)), {});
    Node const* const node = graph.emit(MatrixMultiply{}, {x, w}, "fc")->producer();
    for (Kernel const* kernel : test::testedBackend().kernelsFor(MatrixMultiply::kKind)) {
        if (!isSparse(*kernel)) continue;
        std::vector<Dims> const inputs{{1, 8}, {8, 4}};
        std::vector<Dims> const outputs{{1, 4}};
        EXPECT_EQ(test::errorOf([&] {
                      (void)kernel->pack({*node, variant, inputs, outputs, nullptr});
                  }),
                  text("fc (MatrixMultiply): ", kernel->name(),
                       " requires at most 2 nonzero weights in each 4 rows of a column; column 0 has 4 "
                       "from row 0 on; build the engine again"));
    }
}

} // namespace
} // namespace tenon
