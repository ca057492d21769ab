// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers whose tensors may be kept as integers with a zero point, in every variant of every kernel of the device. All
// scales are powers of two, zero points even and sums small, so that all is exact in float32, and a kernel's result is
// the layer's definition applied to the dequantized values, rounded once.

#include "backends/cpu/isa.h"
#include "backends/empty_tensors.h"
#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pointwise/pointwise.h"
#include "layers/pooling/pooling.h"
#include "layers/quantized_constant/quantized_constant.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <gtest/gtest.h>
#include <random>

namespace tenon {
namespace {

constexpr float kFine = 1.0F / 128;

Quantum int8(int32_t zero, float scale = kFine) { return {scale, zero, DataType::Int8, true}; }
Quantum uint8(int32_t zero, float scale = kFine) { return {scale, zero, DataType::UInt8, true}; }

/// A node whose float32 tensors are kept as integers, and its inputs.
class KeptNode {
public:
    Tensor* kept(Dims const& dims, Quantum const& quantum) {
        int32_t const least = quantum.type == DataType::Int8 ? -128 : 0;
        std::vector<float> values;
        for (int64_t i = 0; i < dims.volume(); ++i)
            values.push_back(quantum.scale * static_cast<float>(integer(least, least + 255) - quantum.zero));
        Tensor* const x = feed(dims, Literal::of(dims, values),
                               graph_.addInput(text("x", inputs_.size()), DataType::Float32, toShape(dims)));
        x->quantum = quantum;
        return x;
    }

    Tensor* numbers(Dims const& dims) { // multiples of 1/1024
        std::vector<float> values;
        for (int64_t i = 0; i < dims.volume(); ++i) values.push_back(static_cast<float>(integer(-512, 511)) / 1024);
        Literal const literal = Literal::of(dims, values);
        return feed(dims, literal, graph_.emit(Constant(literal), {}));
    }

    Tensor* absent() { return feed({}, {}, nullptr); }

    /// Integers up to 15 with a scale for each index of `axis`.
    Tensor* weights(Dims const& dims, int axis) {
        std::vector<float> scales;
        for (int64_t i = 0; i < dims[axis]; ++i) scales.push_back(kFine / static_cast<float>(1 << i % 3));
        std::vector<float> values;
        int64_t const inner = dims.volume(axis + 1, dims.rank());
        for (int64_t i = 0; i < dims.volume(); ++i)
            values.push_back(static_cast<float>(integer(-15, 15)) *
                             scales[static_cast<size_t>(i / inner % dims[axis])]);
        QuantizedConstant constant;
        constant.value = Literal::of(dims, values);
        constant.scales = Literal::of({dims[axis]}, scales);
        constant.axis = axis;
        return feed(dims, constant.value, graph_.emit(constant, {}));
    }

    /// Expects the reference's results from every kernel; returns the names of those that read integers in input 0 and
    /// write integers: "onednn_int8_convolution".
    std::string expect(Layer const& layer, std::vector<Tensor*> const& inputs, Quantum const& y) {
        Node* const node = graph_.add(layer.clone(), inputs, "node");
        node->output()->quantum = y;
        NodeDims const dims{dims_, {toDims(node->output()->shape)}};
        test::expectAtOtherShapes(*node, dims, inputs_);
        std::string names;
        for (Kernel const* kernel : test::testedBackend().kernelsFor(node->kind())) {
            for (Variant const& variant : offerOf(*kernel, {*node, dims.inputs, dims.outputs}).variants) {
                bool const isWhole = variant.inputs[0].scale != 0 && variant.outputs[0].scale != 0;
                if (!isWhole || names.ends_with(kernel->name())) continue;
                names += text(names.empty() ? "" : " ", kernel->name());
            }
        }
        return names;
    }

private:
    int32_t integer(int32_t least, int32_t most) {
        return least + static_cast<int32_t>(random_() % static_cast<uint32_t>(most - least + 1));
    }
    Tensor* feed(Dims const& dims, Literal const& literal, Tensor* tensor) {
        dims_.push_back(dims);
        inputs_.push_back(literal);
        return tensor;
    }

    std::mt19937 random_;
    Graph graph_;
    std::vector<Literal> inputs_;
    std::vector<Dims> dims_;
};

bool isOnCpu() { return test::testedDevice() == Device::Cpu; }

/// \param channels of a group of X
std::string convolutionKernel(int64_t channels = 32) {
    if (!isOnCpu()) return "cudnn_int8_convolution";
    if (cpu::multipliesQuads() && channels % 4 == 0) return "direct_int8_convolution";
    return cpu::multipliesInt8() ? "onednn_int8_convolution" : "";
}

std::string matmulKernel() {
    if (!isOnCpu()) return "cublaslt_int8_matmul";
    return cpu::multipliesInt8() ? "onednn_int8_matmul" : "";
}

struct ConvolutionCase {
    Dims x;
    int64_t outputs;
    int64_t window = 3;
    int64_t stride = 1;
    int64_t pre = 1;
    int64_t post = 1;
    int64_t groups = 1;
};

std::string expectConvolution(ConvolutionCase const& the, Quantum const& x, Quantum const& y) {
    Convolution layer;
    layer.window.stride = {the.stride, the.stride};
    layer.window.prePadding = {the.pre, the.pre};
    layer.window.postPadding = {the.post, the.post};
    layer.groups = the.groups;
    KeptNode node;
    return node.expect(layer,
                       {node.kept(the.x, x),
                        node.weights({the.outputs, the.x[1] / the.groups, the.window, the.window}, 0),
                        node.numbers({the.outputs})},
                       y);
}

TEST(ZeroPoints, ofConvolutions) {
    Quantum const y = uint8(118, 1.0F / 32);
    for (Quantum const& x : {uint8(0), uint8(128), uint8(52), uint8(254), int8(0), int8(-8), int8(127)}) {
        SCOPED_TRACE(text(x.type, " with zero point ", x.zero));
        EXPECT_EQ(expectConvolution({{2, 32, 9, 11}, 48}, x, y), convolutionKernel());
    }
    EXPECT_EQ(expectConvolution({{2, 32, 9, 11}, 48}, uint8(52), int8(-6, 1.0F / 32)), convolutionKernel());
}

TEST(ZeroPoints, ofConvolutionsWithStridesAndPaddingOfAllKinds) {
    Quantum const x = uint8(52);
    Quantum const y = int8(4, 1.0F / 32);
    EXPECT_EQ(expectConvolution({{2, 64, 8, 8}, 32, 1, 1, 0, 0}, x, y), convolutionKernel());
    EXPECT_EQ(expectConvolution({{1, 16, 15, 15}, 64, 5, 2, 2, 2}, x, y), convolutionKernel());
    EXPECT_EQ(expectConvolution({{1, 16, 15, 14}, 32, 3, 2, 0, 1}, x, y), convolutionKernel());
    EXPECT_EQ(expectConvolution({{1, 16, 15, 14}, 32, 3, 2, 0, 1}, int8(0), y), convolutionKernel());
}

TEST(ZeroPoints, ofConvolutionsWhoseChannelsArePadded) {
    EXPECT_EQ(expectConvolution({{1, 20, 7, 6}, 37}, uint8(52), uint8(8, 1.0F / 32)), convolutionKernel());
    EXPECT_EQ(expectConvolution({{2, 3, 16, 17}, 24, 7, 2, 3, 3}, uint8(114), uint8(0, 1.0F / 64)),
              convolutionKernel(3));
    EXPECT_EQ(expectConvolution({{1, 1, 9, 9}, 8}, int8(-128), int8(-128, 1.0F / 64)), convolutionKernel(1));
}

TEST(ZeroPoints, ofConvolutionsOfManyChannels) { // weights in several pieces; few and many positions
    for (Quantum const& x : {uint8(52), int8(-8)}) {
        EXPECT_EQ(expectConvolution({{1, 600, 5, 5}, 72}, x, int8(4, 1.0F / 32)), convolutionKernel());
        EXPECT_EQ(expectConvolution({{1, 600, 11, 12}, 72}, x, uint8(99, 1.0F / 32)), convolutionKernel());
        EXPECT_EQ(expectConvolution({{1, 64, 11, 12}, 96, 3, 1, 1, 1, 2}, x, int8(4, 1.0F / 32)), convolutionKernel());
    }
}

TEST(ZeroPoints, ofConvolutionsAlongOneAxis) {
    Convolution layer;
    layer.window.prePadding = layer.window.postPadding = {1};
    KeptNode node;
    EXPECT_EQ(node.expect(layer, {node.kept({2, 16, 21}, uint8(52)), node.weights({24, 16, 3}, 0), node.absent()},
                          uint8(130, 1.0F / 64)),
              convolutionKernel());
}

TEST(ZeroPoints, ofConvolutionsInGroups) {
    std::string const kernel = isOnCpu() ? convolutionKernel(1) : "cuda_grouped_int8_convolution";
    Quantum const y = uint8(118, 1.0F / 128);
    for (Quantum const& x : {uint8(0), uint8(52), int8(0), int8(-8)}) {
        SCOPED_TRACE(text(x.type, " with zero point ", x.zero));
        for (int64_t const channels : {32, 20}) {
            for (ConvolutionCase const& each : {ConvolutionCase{{2, channels, 9, 11}, channels, 3, 1, 1, 1, channels},
                                                {{1, channels, 9, 11}, channels, 5, 2, 2, 1, channels},
                                                {{1, channels, 4, 5}, channels, 2, 1, 0, 0, channels}}) {
                std::string const found = expectConvolution(each, x, y);
                if (isOnCpu() && channels % 8 != 0) continue; // not all processors have a kernel
                EXPECT_EQ(found, kernel);
            }
        }
        EXPECT_EQ(expectConvolution({{2, 32, 9, 11}, 48, 3, 1, 1, 1, 4}, x, y), kernel);
        EXPECT_EQ(expectConvolution({{1, 20, 6, 5}, 20, 3, 2, 1, 1, 5}, x, y), kernel);
    }
}

TEST(ZeroPoints, ofWhatFollowsConvolutionsInGroups) {
    for (int64_t const channels : {32, 20}) {
        Convolution layer;
        layer.groups = channels;
        layer.window.prePadding = layer.window.postPadding = {1, 1};
        layer.epilogue = {{PointwiseOp::Clip, -1, 0, 0.5}, {PointwiseOp::Sum, Convolution::kFirstExtra}};
        KeptNode node;
        Dims const dims{2, channels, 6, 7};
        Tensor* const x = node.kept(dims, uint8(52));
        Tensor* const w = node.weights({channels, 1, 3, 3}, 0);
        auto const names =
            node.expect(layer, {x, w, node.absent(), node.kept(dims, uint8(90, 1.0F / 64))}, uint8(6, 1.0F / 64));
        if (test::testedDevice() != Device::Cpu) {
            EXPECT_NE(names, ""); // which processors have a kernel for it differs
        }
    }
}

TEST(ZeroPoints, beforeStepsThatOnlyASweepComputes) { // after the convolution, on dequantized numbers
    Convolution layer;
    layer.epilogue = {{PointwiseOp::Clip, -1, -0.25, 0.5}};
    KeptNode node;
    Tensor* const x = node.kept({1, 20, 6, 5}, uint8(52));
    EXPECT_EQ(node.expect(layer, {x, node.weights({24, 20, 1, 1}, 0), node.absent()}, uint8(90, 1.0F / 128)),
              isOnCpu() ? convolutionKernel() : "");
}

TEST(ZeroPoints, beforeStepsByChannel) { // also if panels of channels begin later
    if (!isOnCpu()) GTEST_SKIP() << "kernels of a GPU take no such steps";
    for (int64_t const outputs : {24, 100}) {
        Convolution layer;
        layer.window.prePadding = layer.window.postPadding = {1, 1};
        layer.epilogue = {{PointwiseOp::Relu}, {PointwiseOp::Prod, Convolution::kFirstExtra}};
        KeptNode node;
        Tensor* const x = node.kept({2, 20, 6, 5}, uint8(52));
        Tensor* const w = node.weights({outputs, 20, 3, 3}, 0);
        EXPECT_EQ(node.expect(layer, {x, w, node.absent(), node.numbers({outputs, 1, 1})}, uint8(90, 1.0F / 32)),
                  convolutionKernel());
    }
}

TEST(ZeroPoints, ofWhatIsAddedToAConvolution) {
    for (Dims const& dims : {Dims{2, 32, 9, 11}, Dims{1, 20, 7, 6}}) {
        Convolution layer;
        layer.window.prePadding = layer.window.postPadding = {1, 1};
        layer.epilogue = {{PointwiseOp::Sum, Convolution::kFirstExtra}, {PointwiseOp::Relu}};
        KeptNode node;
        Tensor* const x = node.kept(dims, uint8(52));
        Tensor* const w = node.weights({dims[1], dims[1], 3, 3}, 0);
        Tensor* const bias = node.numbers({dims[1]});
        EXPECT_EQ(node.expect(layer, {x, w, bias, node.kept(dims, uint8(90, 1.0F / 64))}, uint8(0, 1.0F / 32)),
                  convolutionKernel());
    }
}

TEST(ZeroPoints, ofProductsOfMatrices) {
    for (int64_t const k : {64, 70, 7}) {
        for (bool const transposed : {false, true}) {
            for (Quantum const& x : {uint8(0), uint8(128), uint8(52), int8(-8)}) {
                SCOPED_TRACE(text(k, transposed ? " transposed " : " ", x.type, " with zero point ", x.zero));
                MatrixMultiply layer;
                if (transposed) layer.b = MatrixOperation::Transpose;
                layer.epilogue = {{PointwiseOp::Sum, MatrixMultiply::kFirstExtra}, {PointwiseOp::Relu}};
                KeptNode node;
                Tensor* const a = node.kept({3, 17, k}, x);
                Tensor* const b = transposed ? node.weights({50, k}, 0) : node.weights({k, 50}, 1);
                EXPECT_EQ(node.expect(layer, {a, b, node.numbers({50})}, uint8(10, 1.0F / 64)), matmulKernel());
            }
        }
    }
}

TEST(ZeroPoints, ofSums) {
    Pointwise layer;
    layer.steps = {{PointwiseOp::Sum, 0, 1}, {PointwiseOp::Relu, 2}};
    for (Dims const& dims : {Dims{2, 20, 7, 5}, Dims{1, 32, 8, 4}, Dims{3, 5, 4}, Dims{37}}) {
        KeptNode node;
        Tensor* const a = node.kept(dims, uint8(100, 1.0F / 64));
        Tensor* const b = node.kept(dims, int8(-5, 1.0F / 32));
        std::string const names = node.expect(layer, {a, b}, uint8(7, 1.0F / 32));
        EXPECT_NE(names, "") << text(dims);
    }
}

TEST(ZeroPoints, ofStepsWithOperandsThatBroadcast) {
    Pointwise layer;
    layer.steps = {{PointwiseOp::Prod, 0, 1}, {PointwiseOp::Sum, 3, 2}};
    KeptNode node;
    Tensor* const a = node.kept({2, 20, 7, 5}, uint8(100, 1.0F / 64));
    Tensor* const b = node.kept({2, 20, 1, 1}, uint8(0, 1.0F / 32));
    EXPECT_NE(node.expect(layer, {a, b, node.numbers({1})}, int8(12, 1.0F / 32)), "");
}

TEST(ZeroPoints, ofAverages) {
    if (isOnCpu()) GTEST_SKIP() << "averages are of real numbers on the CPU";
    for (Dims const& dims : {Dims{2, 20, 7, 5}, Dims{1, 32, 8, 4}, Dims{1, 3, 9, 9}}) {
        for (bool const countsPadding : {false, true}) {
            Pooling layer;
            layer.type = PoolingType::Average;
            layer.windowSize = {2, 2};
            layer.window.stride = {2, 2};
            layer.window.postPadding = {1, 1}; // counts are 4, 2 and 1
            layer.averageCountExcludesPadding = !countsPadding;
            KeptNode node;
            EXPECT_EQ(node.expect(layer, {node.kept(dims, uint8(52, 1.0F / 32))}, uint8(60, 1.0F / 16)),
                      "cuda_pooling");
        }
    }
}

} // namespace
} // namespace tenon
