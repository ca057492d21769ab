// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Networks with Quantize and Dequantize nodes for tensors kept as integers. The engine's results are compared with the
// references of the nodes, which dequantize, compute in float and quantize; they may differ by one quantum where sums
// are in the middle between two.

#include "backends/cpu/isa.h"
#include "base/text.h"
#include "layers/activation/activation.h"
#include "layers/concatenation/concatenation.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pooling/pooling.h"
#include "layers/scale/scale.h"
#include "layers/shuffle/shuffle.h"
#include "quantized_network.h"
#include "support/layer_case.h"
#include "support/run_engine.h"
#include "support/run_graph.h"
#include "support/tested_device.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::QuantizedNetwork;
using test::testedDevice;
using Grid = QuantizedNetwork::Grid;

Activation activation(PointwiseOp op, double alpha = 0, double beta = 0) {
    Activation layer;
    layer.operation = op;
    layer.alpha = alpha;
    layer.beta = beta;
    return layer;
}

Pooling maxPooling() {
    Pooling layer;
    layer.windowSize = {3, 3};
    layer.window.stride = {2, 2};
    layer.window.prePadding = layer.window.postPadding = {1, 1};
    return layer;
}

bool isOnCpu() { return testedDevice() == Device::Cpu; }

bool computesInt8() { return !isOnCpu() || cpu::multipliesInt8(); }

// The expected kernels on this device.
std::string convolutionKernel(int64_t channels = 32) {
    bool const isOwn = cpu::multipliesQuads() && channels % 4 == 0;
    return !isOnCpu() ? "cudnn_int8_convolution" : isOwn ? "direct_int8_convolution" : "onednn_int8_convolution";
}
std::string matmulKernel() { return isOnCpu() ? "onednn_int8_matmul" : "cublaslt_int8_matmul"; }

std::vector<std::string> const kProducts{"Convolution", "Deconvolution", "MatrixMultiply"};
std::vector<std::string> const kConversions{"Quantize", "Dequantize"};

/// Expects the values, and the kernels of products if integers are multiplied at all.
void expectIntegers(QuantizedNetwork& net, float difference, std::string const& kernels) {
    if (!isOnCpu()) net.askForIntegers();
    net.expect(difference);
    if (computesInt8()) {
        EXPECT_EQ(net.kernels(kProducts), kernels);
    }
}

TEST(Quantized, convolutionReadsAndWritesIntegers) {
    QuantizedNetwork net;
    Grid const out{0.4F};
    Tensor* x = net.quantized(net.input({2, 32, 9, 11}), {0.01F});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, 0.01F), net.numbers({48}, -1, 1), 1);
    y = net.graph.emit(activation(PointwiseOp::Relu), {y});
    net.output(net.quantized(y, out));
    expectIntegers(net, 1.01F * out.scale, convolutionKernel());
    if (computesInt8()) {
        EXPECT_EQ(net.kernels(kConversions), "");
    }
}

TEST(Quantized, convolutionGivesRealNumbersToWhatIsNotQuantized) {
    QuantizedNetwork net;
    Tensor* x = net.quantized(net.input({1, 32, 9, 11}), {0.01F});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, -1, 0.01F), nullptr, 1);
    net.output(net.graph.emit(activation(PointwiseOp::Sigmoid), {y}));
    expectIntegers(net, 1e-5F, convolutionKernel());
}

TEST(Quantized, convolutionComputesInWhatItIsAskedFor) {
    if (!computesInt8()) GTEST_SKIP() << "no products of integers";
    QuantizedNetwork net;
    Grid const out{0.4F};
    net.config.settings.precision.asked = AskedTypes::Obeyed;
    Tensor* x = net.quantized(net.input({2, 32, 9, 11}), {0.01F});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, 0.01F), nullptr, 1);
    net.output(net.quantized(y, out));
    y->producer()->askedType = DataType::Int8;
    net.expect(1.01F * out.scale);
    EXPECT_EQ(net.kernels(kProducts), convolutionKernel());
    EXPECT_EQ(net.kernels(kConversions), "");
    y->producer()->askedType = DataType::Float32;
    net.expect(1.01F * out.scale);
    EXPECT_EQ(net.kernels(kProducts).find("int8"), std::string::npos) << net.kernels(kProducts);
}

TEST(Quantized, channelsWithoutWeightsGiveTheirBias) {
    for (float const scale : {0.0F, 1e-41F}) { // by which a bias cannot be divided
        QuantizedNetwork net;
        Grid const out{0.01F, 3, DataType::UInt8};
        Tensor* x = net.quantized(net.input({2, 32, 9, 11}), {0.01F, 5});
        Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, scale), net.numbers({48}, -1, 1), 1);
        net.output(net.quantized(y, out));
        net.expect(1.01F * out.scale);
    }
}

TEST(Quantized, zeroPointsCountInThePaddingToo) {
    QuantizedNetwork net;
    Grid const out{0.5F, 131, DataType::UInt8};
    Tensor* x = net.quantized(net.input({2, 32, 9, 11}, -0.5F, 2), {0.01F, 51, DataType::UInt8});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, 0.01F), net.numbers({48}, -1, 1), 1);
    net.output(net.quantized(y, out));
    expectIntegers(net, 1.01F * out.scale, convolutionKernel());
    if (computesInt8()) {
        EXPECT_EQ(net.kernels(kConversions), "");
    }
}

TEST(Quantized, integersOfUInt8LieInInt8OnGpus) { // minus 128: the first has no zero point there
    if (isOnCpu()) GTEST_SKIP() << "processors multiply uint8";
    QuantizedNetwork net;
    Grid const out{0.5F, 131, DataType::UInt8};
    Tensor* x = net.quantized(net.input({2, 32, 9, 11}), {0.01F, 128, DataType::UInt8});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, 0.01F), nullptr, 1);
    y = net.quantized(y, out);
    net.output(net.convolution(y, net.weights({32, 48, 3, 3}, 0, 0.01F), nullptr, 1));
    expectIntegers(net, 5, convolutionKernel() + " " + convolutionKernel());
    EXPECT_EQ(net.types({"Convolution"}), "int8 float32 to int8, int8 float32 to float32");
    EXPECT_EQ(net.kernels(kConversions), "");
}

TEST(Quantized, fewChannels) { // as in images
    QuantizedNetwork net;
    Grid const out{0.2F, 101, DataType::UInt8};
    Tensor* x = net.quantized(net.input({1, 3, 20, 18}), {0.01F, 120, DataType::UInt8});
    Tensor* y = net.convolution(x, net.weights({24, 3, 7, 7}, 0, 0.01F), net.numbers({24}, -1, 1), 3);
    net.output(net.quantized(net.graph.emit(activation(PointwiseOp::Relu), {y}), out));
    expectIntegers(net, 1.01F * out.scale, convolutionKernel(3));
}

TEST(Quantized, residualsAreReadAsTheyAreKept) {
    QuantizedNetwork net;
    Grid const out{0.3F};
    Tensor* x = net.quantized(net.input({1, 32, 7, 5}), {0.01F});
    Tensor* z = net.quantized(net.input({1, 32, 7, 5}, -20, 20), {0.17F, 0});
    Tensor* y = net.convolution(x, net.weights({32, 32, 3, 3}, 0, 0.01F), net.numbers({32}, -1, 1), 1);
    y = net.graph.emit(activation(PointwiseOp::Relu), {net.graph.emit(elementwise(PointwiseOp::Sum), {y, z})});
    net.output(net.quantized(y, out));
    expectIntegers(net, 1.01F * out.scale, convolutionKernel());
    if (isOnCpu() && computesInt8()) { // a GPU's products are required, so that nothing is fused with them
        EXPECT_EQ(net.kernels({"Elementwise", "Pointwise"}), "");
    }
}

TEST(Quantized, everyStepBehindAConvolutionIsRight) {
    for (PointwiseOp const op : {PointwiseOp::LeakyRelu, PointwiseOp::Clip, PointwiseOp::Sigmoid,
                                 PointwiseOp::HardSwish, PointwiseOp::Swish, PointwiseOp::GeluErf, PointwiseOp::Tanh}) {
        SCOPED_TRACE(text(op));
        QuantizedNetwork net;
        Grid const out{0.05F, 3};
        Tensor* x = net.quantized(net.input({1, 16, 6, 5}), {0.01F, -7});
        Tensor* z = net.quantized(net.input({1, 24, 6, 5}, -2, 2), {0.02F, 11});
        Tensor* y = net.convolution(x, net.weights({24, 16, 1, 1}, 0, 0.01F), net.numbers({24}, -1, 1));
        y = net.graph.emit(activation(op, 0.25, op == PointwiseOp::Clip ? 3 : 1), {y});
        y = net.graph.emit(elementwise(PointwiseOp::Sum), {y, z});
        net.output(net.quantized(net.graph.emit(activation(PointwiseOp::Relu), {y}), out));
        net.expect(1.01F * out.scale);
    }
}

TEST(Quantized, stepsOnAllIntegersOf8Bits) {
    for (PointwiseOp const op : {PointwiseOp::LeakyRelu, PointwiseOp::Sigmoid, PointwiseOp::Swish, PointwiseOp::Tanh}) {
        for (DataType const type : {DataType::Int8, DataType::UInt8}) {
            SCOPED_TRACE(text(op, " of ", type));
            QuantizedNetwork net;
            Grid const out{0.02F, 7};
            Tensor* const x = net.quantized(net.input({3, 701}, -4, 4), {0.03F, 3, type}); // not a multiple of a vector
            net.output(net.quantized(net.graph.emit(activation(op, 0.25, 1), {x}), out));
            net.expect(1.01F * out.scale);
        }
    }
}

TEST(Quantized, groupsAndOddChannels) {
    for (int64_t const groups : {2, 18}) {
        QuantizedNetwork net;
        Grid const out{0.1F};
        Tensor* x = net.quantized(net.input({1, 18, 6, 5}), {0.01F});
        Tensor* y = net.convolution(x, net.weights({36, 18 / groups, 3, 3}, 0, 0.01F), nullptr, 1, groups);
        net.output(net.quantized(y, out));
        net.expect(1.01F * out.scale);
    }
}

TEST(Quantized, fewSignedChannels) { // oneDNN 2.6 sums their weights in memory that it does not clear
    QuantizedNetwork net;
    Tensor* x = net.quantized(net.input({1, 3, 48, 192}), {0.01F});
    net.output(net.quantized(net.convolution(x, net.weights({8, 3, 3, 3}, 0, 0.01F), nullptr, 1), {0.1F}));
    net.expect(0.101F);
}

TEST(Quantized, convolutionBackwards) {
    QuantizedNetwork net;
    Grid const out{0.4F};
    Deconvolution layer;
    layer.window.stride = {2, 2};
    Tensor* x = net.quantized(net.input({1, 32, 5, 6}), {0.01F});
    Tensor* y = net.graph.emit(layer, {x, net.weights({32, 16, 2, 2}, 1, 0.01F), net.numbers({16}, -1, 1)});
    net.output(net.quantized(net.graph.emit(activation(PointwiseOp::Relu), {y}), out));
    net.expect(1.01F * out.scale);
}

TEST(Quantized, productOfMatrices) {
    for (bool const transposed : {false, true}) {
        QuantizedNetwork net;
        Grid const out{0.3F, 4};
        MatrixMultiply layer;
        if (transposed) layer.b = MatrixOperation::Transpose;
        Tensor* x = net.quantized(net.input({3, 17, 70}), {0.01F, -9});
        Tensor* w = transposed ? net.weights({50, 70}, 0, 0.02F) : net.weights({70, 50}, 1, 0.02F);
        w = net.graph.emit(Shuffle::reshaping({1, w->shape[0].constant(), w->shape[1].constant()}), {w});
        Tensor* y = net.graph.emit(layer, {x, w});
        y = net.graph.emit(elementwise(PointwiseOp::Sum), {y, net.numbers({50}, -1, 1)});
        net.output(net.quantized(net.graph.emit(activation(PointwiseOp::GeluErf), {y}), out));
        net.expect(1.01F * out.scale);
    }
}

TEST(Quantized, productOfWeightsIsOfIntegers) {
    QuantizedNetwork net;
    Tensor* x = net.quantized(net.input({5, 70}), {0.01F, -9});
    Tensor* y = net.graph.emit(MatrixMultiply{}, {x, net.weights({70, 50}, 1, 0.02F)});
    net.output(net.graph.emit(elementwise(PointwiseOp::Sum), {y, net.numbers({50}, -1, 1)}));
    expectIntegers(net, 1e-4F, matmulKernel());
}

TEST(Quantized, transposedWeightsStayIntegers) { // as exporters write linear layers
    QuantizedNetwork net;
    Tensor* x = net.quantized(net.input({5, 70}), {0.01F});
    Tensor* w = net.graph.emit(Shuffle::transposing({1, 0}), {net.weights({50, 70}, 0, 0.02F)});
    net.output(net.graph.emit(MatrixMultiply{}, {x, w}));
    expectIntegers(net, 1e-4F, matmulKernel());
}

TEST(Quantized, productOfTwoComputedMatrices) {
    QuantizedNetwork net;
    Tensor* a = net.quantized(net.input({2, 3, 17, 32}), {0.01F, 5});
    Tensor* b = net.quantized(net.input({2, 3, 20, 32}), {0.02F});
    MatrixMultiply layer;
    layer.b = MatrixOperation::Transpose;
    net.output(net.graph.emit(layer, {a, b}));
    net.expect(1e-4F);
    if (isOnCpu() && cpu::multipliesInt8()) {
        EXPECT_EQ(net.kernels(kProducts), "onednn_int8_matmul");
    }
}

TEST(Quantized, sumsOfIntegersAreIntegers) { // as ONNX Runtime's quantizer writes residuals
    QuantizedNetwork net;
    Grid const out{0.05F, 7, DataType::UInt8};
    Tensor* a = net.quantized(net.input({1, 20, 7, 5}, -2, 2), {0.02F, 100, DataType::UInt8});
    Tensor* b = net.quantized(net.input({1, 20, 7, 5}, -3, 3), {0.03F, -5});
    Tensor* y = net.graph.emit(elementwise(PointwiseOp::Sum), {a, b});
    net.output(net.quantized(net.graph.emit(activation(PointwiseOp::Relu), {y}), out));
    net.expect(1.01F * out.scale);
    EXPECT_EQ(net.types({"Pointwise"}), isOnCpu() ? "uint8 int8 to uint8" : "int8 int8 to int8");
}

TEST(Quantized, averagesOfIntegersAreIntegers) {
    QuantizedNetwork net;
    Grid const out{0.01F, 7, DataType::UInt8};
    Pooling layer;
    layer.type = PoolingType::Average;
    layer.windowSize = {3, 3};
    Tensor* x = net.quantized(net.input({1, 20, 7, 5}, -2, 2), {0.02F, 100, DataType::UInt8});
    net.output(net.quantized(net.graph.emit(layer, {x}), out));
    net.expect(1.01F * out.scale);
    if (!isOnCpu()) {
        EXPECT_EQ(net.types({"Pooling"}), "int8 to int8");
    }
}

TEST(Quantized, maximaAreOfIntegers) {
    QuantizedNetwork net;
    Grid const grid{0.4F};
    Tensor* x = net.quantized(net.input({1, 32, 9, 11}), {0.01F});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, 0.01F), nullptr, 1);
    net.output(net.quantized(net.graph.emit(maxPooling(), {y}), grid));
    expectIntegers(net, 1.01F * grid.scale, convolutionKernel());
    if (!isOnCpu() || !computesInt8()) return; // likewise: layers between required products are free
    EXPECT_EQ(net.kernels({"Pooling"}), "byte_folds");
    EXPECT_EQ(net.types({"Pooling"}), "int8 to int8");
}

TEST(Quantized, whatIsMovedIsMovedAsIntegers) {
    QuantizedNetwork net;
    Grid const grid{0.02F, 3};
    Tensor* a = net.quantized(net.input({1, 8, 4, 6}), grid);
    Tensor* b = net.quantized(net.input({1, 8, 4, 6}), grid);
    Tensor* y = net.graph.emit(Concatenation::along(1), {a, b});
    y = net.graph.emit(Shuffle::transposing({0, 2, 3, 1}), {y});
    net.output(net.quantized(y, grid));
    net.expect(1e-6F);
    EXPECT_EQ(net.kernels({"Dequantize"}).find(' '), std::string::npos); // one at the end, none before each
}

TEST(Quantized, weightsTakeOverScalesBehindThem) {
    QuantizedNetwork net;
    Grid const out{0.4F};
    Scale scale;
    scale.mode = Scale::Mode::Channel;
    Tensor* x = net.quantized(net.input({1, 32, 9, 11}), {0.01F});
    Tensor* y = net.convolution(x, net.weights({48, 32, 3, 3}, 0, 0.01F), nullptr, 1);
    y = net.graph.emit(scale, {y, net.numbers({48}, -1, 1), net.numbers({48}, -1.5F, 1.5F)});
    net.output(net.quantized(y, out));
    expectIntegers(net, 1.01F * out.scale, convolutionKernel());
    if (computesInt8()) {
        EXPECT_EQ(net.kernels({"Scale"}), "");
    }
}

TEST(Quantized, weightsThatAreNotQuantizedStayReal) {
    QuantizedNetwork net;
    Tensor* x = net.quantized(net.input({1, 32, 9, 11}), {0.01F});
    net.output(net.convolution(x, net.numbers({48, 32, 3, 3}, -1, 1), nullptr, 1));
    net.expect(1e-4F);
    if (isOnCpu()) {
        EXPECT_EQ(net.kernels(kProducts).find("int8"), std::string::npos) << net.kernels(kProducts);
    }
}

/// 3x3 and 1x1, with integer steps between them.
void addTwoConvolutions(QuantizedNetwork& net, Tensor* x) {
    Tensor* y = net.quantized(x, {0.01F});
    y = net.quantized(net.convolution(y, net.weights({48, 24, 3, 3}, 0, 0.01F), nullptr, 1), {0.3F, 3});
    net.output(net.convolution(y, net.weights({20, 48, 1, 1}, 0, 0.01F), net.numbers({20}, -1, 1)));
}

TEST(Quantized, weightsFitOtherShapesThanTheyWerePackedFor) {
    QuantizedNetwork open;
    addTwoConvolutions(open, open.openInput({1, 24, 14, 14}));
    BuildConfig config;
    config.profiles.push_back({{"x1", {{1, 24, 3, 3}, {1, 24, 14, 14}, {4, 24, 60, 60}, {}, {}, {}}}});
    test::EngineRun engine(open.graph, config);
    for (Dims const& dims : {Dims{1, 24, 14, 14}, Dims{3, 24, 3, 5}, Dims{1, 24, 1 + 2, 60}, Dims{4, 24, 56, 57}}) {
        SCOPED_TRACE(text(dims));
        QuantizedNetwork fixed;
        addTwoConvolutions(fixed, fixed.input(dims));
        auto const expected = test::runGraph(fixed.graph, fixed.inputs())[0];
        test::expectClose(engine.run(fixed.inputs())[0], expected, 1.0, "y"); // one quantum of the intermediate tensor
    }
}

TEST(Quantized, whatIsReadByOthersTooIsKeptAsItIs) {
    QuantizedNetwork net;
    Grid const coarse{0.25F};
    Tensor* x = net.input({1, 16, 6, 5});
    Tensor* y = net.graph.emit(activation(PointwiseOp::Tanh), {x});
    net.output(net.graph.emit(activation(PointwiseOp::Relu), {y}));
    net.output(net.quantized(y, coarse));
    net.output(net.quantized(y, {0.5F}));
    net.expect(1e-5F);
}

} // namespace
} // namespace tenon
