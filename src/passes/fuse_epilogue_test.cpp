// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_epilogue.h"

#include "base/text.h"
#include "layers/activation/activation.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/normalization/normalization.h"
#include "layers/pointwise/pointwise.h"
#include "layers/unary/unary.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

namespace tenon {
namespace {

using test::spread;
using enum PointwiseOp;

class Network : public test::WrittenGraph {
public:
    explicit Network(Dims const& dims) : x(input(dims)) {}

    using WrittenGraph::emit;
    Tensor* emit(std::vector<PointwiseStep> steps, std::vector<Tensor*> inputs) {
        Pointwise layer;
        layer.steps = std::move(steps);
        return graph.emit(layer, std::move(inputs));
    }
    Tensor* constant(Dims const& dims) { return WrittenGraph::constant(spread(dims, -1, 1)); }
    Tensor* convolution(Tensor* of) { return graph.emit(Convolution{}, {of, constant({4, 4, 1, 1})}); }

    void expectKinds(Tensor* output, std::string const& kinds) {
        Graph const fused = after(fuseEpilogue, output);
        EXPECT_EQ(test::kindsOf(fused), kinds) << print(fused);
    }

    Tensor* x;
};

TEST(FuseEpilogue, takesAnActivation) {
    Network net({1, 4, 3, 3});
    net.expectKinds(net.emit(HardSwish, net.convolution(net.x)), "Convolution");
}

TEST(FuseEpilogue, takesAResidualAndWhatFollows) {
    Network net({1, 4, 3, 3});
    Tensor* sum = net.emit(Sum, net.x, net.convolution(net.x));
    Tensor* product = net.emit(Prod, net.emit(Relu, sum), net.constant({4, 1, 1}));
    net.expectKinds(net.emit(Sub, product, net.x), "Convolution");
}

TEST(FuseEpilogue, takesAChainInWhichItStandsAnywhere) { // (x - c) is not a chain on c; (c * x) is
    Network net({1, 4, 3, 3});
    Tensor* c = net.convolution(net.x);
    Tensor* scale = net.constant({4, 1, 1});
    net.expectKinds(net.emit({{Prod, 0, 2}, {Affine, 3, -1, 2, 1}, {Max, 1, 4}}, {scale, net.x, c}), "Convolution");
}

TEST(FuseEpilogue, leavesWhatIsNoChain) {
    Network net({1, 4, 3, 3});
    net.expectKinds(net.emit(Sub, net.x, net.convolution(net.x)), "Convolution Elementwise");
    Network twice({1, 4, 3, 3});
    Tensor* c = twice.convolution(twice.x);
    twice.expectKinds(twice.emit(Prod, c, c), "Convolution Elementwise");
    Network again({1, 4, 3, 3});
    Tensor* d = again.convolution(again.x);
    again.expectKinds(again.emit({{Relu, 0}, {Sum, 0, 1}}, {d}), "Convolution Pointwise");
}

TEST(FuseEpilogue, leavesStepsThatKernelsDoNotDoWell) {
    Network net({1, 4, 3, 3});
    Unary sine;
    sine.operation = Sin;
    net.expectKinds(net.graph.emit(sine, {net.convolution(net.x)}), "Convolution Unary");
}

TEST(FuseEpilogue, leavesOperandsThatBroadcastOtherwise) {
    Network net({1, 4, 3, 3});
    net.expectKinds(net.emit(Sum, net.convolution(net.x), net.constant({3})), "Convolution Elementwise");
    Network grows({1, 4, 1, 1});
    grows.expectKinds(grows.emit(Sum, grows.convolution(grows.x), grows.constant({1, 4, 2, 2})),
                      "Convolution Elementwise");
}

TEST(FuseEpilogue, leavesAResultThatOthersRead) {
    Network net({1, 4, 3, 3});
    Tensor* c = net.convolution(net.x);
    net.expectKinds(net.emit(Sum, net.emit(Sigmoid, c), c), "Convolution Activation Elementwise");
    Network output({1, 4, 3, 3});
    Tensor* y = output.convolution(output.x);
    output.graph.markOutput(y);
    output.expectKinds(output.emit(Relu, y), "Convolution Activation");
}

TEST(FuseEpilogue, ofTwoConvolutionsThatAreAddedOneReadsTheOther) {
    Network net({1, 4, 3, 3});
    net.expectKinds(net.emit(Relu, net.emit(Sum, net.convolution(net.x), net.convolution(net.x))),
                    "Convolution Convolution");
}

TEST(FuseEpilogue, takesWhatFollowsADeconvolutionOrAMatrixProduct) {
    Network net({1, 4, 3, 3});
    Deconvolution layer;
    layer.window.stride = {2, 2};
    net.expectKinds(net.emit(Relu, net.graph.emit(layer, {net.x, net.constant({4, 2, 2, 2})})), "Deconvolution");
    Network product({2, 3, 4});
    Tensor* y = product.graph.emit(MatrixMultiply{}, {product.x, product.constant({4, 4})});
    product.expectKinds(product.emit(Sum, product.emit(Sum, y, product.constant({4})), product.x), "MatrixMultiply");
}

// The range of the sums does not apply to the final result.
TEST(FuseEpilogue, givesTheResultTheRangeOfTheLastOrNone) {
    for (float const scale : {0.25F, 0.0F}) {
        Network net({1, 4, 3, 3});
        Tensor* const sums = net.convolution(net.x);
        sums->quantum.scale = 8;
        Tensor* const y = net.emit(Relu, sums);
        y->quantum.scale = scale;
        net.graph.markOutput(y);
        fuseEpilogue(net.graph);
        EXPECT_EQ(test::kindsOf(net.graph), "Convolution");
        EXPECT_EQ(net.graph.outputs()[0]->quantum.scale, scale);
    }
}

TEST(FuseEpilogue, takesWhatFollowsANormalization) {
    Network net({2, 4, 3, 3});
    Normalization layer;
    layer.axes = {2, 3};
    Tensor* const y = net.graph.emit(layer, {net.x, nullptr, net.constant({4, 1, 1})});
    net.expectKinds(net.emit(Sum, net.x, net.emit({{Swish, 0, -1, 1}}, {y})), "Normalization");
    Network byChannel({2, 4, 3, 3}); // an axis on which kernels do not read numbers fast
    Tensor* const z = byChannel.graph.emit(layer, {byChannel.x});
    byChannel.expectKinds(byChannel.emit(Prod, z, byChannel.constant({4, 1, 1})), "Normalization Elementwise");
}

} // namespace
} // namespace tenon
