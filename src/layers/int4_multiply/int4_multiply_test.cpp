// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/int4_multiply/int4_multiply.h"

#include "layers/constant/constant.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/shuffle/shuffle.h"
#include "passes/keep_int4.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::LayerCase;

/// 4-bit integers with scales and zero points for blocks along K, and the product by the formula y[m][n] = Σ a[m][k]
/// (w[k][n] - zero) scale.
struct Int4Case {
    Dims a;
    int64_t n;
    int64_t block; // of K; 0: one scale for each column
    bool transposed = false;
    bool hasZeros = false;

    int64_t k() const { return a[a.rank() - 1]; }
    int64_t blocks() const { return block == 0 ? 1 : (k() + block - 1) / block; }
    static int integer(int64_t i) { return static_cast<int>(i * 7 % 16) - 8; }
    static int zeroOf(int64_t i) { return static_cast<int>(i * 5 % 7) - 3; }
    static float scaleOf(int64_t i) { return static_cast<float>(1 + i % 3) / 4; }

    static Literal packed(Dims const& dims, int (*value)(int64_t)) {
        std::vector<uint8_t> bytes(static_cast<size_t>((dims.volume() + 1) / 2), 0);
        for (int64_t i = 0; i < dims.volume(); ++i)
            bytes[static_cast<size_t>(i / 2)] |= static_cast<uint8_t>((value(i) & 15) << (i % 2 * 4));
        return Literal::copyOf(DataType::Int4, dims, bytes.data());
    }

    Dims turned(int64_t rows, int64_t columns) const { return transposed ? Dims{columns, rows} : Dims{rows, columns}; }
    int64_t at(int64_t row, int64_t column, int64_t rows) const {
        return transposed ? column * rows + row : row * n + column;
    }

    std::vector<float> expected(std::span<float const> x) const {
        std::vector<float> y;
        for (int64_t m = 0; m < a.volume() / k(); ++m) {
            for (int64_t column = 0; column < n; ++column) {
                double sum = 0;
                for (int64_t row = 0; row < k(); ++row) {
                    int64_t const place = at(block == 0 ? 0 : row / block, column, blocks());
                    int const w = integer(at(row, column, k())) - (hasZeros ? zeroOf(place) : 0);
                    sum += static_cast<double>(x[static_cast<size_t>(m * k() + row)]) * w *
                           static_cast<double>(scaleOf(place));
                }
                y.push_back(static_cast<float>(sum));
            }
        }
        return y;
    }

    void expect() const {
        Int4Multiply layer;
        layer.transposed = transposed;
        Dims const blockDims = turned(block == 0 ? k() : block, 1);
        layer.blocks.assign(blockDims.begin(), blockDims.end());
        Dims const scaleDims = turned(blocks(), n);
        std::vector<float> scales;
        for (int64_t i = 0; i < scaleDims.volume(); ++i) scales.push_back(scaleOf(i));
        std::vector<float> values; // multiples of 1/64, which all floating point types represent
        for (int64_t i = 0; i < a.volume(); ++i) values.push_back(static_cast<float>(i * 37 % 129 - 64) / 64);
        Literal const x = floats(a, values);
        Dims y = a;
        y[y.rank() - 1] = n;
        LayerCase all{.inputs = {x, packed(turned(k(), n), integer), floats(scaleDims, scales)},
                      .expected = {floats(y, expected(x.as<float>()))},
                      .tolerance = 1e-4,
                      .constants = 0b1110};
        if (hasZeros) all.inputs.push_back(packed(scaleDims, zeroOf));
        all.expect(layer);
    }
};

TEST(Int4Multiply, multipliesByBlocksOfWeights) { Int4Case{{3, 64}, 40, 16}.expect(); }
TEST(Int4Multiply, takesZeroPoints) { Int4Case{{5, 64}, 33, 32, false, true}.expect(); }
TEST(Int4Multiply, takesTransposedWeights) { Int4Case{{2, 9, 96}, 70, 32, true, true}.expect(); }
TEST(Int4Multiply, ofOneRow) { Int4Case{{1, 128}, 64, 32}.expect(); }
TEST(Int4Multiply, theLastBlockMayBeShorter) { Int4Case{{2, 50}, 18, 16, true}.expect(); }

/// Few rows and many rows use different algorithms; many are cut at 240.
TEST(Int4Multiply, ofAnyNumberOfRows) {
    for (int64_t const rows : {1, 7, 8, 9, 16, 17, 64, 65, 241}) {
        SCOPED_TRACE(rows);
        Int4Case{{rows, 48}, 20, 0}.expect();
    }
}

/// Weights are read 8 rows at a time, multiplied 32 at a time and unpacked 256 at a time, each within one block.
TEST(Int4Multiply, ofBlocksOfAnySize) {
    for (int64_t const rows : {2, 19}) {
        for (int64_t const block : {2, 3, 8, 9, 31, 32, 33, 64, 100, 0}) {
            SCOPED_TRACE(text(rows, " rows, blocks of ", block));
            Int4Case{{rows, 301}, 3, block, true}.expect();
            Int4Case{{rows, 301}, 35, block, true, true}.expect();
        }
    }
}

TEST(Int4Multiply, ofAnyNumberOfColumns) {
    for (int64_t const rows : {1, 18}) {
        for (int64_t const columns : {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129}) {
            SCOPED_TRACE(text(rows, " rows, ", columns, " columns"));
            Int4Case{{rows, 40}, columns, 32, true, true}.expect();
        }
    }
}

/// Includes numbers whose exponents the integer algorithm does not support.
TEST(Int4Multiply, ofNumbersOfAnySize) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    for (float const size : {0.0F, 1e-42F, 1e-30F, 1e-12F, 1e12F, 1e30F, kInf}) {
        SCOPED_TRACE(size);
        Int4Multiply layer;
        layer.blocks = {32, 1};
        std::vector<float> x(40, 0.5F);
        x[3] = size;
        // all weights are -8 except that of row 3, which is 7
        std::vector<uint8_t> w(20, 0x88);
        w[1] = 0x78;
        double const sum = 39 * 0.5 * -8 + double{size} * 7;
        LayerCase{.inputs = {floats({1, 40}, x), Literal::copyOf(DataType::Int4, {40, 1}, w.data()),
                             floats({2, 1}, {0.25F, 0.25F})},
                  .expected = {floats({1, 1}, {static_cast<float>(sum / 4)})},
                  .tolerance = 1e-6,
                  .constants = 0b110,
                  .types = {DataType::Float32}} // the maximum of float16 is 65504
            .expect(layer);
    }
}

TEST(Int4Multiply, isWhatAProductOfDequantizedConstantsBecomes) {
    for (bool const transposed : {false, true}) {
        Graph graph;
        Tensor* const x = graph.addInput("x", DataType::Float32, {3, 4});
        Dims const dims = transposed ? Dims{2, 4} : Dims{4, 2};
        Tensor* w = graph.emit(Constant(Int4Case::packed(dims, Int4Case::integer)), {});
        w = graph.emit(Dequantize{}, {w, graph.emit(Constant(Literal::scalar(0.5F)), {})});
        if (transposed) w = graph.emit(Shuffle::transposing({1, 0}), {w});
        graph.markOutput(graph.emit(MatrixMultiply{}, {x, w}));
        keepInt4(graph);
        auto const* layer = as<Int4Multiply>(*graph.outputs()[0]->producer()->layer);
        ASSERT_NE(layer, nullptr) << print(graph);
        EXPECT_EQ(layer->transposed, transposed);
    }
}

TEST(Int4Multiply, saysWhatDoesNotFit) {
    constexpr DataType kFloat = DataType::Float32;
    EXPECT_EQ(inferError(Int4Multiply{}, {{kFloat, {3, 4}}, {DataType::Int8, {4, 2}}, {kFloat, {}}}),
              "node (Int4Multiply): input 1, the weights, is int8; expected int4");
    EXPECT_EQ(
        inferError(Int4Multiply{}, {{kFloat, {3, 4}}, {DataType::Int4, {5, 2}}, {kFloat, {}}}),
        "node (Int4Multiply): input 0 [3,4] has 4 columns and input 1 [5,2] has 5 rows; expected the same number");
}

} // namespace
} // namespace tenon
