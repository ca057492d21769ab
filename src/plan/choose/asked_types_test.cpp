// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/asked_types.h"

#include "base/error.h"
#include "layers/activation/activation.h"
#include "layers/bit_cast/bit_cast.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/nms/nms.h"
#include "layers/reduce/reduce.h"
#include "layers/unary/unary.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "support/layer_case.h"

#include <algorithm>

namespace tenon {
namespace {

using enum DataType;

BuildConfig config(AskedTypes asked = AskedTypes::Obeyed) {
    BuildConfig config;
    config.settings.precision.float16 = true;
    config.settings.precision.asked = asked;
    return config;
}

/// relu(convolution(x) + bias)
struct Rectified {
    Rectified() {
        Tensor* x = graph.addInput("x", Float32, {1, 32, 16, 16});
        Tensor* weights = graph.emit(Constant(test::spread({32, 32, 3, 3}, -0.1F, 0.1F)), {});
        conv = graph.add(std::make_unique<Convolution>(), {x, weights}, "conv");
        relu = graph.add(std::make_unique<Activation>(), {conv->output()}, "relu");
        relu->output()->name = "y";
        graph.markOutput(relu->output());
    }

    Graph graph;
    Node* conv;
    Node* relu;
};

/// The types of the tensors that kernels produce, in execution order, without reformats.
std::string typesMade(Plan const& plan) {
    std::string all;
    for (Assignment const& one : plan.nodes) {
        if (one.node->kind() == "Reformat") continue;
        all += text(all.empty() ? "" : ", ", one.node->kind(), ' ', one.variant.outputs[0].type);
    }
    return all;
}

TEST(AskedTypes, fuseWithTheSameOnly) {
    Rectified r;
    r.conv->askedType = r.relu->askedType = Float16;
    EXPECT_EQ(typesMade(build(r.graph, config())), "Convolution float16");
    r.relu->askedType = Float32;
    EXPECT_EQ(typesMade(build(r.graph, config())), "Convolution float16, Pointwise float32");
    r.conv->askedType = Float32;
    EXPECT_EQ(typesMade(build(r.graph, config())), "Convolution float32");
    r.conv->askedType.reset();
    EXPECT_EQ(build(r.graph, config(AskedTypes::Ignored)).nodes.size(),
              build(Rectified().graph, config()).nodes.size());
}

TEST(AskedTypes, ofAnOutputKeepIt) {
    Rectified r;
    r.conv->output()->askedType = Float16;
    Plan const plan = build(r.graph, config());
    EXPECT_TRUE(typesMade(plan).starts_with("Convolution float16, ")) << typesMade(plan);
}

/// (x - mean) / sqrt(variance + 1), node by node.
TEST(AskedTypes, reachWhatPassesMakeOfNodes) {
    Graph graph;
    Tensor* x = graph.addInput("x", Float32, {4, 64});
    auto const average = [&](Tensor* of) {
        Reduce layer;
        layer.operation = ReduceOperation::Avg;
        layer.axes = {-1};
        layer.keepDimensions = true;
        return graph.emit(layer, {of});
    };
    auto const number = [&](float value) { return graph.emit(Constant(test::floats({1}, {value})), {}); };
    Tensor* const centered = graph.emit(elementwise(PointwiseOp::Sub), {x, average(x)});
    Tensor* const squared = graph.emit(elementwise(PointwiseOp::Pow), {centered, number(2)});
    Unary root;
    root.operation = PointwiseOp::Sqrt;
    Tensor* const deviation =
        graph.emit(root, {graph.emit(elementwise(PointwiseOp::Sum), {average(squared), number(1)})});
    graph.markOutput(graph.emit(elementwise(PointwiseOp::Div), {centered, deviation}));
    for (DataType const type : {Float16, Float32}) {
        for (auto const& node : graph.nodes()) node->askedType = type;
        EXPECT_EQ(typesMade(build(graph, config())), text("Normalization ", type));
    }
}

TEST(AskedTypes, areKeptInTheNetworkOfAPlan) {
    Rectified r;
    r.conv->askedType = Float16;
    r.relu->output()->askedType = Float32;
    Plan const plan = readPlan(writePlan(build(r.graph, config())));
    EXPECT_EQ(plan.settings.precision.asked, AskedTypes::Obeyed);
    Graph const network = plan.network();
    std::string asked;
    for (auto const& node : network.nodes()) {
        if (node->askedType || node->output()->askedType) asked += text(node->name, ": ", askedOf(*node), "; ");
    }
    EXPECT_EQ(asked, "conv: requested to compute in float16; relu: requested to produce y in float32; ");
}

/// The bits of a half are not those of a float.
struct Bits {
    Bits() {
        BitCast layer;
        layer.to = Int32;
        bits = graph.add(std::make_unique<BitCast>(layer), {graph.addInput("x", Float32, {4})}, "bits");
        bits->askedType = Float16;
        graph.markOutput(bits->output());
    }

    Graph graph;
    Node* bits;
    std::string said = "bits (BitCast): requested to compute in float16, and no implementation on the cpu supports it "
                       "at [4]:\n  bit_cast: reads x as float32\n  reference: reads x as float32";
};

TEST(AskedTypes, thatNothingComputesInAreRefusedWithWhatIsDoneInstead) {
    Bits b;
    EXPECT_EQ(test::errorOf([&] { build(b.graph, config()); }), b.said);
}

/// The warnings if types are preferred.
std::string warningsFor(Graph const& graph) {
    std::string warnings;
    BuildConfig with = config(AskedTypes::Preferred);
    with.log = [&](Severity severity, std::string const& text) {
        if (severity == Severity::Warning) warnings += text;
    };
    build(graph, with);
    return warnings;
}

TEST(AskedTypes, thatNothingComputesInArePreferredInVain) {
    Bits b;
    EXPECT_EQ(warningsFor(b.graph), b.said + "\nOther types are chosen");
}

TEST(AskedTypes, thatTakeLongAreMetOnlyWhereTheyAreObeyed) {
    Graph graph;
    Tensor* const most = graph.emit(Constant(Literal::of({}, std::vector<int64_t>{2})), {});
    Tensor* const boxes = graph.addInput("boxes", Float32, {1, 8, 4});
    Node* const nms =
        graph.add(std::make_unique<Nms>(), {boxes, graph.addInput("scores", Float32, {1, 8, 2}), most}, "nms");
    graph.markOutput(nms->output());
    nms->askedType = Float16; // a type in which only the reference computes it
    std::string const warned = warningsFor(graph);
    EXPECT_TRUE(warned.starts_with("nms (Nms): requested to compute in float16, and no implementation on the cpu "
                                   "supports it in less than 20 times the time at [1,8,4], [1,8,2], []:\n"))
        << warned;
    EXPECT_EQ(build(graph, config()).nodes.back().kernel->name(), "reference");
}

} // namespace
} // namespace tenon
