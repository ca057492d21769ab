// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise.h"

#include "backends/kernel.h"
#include "base/text.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <algorithm>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using enum PointwiseOp;

Pointwise chain(std::vector<PointwiseStep> steps) {
    Pointwise layer;
    layer.steps = std::move(steps);
    return layer;
}

// x * clip(x + 3, 0, 6) / 6, hard-swish as written in PP-OCR's models
TEST(Pointwise, computesAChain) {
    LayerCase{.inputs = {floats({2, 3}, {-4, -2, -1, 0, 1, 4})},
              .expected = {floats({2, 3}, {0, -1 / 3.F, -1 / 3.F, 0, 2 / 3.F, 4})}}
        .expect(chain({{Affine, 0, -1, 1, 3}, {Clip, 1, -1, 0, 6}, {Prod, 0, 2}, {Affine, 3, -1, 1 / 6.}}));
}

TEST(Pointwise, readsAResultTwice) { // (x + y)^2
    LayerCase{.inputs = {floats({3}, {1, 2, 3}), floats({3}, {1, -1, 0.5F})}, .expected = {floats({3}, {4, 1, 12.25F})}}
        .expect(chain({{Sum, 0, 1}, {Prod, 2, 2}}));
}

TEST(Pointwise, broadcastsItsInputs) { // numpy: x * scale[:, :, None] + row
    LayerCase{.inputs = {floats({1, 2, 2}, {1, 2, 3, 4}), floats({1, 2, 1}, {10, 100}), floats({2}, {0.5F, 0.25F})},
              .expected = {floats({1, 2, 2}, {10.5F, 20.25F, 300.5F, 400.25F})}}
        .expect(chain({{Prod, 0, 1}, {Sum, 3, 2}}));
}

/// Elements of `tensor` as if it had the shape `dims`, numpy's rule for four axes.
float at(Literal const& tensor, Dims const& index) {
    Dims const strides = rowMajorStrides(tensor.dims());
    int64_t offset = 0;
    for (int axis = 0; axis < 4; ++axis) offset += tensor.dims()[axis] == 1 ? 0 : index[axis] * strides[axis];
    return tensor.as<float>()[static_cast<size_t>(offset)];
}

/// relu(x * a + b) on many tiles, with channels that do not fill a block.
void expectMulAdd(Dims const& dims, Dims const& aDims, Dims const& bDims) {
    SCOPED_TRACE(text(dims, ' ', aDims, ' ', bDims));
    Literal const x = test::spread(dims, -2, 2);
    Literal const a = test::spread(aDims, 0.5F, 1.5F);
    Literal const b = test::spread(bDims, -1, 1);
    std::vector<float> expected;
    Dims index = Dims::filled(4, 0);
    for (int64_t i = 0; i < dims.volume(); ++i, nextIndex(index, dims))
        expected.push_back(std::max(0.0F, at(x, index) * at(a, index) + at(b, index)));
    LayerCase{.inputs = {x, a, b}, .expected = {floats(dims, expected)}, .tolerance = 1e-6}.expect(
        chain({{Prod, 0, 1}, {Sum, 3, 2}, {Relu, 4}}));
}

TEST(Pointwise, broadcastsChannelsRowsAndSingleNumbersInAllFormats) {
    Dims const dims = {2, 19, 13, 17};
    expectMulAdd(dims, {1, 19, 1, 1}, {1, 1, 1, 1});
    expectMulAdd(dims, {2, 19, 1, 1}, dims);
    expectMulAdd(dims, {1, 1, 13, 17}, {2, 1, 1, 1});
    expectMulAdd(dims, {1, 19, 1, 17}, {1, 1, 13, 1});
    expectMulAdd({1, 32, 60, 40}, {1, 32, 1, 1}, {1, 32, 60, 40});
    expectMulAdd({3, 1, 7, 1500}, {1, 1, 1, 1500}, {3, 1, 1, 1});
    expectMulAdd({1, 2100, 1, 1}, {1, 2100, 1, 1}, {1, 1, 1, 1});
    expectMulAdd({2, 24, 14, 14}, {1, 24, 1, 1}, {2, 24, 14, 1}); // rows of 14 and 196: packs of 2 and 4, not of 8
    expectMulAdd({2, 24, 16, 64}, {1, 24, 1, 1}, {1, 1, 16, 64}); // packs of 8, in many blocks of threads
    expectMulAdd({2, 20, 16, 8}, {2, 20, 16, 8}, {1, 20, 1, 1});  // 4 of 24 channels are padding
}

/// The number of nonzero elements after a kernel has computed exp(0) = 1 in place, in zeroed memory.
size_t nonZerosOfExp(Kernel const& kernel, Variant const& variant, Node const& node, Dims const& dims) {
    Backend const& backend = test::testedBackend();
    std::vector<float> memory(static_cast<size_t>(paddedVolume(dims, variant.outputs[0].format)), 0);
    auto const onDevice = backend.allocate(memory.size() * sizeof(float));
    backend.copy(onDevice.get(), memory.data(), memory.size() * sizeof(float), nullptr);
    PrepareArgs args{node, variant, {&dims, 1}, {&dims, 1}, nullptr};
    if (variant.isPacked()) args.packed = std::make_shared<Packed>(kernel.pack(args));
    auto const executable = kernel.prepare(args);
    void* const pointer = onDevice.get();
    executable->run({&pointer, &pointer});
    backend.copy(memory.data(), pointer, memory.size() * sizeof(float), nullptr);
    backend.synchronize(nullptr);
    return memory.size() - static_cast<size_t>(std::ranges::count(memory, 0.0F));
}

TEST(Pointwise, keepsThePaddingOfBlocksZero) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 3, 2, 1});
    Node* node = graph.add(std::make_unique<Pointwise>(chain({{Exp}})), {x}, "node");
    Dims const dims = {1, 3, 2, 1};
    int blocked = 0;
    for (Kernel const* kernel : test::testedBackend().kernelsFor(Pointwise::kKind)) {
        for (Variant const& variant : kernel->offer({*node, {dims}, {dims}}).variants) {
            if (variant.outputs[0].format.block == 1) continue;
            EXPECT_EQ(nonZerosOfExp(*kernel, variant, *node, dims), 6U) << kernel->name();
            ++blocked;
        }
    }
    EXPECT_GT(blocked, 0);
}

TEST(Pointwise, ofMoreResultsThanTilesIsLeftToTheReference) {
    std::vector<PointwiseStep> steps;
    for (int64_t i = 0; i < 30; ++i) steps.push_back({Affine, 0, -1, static_cast<double>(i), 0});
    for (int64_t i = 0; i < 29; ++i) steps.push_back({Sum, i == 0 ? 1 : 30 + i, i + 2});
    LayerCase{.inputs = {floats({2}, {1, 2})}, .expected = {floats({2}, {435, 870})}}.expect(
        chain(steps)); // 0 + … + 29
}

TEST(Pointwise, takesManyInputs) { // more than the limit of kernel parameters
    for (int64_t count : {16, 17}) {
        std::vector<PointwiseStep> steps;
        for (int64_t i = 1; i < count; ++i) steps.push_back({Sum, i == 1 ? 0 : count + i - 2, i});
        LayerCase sum{.inputs = std::vector<Literal>(static_cast<size_t>(count), floats({2}, {1, 2})), .expected = {}};
        sum.expected = {floats({2}, {static_cast<float>(count), 2 * static_cast<float>(count)})};
        sum.expect(chain(steps));
    }
}

TEST(Pointwise, ofNoElementsIsEmpty) {
    LayerCase{.inputs = {floats({2, 0}, {})}, .expected = {floats({2, 0}, {})}}.expect(chain({{Exp}}));
}

// An operand with one element at the optimum may have more at run time: it is stored as if it had.
TEST(Pointwise, readsOperandsThatHaveOneElementAtTheOptimumOnly) {
    Graph graph;
    DimExpr const n = DimExpr::symbol("n");
    Tensor* x = graph.addInput("x", DataType::Float32, {n, 5, 2, 3});
    Tensor* g = graph.addInput("g", DataType::Float32, {n, 1, 1, 1});
    Node const* node = graph.add(chain({{Prod, 0, 1}, {Relu, 2}}).clone(), {x, g}, "node");
    test::expectAtOtherShapes(*node, {{{1, 5, 2, 3}, {1, 1, 1, 1}}, {{1, 5, 2, 3}}},
                              {test::spread({2, 5, 2, 3}, -1, 2), floats({2, 1, 1, 1}, {2, 3})});
}

TEST(Pointwise, refusesOperandsThatAreNotThere) {
    EXPECT_EQ(test::inferError(chain({{Relu}, {Sum, 0, 2}}), {{DataType::Float32, {2}}}),
              "node (Pointwise): step 1 (Sum) has operands 0 and 2; expected two from 0 to 1");
    EXPECT_EQ(test::inferError(chain({{Relu, 0, 0}}), {{DataType::Float32, {2}}}),
              "node (Pointwise): step 0 (Relu) has operands 0 and 0; expected one from 0 to 0 and -1");
}

TEST(Pointwise, refusesBooleansIntegersAndMixedTypes) {
    EXPECT_EQ(test::inferError(chain({{IsNan}}), {{DataType::Float32, {2}}}),
              "node (Pointwise): step 0 is IsNan, which does not give a number");
    EXPECT_EQ(test::inferError(chain({{Abs}}), {{DataType::Int64, {2}}}),
              "node (Pointwise): input 0 is int64; expected float32, float16 or bfloat16");
    EXPECT_EQ(test::inferError(chain({{Sum, 0, 1}}), {{DataType::Float32, {2}}, {DataType::Float16, {2}}}),
              "node (Pointwise): input 0 is float32 and input 1 is float16; expected one type (add a cast)");
}

TEST(Pointwise, refusesShapesThatDoNotBroadcast) {
    EXPECT_EQ(test::inferError(chain({{Sum, 0, 1}}), {{DataType::Float32, {2}}, {DataType::Float32, {3}}}),
              "node (Pointwise): shapes [2] and [3] do not broadcast: 2 against 3");
}

TEST(Pointwise, isNotWithoutSteps) {
    EXPECT_EQ(test::inferError(chain({}), {{DataType::Float32, {2}}}),
              "node (Pointwise): has no steps; expected at least one");
}

} // namespace
} // namespace tenon
