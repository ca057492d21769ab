// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators' constraints on extents that only a run or a profile determines: ONNX Runtime 1.31 refuses each of these
// too. Passes may remove the node if only the shape of its result is read.

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/run_engine.h"

#include <gtest/gtest.h>

namespace tenon::onnx {
namespace {

using test::OneOp;
using Ints = std::vector<int64_t>;
using Shapes = std::vector<Dims>;

Literal zeros(Dims const& dims) {
    return Literal::of(dims, std::vector<float>(static_cast<size_t>(dims.volume()), 0.F));
}
Literal longs(Dims const& dims) {
    return Literal::of(dims, std::vector<int64_t>(static_cast<size_t>(dims.volume()), 0));
}
Literal truths(Dims const& dims) {
    Bytes const bytes(static_cast<size_t>(dims.volume()), std::byte{1});
    return Literal::copyOf(DataType::Bool, dims, bytes.data());
}
Literal bytes(Dims const& dims) {
    Bytes const zero(static_cast<size_t>(dims.volume()), std::byte{0});
    return Literal::copyOf(DataType::UInt8, dims, zero.data());
}
Literal list(Ints const& values) { return Literal::of({static_cast<int64_t>(values.size())}, values); }

/// One operator that accepts inputs of the shapes of its literals or `others`, and refuses `bad` ones. Without others a
/// profile that allows bad shapes is refused.
struct OpenExtents {
    OneOp op; // literals are zeros unless they are constants
    Shapes others;
    Shapes bad;
    std::string error;
};

std::vector<Literal> fedTo(OneOp const& op) {
    std::vector<Literal> fed;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (op.inputs[i].data() && !op.isConstant(i)) fed.push_back(op.inputs[i]);
    }
    return fed;
}

Shapes shapesOf(OneOp const& op) {
    Shapes shapes;
    for (Literal const& literal : fedTo(op)) shapes.push_back(literal.dims());
    return shapes;
}

Dims extreme(Dims const& a, Dims const& b, bool isMost) {
    Dims dims;
    for (int i = 0; i < a.rank(); ++i) dims.push(isMost ? std::max(a[i], b[i]) : std::min(a[i], b[i]));
    return dims;
}

/// From the minimum to the maximum of two lists of shapes.
Profile profileOf(Graph const& graph, Shapes const& opt, Shapes const& other) {
    Profile profile;
    for (size_t i = 0; i < opt.size(); ++i)
        profile[graph.inputs()[i]->name] = {
            extreme(opt[i], other[i], false), opt[i], extreme(opt[i], other[i], true), {}, {}, {}};
    return profile;
}

Plan built(OpenExtents const& one, Graph const& graph) {
    BuildConfig config;
    config.profiles = {profileOf(graph, shapesOf(one.op), one.others.empty() ? one.bad : one.others)};
    return build(graph, config);
}

/// Of the shapes of a run.
std::string runError(OpenExtents const& one, Graph const& graph) {
    Plan const plan = test::saved(built(one, graph));
    ShapeProgram const program(plan.graph);
    auto const evaluate = [&](Shapes const& shapes) {
        std::vector<ShapeProgram::Input> inputs;
        for (Dims const& dims : shapes) inputs.push_back({dims, {}});
        program.evaluate(inputs);
    };
    evaluate(shapesOf(one.op));
    evaluate(one.others);
    return test::errorOf([&] { evaluate(one.bad); });
}

void expectRefused(OpenExtents const& one) {
    for (bool const gives : {true, false}) {
        SCOPED_TRACE(text(one.op.op, gives ? "" : ", of which only the shapes are read, ", joined(one.bad)));
        OneOp op = one.op;
        op.isOpen = true;
        op.gives = gives;
        Graph const graph = op.graph();
        std::string const error =
            one.others.empty() ? test::errorOf([&] { (void)built(one, graph); }) : runError(one, graph);
        EXPECT_NE(error.find(one.error), std::string::npos) << error;
    }
}

void expectRefused(std::vector<OpenExtents> const& all) {
    for (OpenExtents const& one : all) expectRefused(one);
}

TEST(OpenExtents, ofOperandsThatBroadcast) {
    std::string const apart = "do not broadcast";
    expectRefused({
        {{.op = "Add", .inputs = {zeros({2, 3}), zeros({2, 3})}},
         {{1, 3}, {1, 3}},
         {{2, 3}, {5, 3}},
         "shapes [2,3] and [5,3] do not broadcast: 2 against 5"},
        {{.op = "Add", .inputs = {zeros({2, 3}), zeros({2, 3})}, .constants = 2},
         {{1, 3}},
         {{5, 3}},
         "shapes [5,3] and [2,3] do not broadcast: 5 against 2"},
        {{.op = "Mul", .inputs = {zeros({1, 3}), zeros({0, 3})}, .constants = 2},
         {{0, 3}},
         {{5, 3}},
         "shapes [5,3] and [0,3] do not broadcast: 5 against 0"},
        {{.op = "Sum", .inputs = {zeros({2, 3}), zeros({3}), zeros({2, 1})}},
         {{4, 3}, {3}, {4, 1}},
         {{2, 3}, {3}, {4, 1}},
         apart},
        {{.op = "Max", .inputs = {zeros({2, 3}), zeros({3}), zeros({2, 1})}},
         {{4, 3}, {3}, {4, 1}},
         {{2, 3}, {3}, {4, 1}},
         apart},
        {{.op = "Where", .inputs = {truths({2, 3}), zeros({2, 3}), zeros({2, 3})}},
         {{4, 3}, {4, 3}, {4, 3}},
         {{2, 3}, {2, 3}, {4, 3}},
         apart},
        {{.op = "Less", .inputs = {zeros({2, 3}), zeros({2, 3})}}, {{1, 3}, {1, 3}}, {{2, 3}, {5, 3}}, apart},
        {{.op = "PRelu", .opset = 16, .inputs = {zeros({2, 3, 4}), zeros({3, 1})}},
         {{2, 5, 4}, {5, 1}},
         {{2, 3, 4}, {5, 1}},
         "broadcast"},
        {{.op = "Expand", .inputs = {zeros({2, 3}), list({2, 3})}, .constants = 2}, {{1, 3}}, {{3, 3}}, apart},
    });
}

TEST(OpenExtents, ofProductsAndConvolutions) {
    expectRefused({
        {{.op = "MatMul", .inputs = {zeros({2, 4}), zeros({4, 5})}},
         {{2, 1}, {1, 5}},
         {{2, 3}, {4, 5}},
         "node (MatrixMultiply): input 0 [2,3] has 3 columns and input 1 [4,5] has 4 rows; expected the same number"},
        {{.op = "MatMul", .inputs = {zeros({2, 4}), zeros({4, 5})}, .constants = 2},
         {},
         {{2, 3}},
         "node (MatrixMultiply): input 0 [2,3] has 3 columns and input 1 [4,5] has 4 rows; expected the same number"},
        {{.op = "MatMul", .inputs = {zeros({2, 3, 4}), zeros({2, 4, 5})}},
         {{3, 3, 4}, {3, 4, 5}},
         {{2, 3, 4}, {3, 4, 5}},
         "do not broadcast"},
        {{.op = "Gemm", .inputs = {zeros({2, 3}), zeros({3, 4}), zeros({4})}},
         {{2, 3}, {3, 6}, {6}},
         {{2, 3}, {3, 4}, {5}},
         "broadcast"},
        {{.op = "Einsum",
          .attributes = {{"equation", std::string("ij,jk->ik")}},
          .inputs = {zeros({2, 3}), zeros({3, 5})}},
         {{2, 4}, {4, 5}},
         {{2, 3}, {4, 5}},
         "do not broadcast"},
        {{.op = "Conv", .inputs = {zeros({1, 3, 5}), zeros({2, 3, 3})}},
         {{1, 1, 5}, {2, 1, 3}},
         {{1, 2, 5}, {2, 3, 3}},
         "node (Convolution): weights [2,3,3] have 3 input channels in 1 group, input 0 [1,2,5] has 2"},
        {{.op = "Conv", .inputs = {zeros({1, 3, 5}), zeros({2, 3, 3})}, .constants = 2},
         {{1, 3, 3}},
         {{1, 3, 2}},
         "node (Convolution): a window of 3 does not fit into 2"},
        {{.op = "Conv", .inputs = {zeros({1, 3, 5}), zeros({2, 3, 3}), zeros({2})}},
         {{1, 3, 5}, {4, 3, 3}, {4}},
         {{1, 3, 5}, {2, 3, 3}, {4}},
         "node (Convolution): bias [4] has 4 elements for 2 output channels"},
        {{.op = "ConvTranspose", .inputs = {zeros({1, 3, 5}), zeros({3, 2, 3})}},
         {{1, 1, 5}, {1, 2, 3}},
         {{1, 2, 5}, {3, 2, 3}},
         "node (Deconvolution): weights [3,2,3] have 3 input channels, input 0 [1,2,5] has 2"},
        {{.op = "ConvInteger", .inputs = {bytes({1, 3, 5}), bytes({2, 3, 3})}},
         {{1, 1, 5}, {2, 1, 3}},
         {{1, 2, 5}, {2, 3, 3}},
         "have 3 input channels in 1 group, input 0 [1,2,5] has 2"},
        {{.op = "DepthToSpace", .attributes = {{"blocksize", int64_t{2}}}, .inputs = {zeros({1, 8, 2, 2})}},
         {{1, 4, 1, 1}},
         {{1, 6, 2, 2}},
         "node"},
        {{.op = "SpaceToDepth", .attributes = {{"blocksize", int64_t{2}}}, .inputs = {zeros({1, 2, 4, 4})}},
         {{1, 1, 2, 2}},
         {{1, 2, 3, 4}},
         "node"},
        {{.op = "Col2Im", .opset = 18, .inputs = {zeros({1, 4, 4}), list({3, 3}), list({2, 2})}, .constants = 6},
         {{1, 8, 4}},
         {{1, 5, 4}},
         "node (Col2Im): columns [1,5,4] has 5 rows"},
    });
}

TEST(OpenExtents, ofParametersOfChannels) {
    expectRefused({
        {{.op = "BatchNormalization",
          .opset = 15,
          .inputs = {zeros({1, 3, 4}), zeros({3}), zeros({3}), zeros({3}), zeros({3})}},
         {{1, 2, 4}, {2}, {2}, {2}, {2}},
         {{1, 3, 4}, {2}, {2}, {2}, {2}},
         "(Assertion): does not hold: input 1 has one element for each channel of input 0; found [2,3]"},
        {{.op = "BatchNormalization",
          .opset = 15,
          .inputs = {zeros({1, 3, 4}), zeros({3}), zeros({3}), zeros({3}), zeros({3})}},
         {{1, 2, 4}, {2}, {2}, {2}, {2}},
         {{1, 3, 4}, {1}, {3}, {3}, {3}},
         "(Assertion): does not hold: input 1 has one element for each channel of input 0; found [1,3]"},
        {{.op = "InstanceNormalization", .inputs = {zeros({1, 3, 4}), zeros({3}), zeros({3})}},
         {{1, 2, 4}, {2}, {2}},
         {{1, 3, 4}, {1}, {3}},
         "(Assertion): does not hold: input 1 has one element for each channel of input 0; found [1,3]"},
        {{.op = "InstanceNormalization", .inputs = {zeros({1, 1, 4}), zeros({1}), zeros({1})}, .constants = 6},
         {},
         {{1, 3, 4}},
         "(Assertion): does not hold: input 1 has one element for each channel of input 0; found [1,3]"},
        {{.op = "LayerNormalization", .opset = 17, .inputs = {zeros({2, 3, 4}), zeros({4})}},
         {{2, 3, 5}, {5}},
         {{2, 3, 4}, {5}},
         "node (Normalization)"},
        {{.op = "GroupNormalization",
          .opset = 21,
          .attributes = {{"num_groups", int64_t{2}}},
          .inputs = {zeros({2, 4, 4}), zeros({4}), zeros({4})}},
         {{2, 6, 4}, {6}, {6}},
         {{2, 5, 4}, {5}, {5}},
         "5 channels, not divisible by 2 groups"},
        {{.op = "QuantizeLinear",
          .attributes = {{"axis", int64_t{1}}},
          .inputs = {zeros({2, 3}), zeros({3}), bytes({3})}},
         {{2, 4}, {4}, {4}},
         {{2, 4}, {3}, {3}},
         "node (Quantize): input 1 has 3 elements for axis 1"},
        {{.op = "DequantizeLinear",
          .attributes = {{"axis", int64_t{1}}},
          .inputs = {bytes({2, 3}), zeros({3}), bytes({3})}},
         {{2, 4}, {4}, {4}},
         {{2, 4}, {3}, {3}},
         "node (Dequantize): input 1 has 3 elements for axis 1"},
    });
}

TEST(OpenExtents, ofWhatIsMoved) {
    expectRefused({
        {{.op = "Squeeze", .inputs = {zeros({1, 3}), list({0})}, .constants = 2},
         {},
         {{2, 3}},
         "node (Squeeze): axis 0 of [2,3] has extent 2; only axes of extent 1 can be dropped"},
        {{.op = "Concat", .attributes = {{"axis", int64_t{0}}}, .inputs = {zeros({2, 3}), zeros({2, 3})}},
         {{2, 4}, {2, 4}},
         {{2, 3}, {2, 4}},
         "node (Concatenation): input 1 has shape [2,4] and input 0 has [2,3]"},
        {{.op = "Reshape", .inputs = {zeros({4, 3}), list({4, -1})}, .constants = 2},
         {{2, 2}},
         {{2, 3}},
         "node (Shuffle): shape [2,3] has 6 elements and cannot be reshaped to [4,-1]"},
        {{.op = "Split", .inputs = {zeros({4, 3}), list({2, 2})}, .constants = 2, .outputs = 2},
         {},
         {{5, 3}},
         "(Assertion): does not hold: axis 0 has extent 4, the sum of its parts; found 5"},
        {{.op = "Split", .inputs = {zeros({4, 3})}, .outputs = 2},
         {{2, 3}},
         {{3, 3}},
         "(Assertion): does not hold: axis 0 has an extent divisible into 2 equal parts; found 3"},
    });
}

TEST(OpenExtents, ofWhatIsCutAndPadded) {
    expectRefused({
        {{.op = "TopK",
          .attributes = {{"axis", int64_t{0}}},
          .inputs = {zeros({4, 3}), list({4})},
          .constants = 2,
          .outputs = 2},
         {{6, 3}},
         {{3, 3}},
         "node (TopK): k is 4 for axis 0 of extent 3; expected 0 to that extent"},
        {{.op = "Pad",
          .attributes = {{"mode", std::string("reflect")}},
          .inputs = {zeros({1, 5}), list({0, 4, 0, 0})},
          .constants = 2},
         {{1, 7}},
         {{1, 4}},
         "(Assertion): does not hold: pads are less than the extents that they reflect; found [1,4]"},
        {{.op = "Pad",
          .attributes = {{"mode", std::string("edge")}},
          .inputs = {zeros({1, 5}), list({0, 4, 0, 0})},
          .constants = 2},
         {{1, 7}},
         {{1, 0}},
         "(Slice): axis 1 has extent 0; expected a positive one to take 4 elements from"},
        {{.op = "Pad", .inputs = {zeros({1, 5}), list({0, -2, 0, -2})}, .constants = 2},
         {{1, 7}},
         {{1, 3}},
         "an extent of -1"},
    });
}

TEST(OpenExtents, ofWhatIsIndexed) {
    expectRefused({
        {{.op = "GatherElements", .attributes = {{"axis", int64_t{1}}}, .inputs = {zeros({3, 3}), longs({3, 2})}},
         {{4, 3}, {4, 2}},
         {{3, 3}, {4, 2}},
         "node (Gather): indices [4,2] are longer than X [3,3] at axis 0"},
        {{.op = "GatherND",
          .attributes = {{"batch_dims", int64_t{1}}},
          .inputs = {zeros({3, 3}), longs({3, 1})},
          .constants = 2},
         {},
         {{4, 3}},
         "node (Gather): X [4,3] and indices [3,1] differ at axis 0"},
        {{.op = "ScatterND", .opset = 16, .inputs = {zeros({3, 3}), longs({1, 1}), zeros({1, 3})}, .constants = 2},
         {{4, 4}, {1, 4}},
         {{3, 3}, {1, 4}},
         "node (Scatter): updates have shape [1,4]; expected [1,3]"},
        {{.op = "ScatterElements", .opset = 16, .inputs = {zeros({3, 3}), longs({1, 2}), zeros({1, 2})}},
         {{3, 3}, {1, 3}, {1, 3}},
         {{3, 3}, {1, 2}, {1, 3}},
         "node (Scatter): updates have shape [1,3]; expected [1,2]"},
        {{.op = "ReverseSequence", .inputs = {zeros({2, 3}), longs({3})}},
         {{2, 4}, {4}},
         {{2, 3}, {4}},
         "node (ReverseSequence): lengths has shape [4]; expected one for each of the 3 sequences"},
    });
}

TEST(OpenExtents, ofOtherOperators) {
    expectRefused({
        {{.op = "Det", .inputs = {zeros({2, 2})}}, {{3, 3}}, {{2, 3}}, "node (Determinant): input 0 has shape [2,3]"},
        {{.op = "GridSample", .opset = 20, .inputs = {zeros({1, 1, 3, 3}), zeros({1, 2, 2, 2})}},
         {{2, 1, 3, 3}, {2, 2, 2, 2}},
         {{1, 1, 3, 3}, {2, 2, 2, 2}},
         "node (GridSample): X [1,1,3,3] and grid [2,2,2,2] differ in their number of batch items"},
        {{.op = "AffineGrid", .opset = 20, .inputs = {zeros({1, 2, 3}), list({1, 1, 2, 2})}, .constants = 2},
         {},
         {{2, 2, 3}},
         "node (AffineGrid): theta [2,2,3] and size [1,1,2,2] differ in their number of batch items"},
        {{.op = "RoiAlign", .opset = 16, .inputs = {zeros({1, 1, 3, 3}), zeros({1, 4}), longs({1})}},
         {{1, 1, 3, 3}, {2, 4}, {2}},
         {{1, 1, 3, 3}, {2, 4}, {1}},
         "node (RoiAlign)"},
        {{.op = "NonMaxSuppression", .inputs = {zeros({1, 3, 4}), zeros({1, 1, 3}), list({1})}, .constants = 4},
         {{1, 2, 4}, {1, 1, 2}},
         {{1, 3, 4}, {1, 1, 2}},
         "node (Nms): boxes [1,3,4] and scores [1,1,2] differ in their number of boxes: 3 and 2"},
        {{.op = "LSTM",
          .opset = 14,
          .attributes = {{"hidden_size", int64_t{2}}},
          .inputs = {zeros({3, 1, 4}), zeros({1, 8, 4}), zeros({1, 8, 2})},
          .constants = 4},
         {{3, 1, 5}, {1, 8, 5}},
         {{3, 1, 4}, {1, 8, 5}},
         "node (Rnn)"},
        {{.op = "Attention",
          .opset = 23,
          .attributes = {{"scale", 0.5F}},
          .inputs = {zeros({1, 2, 3, 4}), zeros({1, 2, 5, 4}), zeros({1, 2, 5, 4})}},
         {{1, 2, 3, 6}, {1, 2, 5, 6}, {1, 2, 5, 6}},
         {{1, 2, 3, 4}, {1, 2, 5, 6}, {1, 2, 5, 6}},
         "node (Attention): the query [1,2,3,4] and the key [1,2,5,6] differ in the head size: 4 against 6"},
        {{.op = "RotaryEmbedding", .opset = 23, .inputs = {zeros({1, 2, 3, 4}), zeros({1, 3, 2}), zeros({1, 3, 2})}},
         {{1, 2, 3, 6}, {1, 3, 3}, {1, 3, 3}},
         {{1, 2, 3, 4}, {1, 3, 3}, {1, 3, 3}},
         "node (RotaryEmbedding)"},
        {{.op = "NegativeLogLikelihoodLoss", .inputs = {zeros({2, 3}), longs({2})}},
         {{3, 3}, {3}},
         {{2, 3}, {3}},
         "node"},
        {{.op = "DeformConv", .opset = 22, .inputs = {zeros({1, 1, 3, 3}), zeros({1, 1, 2, 2}), zeros({1, 8, 2, 2})}},
         {{1, 2, 3, 3}, {1, 2, 2, 2}, {1, 8, 2, 2}},
         {{1, 2, 3, 3}, {1, 1, 2, 2}, {1, 8, 2, 2}},
         "node (DeformConvolution): W [1,1,2,2] has 1 channels in each of 1 groups, X [1,2,3,3] has 2"},
    });
}

} // namespace
} // namespace tenon::onnx
