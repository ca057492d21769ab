// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "support/layer_case.h"
#include "support/recorded.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;
using test::spread;
using enum MatrixOperation;

MatrixMultiply product(MatrixOperation a = None, MatrixOperation b = None) {
    MatrixMultiply layer;
    layer.a = a;
    layer.b = b;
    return layer;
}

/// What record_matrix_multiply.py fed to ONNX Runtime, and what it computed: with B constant and with B fed.
void expectRecorded(std::string const& name, Dims const& a, Dims const& b, MatrixMultiply const& layer) {
    LayerCase test{.inputs = {spread(a, -1, 1), spread(b, -1, 1)},
                   .expected = {test::recorded("src/layers/matrix_multiply/matrix_multiply_test.txt", name)}};
    test.expect(layer);
    test.constants = 0b10;
    test.expect(layer);
    for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
}

TEST(MatrixMultiply, multipliesMatrices) { expectRecorded("matrices", {5, 18}, {18, 20}, product()); }

TEST(MatrixMultiply, multipliesManyByOne) { expectRecorded("rows", {2, 3, 4, 5}, {5, 6}, product()); }

TEST(MatrixMultiply, broadcastsStacksOfMatrices) {
    expectRecorded("stacks", {2, 3, 4, 5}, {3, 5, 2}, product());
    expectRecorded("broadcast", {3, 1, 2, 4}, {5, 4, 3}, product());
    expectRecorded("oneTimesMany", {4, 3}, {2, 3, 5}, product());
}

TEST(MatrixMultiply, takesVectors) {
    expectRecorded("vectorLeft", {4}, {2, 4, 3}, product(Vector, None));
    expectRecorded("vectorRight", {2, 3, 4}, {4}, product(None, Vector));
    expectRecorded("dot", {6}, {6}, product(Vector, Vector));
}

TEST(MatrixMultiply, takesStacksOfVectors) { // numpy: np.einsum('bk,bkn->bn', a, b)
    LayerCase{.inputs = {floats({2, 2}, {1, 2, 3, 4}), floats({2, 2, 2}, {1, 0, 0, 1, 1, 1, 2, 2})},
              .expected = {floats({2, 2}, {1, 2, 11, 11})}}
        .expect(product(Vector, None));
}

TEST(MatrixMultiply, transposes) { expectRecorded("transposed", {6, 4}, {5, 6}, product(Transpose, Transpose)); }

TEST(MatrixMultiply, multipliesIntegersThatWrapAround) { // numpy
    LayerCase{.inputs = {ints({2, 2}, {1, 2, 3, INT64_MAX}), ints({2, 2}, {5, 6, 7, 8})},
              .expected = {ints({2, 2}, {19, 22, INT64_MIN + 8, 10})}}
        .expect(product());
    LayerCase{.inputs = {Literal::of<int32_t>({1, 2}, {3, -4}), Literal::of<int32_t>({2, 1}, {10, 2})},
              .expected = {Literal::of<int32_t>({1, 1}, {22})}}
        .expect(product());
}

TEST(MatrixMultiply, ofNoColumnsIsZero) {
    LayerCase{.inputs = {floats({2, 0}, {}), floats({0, 2}, {})}, .expected = {floats({2, 2}, {0, 0, 0, 0})}}.expect(
        product());
}

TEST(MatrixMultiply, finishesWithItsEpilogue) { // relu(2 * a b + bias), then plus a tensor of the result's shape
    MatrixMultiply layer;
    layer.epilogue = {
        {PointwiseOp::Affine, 0, -1, 2, 0}, {PointwiseOp::Sum, 3, 1}, {PointwiseOp::Relu, 4}, {PointwiseOp::Sum, 5, 2}};
    LayerCase{.inputs = {floats({2, 1, 2}, {1, 2, -1, 1}), floats({2, 2}, {1, 0, 0, 1}), floats({2}, {1, -5}),
                         floats({2, 1, 2}, {10, 20, 30, 40})},
              .expected = {floats({2, 1, 2}, {13, 20, 30, 40})},
              .constants = 0b110}
        .expect(layer);
}

std::string error(MatrixMultiply const& layer, Shape const& a, Shape const& b) {
    return test::inferError(layer, {{DataType::Float32, a}, {DataType::Float32, b}});
}

TEST(MatrixMultiply, refusesShapesThatDoNotMatch) {
    EXPECT_EQ(error(product(), {2, 3}, {4, 5}),
              "node (MatrixMultiply): input 0 [2,3] has 3 columns and input 1 [4,5] has 4 rows; they must be as many");
    EXPECT_EQ(error(product(Transpose), {3, 2}, {4, 5}),
              "node (MatrixMultiply): input 0 [3,2] has 3 columns and input 1 "
              "[4,5] has 4 rows as they are read; they must be as many");
    EXPECT_EQ(error(product(), {2, 4, 3}, {5, 3, 2}),
              "node (MatrixMultiply): shapes [2] and [5] do not broadcast: 2 against 5");
    EXPECT_EQ(error(product(), {3}, {3, 2}),
              "node (MatrixMultiply): input 0 has shape [3], of rank 1; expected rank 2 to 8");
}

TEST(MatrixMultiply, refusesBooleans) {
    EXPECT_EQ(
        test::inferError(product(), {{DataType::Bool, {2, 2}}, {DataType::Bool, {2, 2}}}),
        "node (MatrixMultiply): input 0 is bool; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
}

} // namespace
} // namespace tenon
