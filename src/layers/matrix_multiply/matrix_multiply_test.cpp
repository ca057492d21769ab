// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/error.h"
#include "layers/constant/constant.h"
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

/// Expects the results of ONNX Runtime for the inputs of record_matrix_multiply.py: with B as a constant and as an
/// input.
void expectRecorded(std::string const& name, Dims const& a, Dims const& b, MatrixMultiply const& layer) {
    LayerCase test{.inputs = {spread(a, -1, 1), spread(b, -1, 1)},
                   .expected = {test::recorded("src/layers/matrix_multiply/matrix_multiply_test.txt", name)}};
    test.expect(layer);
    test.constants = 0b10;
    test.expect(layer);
    for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
}

TEST(MatrixMultiply, ofMoreRowsThanTheLibraryCountsIsRefused) { // which divided by their lowest 32 bits: 0
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 4});
    Tensor* w = graph.addInput("w", DataType::Float32, {4, 4});
    Node* node = graph.emit(product(), {x, w}, "fc")->producer();
    constexpr int64_t kRows = int64_t{1} << 33;
    std::vector<Dims> const few[]{{{2, 4}, {4, 4}}, {{2, 4}}};
    std::vector<Dims> const many[]{{{kRows, 4}, {4, 4}}, {{kRows, 4}}};
    for (Kernel const* kernel : backendOf(Device::Cpu).kernelsFor(MatrixMultiply::kKind)) {
        if (kernel->name() != "onednn_matmul") continue;
        EXPECT_EQ(kernel->offer({*node, many[0], many[1]}).refusal, "has no fast implementation for float32");
        auto const variant = kernel->offer({*node, few[0], few[1]}).variants.at(0);
        EXPECT_EQ(test::errorOf([&] {
                      kernel->prepare({*node, variant, many[0], many[1], nullptr});
                  }),
                  "fc (MatrixMultiply): oneDNN has no implementation for [8589934592,4], [4,4]");
    }
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
        {PointwiseOp::Affine, -1, 2, 0}, {PointwiseOp::Sum, 2}, {PointwiseOp::Relu}, {PointwiseOp::Sum, 3}};
    LayerCase{.inputs = {floats({2, 1, 2}, {1, 2, -1, 1}), floats({2, 2}, {1, 0, 0, 1}), floats({2}, {1, -5}),
                         floats({2, 1, 2}, {10, 20, 30, 40})},
              .expected = {floats({2, 1, 2}, {13, 20, 30, 40})},
              .constants = 0b110}
        .expect(layer);
}

/// Each column of B [batch,K,N] has one 2, in row 7 n + batch (modulo K), so that A B is twice a selection of A's
/// columns. B as the operation reads it, and A of these extents [batch,M,K]; B is constant if specified.
struct Picked {
    int64_t batch, m, k, n;
    MatrixOperation operation = None;
    uint32_t constants = 0;

    int64_t row(int64_t matrix, int64_t column) const { return (7 * column + matrix) % k; }

    Literal b() const {
        std::vector<float> values(static_cast<size_t>(batch * k * n), 0);
        for (int64_t i = 0; i < batch * n; ++i) {
            int64_t const matrix = i / n * k * n;
            int64_t const at = operation == Transpose ? i % n * k + row(i / n, i % n) : row(i / n, i % n) * n + i % n;
            values[static_cast<size_t>(matrix + at)] = 2;
        }
        return floats(operation == Transpose ? Dims{batch, n, k} : Dims{batch, k, n}, values);
    }

    /// With these steps' operands after A and B, and finish(Y, n, i) applied to element i of the result, in column n.
    template <class Finish> LayerCase withSteps(std::vector<Literal> const& extras, Finish finish) const {
        Literal const a = spread({batch, m, k}, -1, 1);
        std::vector<float> y;
        for (int64_t i = 0; i < batch * m * n; ++i) {
            int64_t const from = i / n * k + row(i / n / m, i % n);
            y.push_back(finish(2 * a.as<float>()[static_cast<size_t>(from)], i % n, i));
        }
        LayerCase test{.inputs = {a, b()}, .expected = {floats({batch, m, n}, y)}, .constants = constants};
        test.inputs.insert(test.inputs.end(), extras.begin(), extras.end());
        return test;
    }

    void expect() const {
        auto const test = withSteps({}, [](float y, int64_t, int64_t) { return y; });
        test.expect(product(None, operation));
        test.in(DataType::Float16).expect(product(None, operation));
    }
};

TEST(MatrixMultiply, takesFewRows) {
    for (int64_t const rows : {1, 2, 3, 4}) {
        Picked{1, rows, 40, 77, None, 0b10}.expect();
        Picked{1, rows, 72, 300, Transpose}.expect();
        Picked{5, rows, 264, 19, Transpose}.expect();
    }
    Picked{1, 2, 33, 30, Transpose}.expect(); // not whole words
    Picked{2, 3, 16, 21, None}.expect();
}

TEST(MatrixMultiply, takesFewColumns) {
    Picked{1, 90, 48, 1, None, 0b10}.expect();
    Picked{3, 70, 48, 3, Transpose}.expect();
}

TEST(MatrixMultiply, takesManyOfBoth) {
    Picked{1, 130, 96, 140, None, 0b10}.expect();
    Picked{3, 65, 40, 72, Transpose}.expect();
    Picked{2, 33, 17, 29, None}.expect();
}

TEST(MatrixMultiply, finishesProductsOfAnySize) { // act(y / 2 + bias + addend) * scale
    MatrixMultiply layer;
    layer.b = Transpose;
    for (PointwiseOp const activation : {PointwiseOp::Relu, PointwiseOp::GeluTanh, PointwiseOp::Tanh}) {
        layer.epilogue = {{PointwiseOp::Affine, -1, 0.5, 0},
                          {PointwiseOp::Sum, 2},
                          {PointwiseOp::Sum, 3},
                          {activation},
                          {PointwiseOp::Prod, 4}};
        auto const compute = [&](float x) { return tenon::compute({activation, 0}, x); };
        for (int64_t const rows : {1, 3, 50}) {
            Picked const picked{2, rows, 64, 88, Transpose};
            Literal const bias = spread({88}, -1, 1);
            Literal const addend = spread({2, rows, 88}, -2, 2);
            auto const test =
                picked.withSteps({bias, addend, floats({1}, {3})}, [&](float y, int64_t column, int64_t i) {
                    float const sum = y / 2 + bias.as<float>()[static_cast<size_t>(column)];
                    return 3 * compute(sum + addend.as<float>()[static_cast<size_t>(i)]);
                });
            test.expect(layer);
            test.in(DataType::BFloat16).expect(layer);
        }
    }
}

std::string error(MatrixMultiply const& layer, Shape const& a, Shape const& b) {
    return test::inferError(layer, {{DataType::Float32, a}, {DataType::Float32, b}});
}

/// A product with work for several threads.
struct LargeProduct {
    Dims a;
    Dims b;
    bool isConstant = true;
    MatrixOperation second = MatrixOperation::None;
    Dims operand = {}; // of a last step that adds it

    void expect() const {
        Graph graph;
        MatrixMultiply layer = product(MatrixOperation::None, second);
        layer.epilogue = {{PointwiseOp::GeluErf}};
        Literal const weights = test::spread(b, -0.1F, 0.1F);
        std::vector<Tensor*> in{graph.addInput("a", DataType::Float32, toShape(a)),
                                isConstant ? graph.emit(Constant(weights), {})
                                           : graph.addInput("b", DataType::Float32, toShape(b))};
        std::vector<Literal> values{test::spread(a, -1, 1), weights};
        if (operand.rank() != 0) {
            in.push_back(graph.addInput("operand", DataType::Float32, toShape(operand)));
            values.push_back(test::spread(operand, -2, 2));
            layer.epilogue = {{PointwiseOp::Sum, MatrixMultiply::kFirstExtra}, {PointwiseOp::GeluErf}};
        }
        test::expectAlikeOnAnyThreads(*graph.add(layer.clone(), in, "node"), values);
    }
};

TEST(MatrixMultiply, isTheSameOnAnyThreads) {
    using enum MatrixOperation;
    LargeProduct{{200, 64}, {64, 300}}.expect();                         // columns
    LargeProduct{{200, 64}, {64, 300}, true, None, {300}}.expect();      // each with a value
    LargeProduct{{200, 64}, {64, 300}, true, None, {200, 300}}.expect(); // operands are split by rows
    LargeProduct{{300, 64}, {64, 200}, true, None, {300, 200}}.expect(); // rows
    LargeProduct{{300, 64}, {200, 64}, true, Transpose}.expect();
    LargeProduct{{1, 1024}, {1024, 3000}, true, None, {1, 3000}}.expect();     // one row
    LargeProduct{{2, 150, 64}, {64, 300}, true, None, {2, 150, 300}}.expect(); // rows of several matrices
    LargeProduct{{300, 64}, {64, 200}, false}.expect();
    LargeProduct{{200, 64}, {64, 300}, false}.expect();
    LargeProduct{{6, 64, 64}, {6, 64, 100}, false}.expect(); // a stack
    LargeProduct{{1, 6, 64, 64}, {1, 6, 100, 64}, false, Transpose, {1, 1, 1, 100}}.expect();
    LargeProduct{{3, 2, 64, 64}, {3, 1, 64, 100}, false, None, {1, 2, 64, 100}}.expect();
}

TEST(MatrixMultiply, refusesShapesThatDoNotMatch) {
    EXPECT_EQ(
        error(product(), {2, 3}, {4, 5}),
        "node (MatrixMultiply): input 0 [2,3] has 3 columns and input 1 [4,5] has 4 rows; expected the same number");
    EXPECT_EQ(error(product(Transpose), {3, 2}, {4, 5}),
              "node (MatrixMultiply): input 0 [3,2] has 3 columns and input 1 "
              "[4,5] has 4 rows after the operations on them; expected the same number");
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
