// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans of another GPU: packed weights and compiled code are made again. Skipped if there is no GPU.

#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/unary/unary.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

struct CudaPlan : testing::Test {
    void SetUp() override {
        if (std::string const why = test::absenceOf(Device("cuda")); !why.empty()) GTEST_SKIP() << why;
    }

    /// A convolution, and the sine of the exponential: packed weights, and compiled steps.
    static Plan plan() {
        Graph graph;
        Tensor* x = graph.addInput("x", DataType::Float32, {2, 8, 9, 9});
        Tensor* weights = graph.emit(Constant(test::spread({4, 8, 3, 3}, -1, 1)), {});
        graph.markOutput(graph.emit(Convolution{}, {x, weights}, "conv"));
        for (PointwiseOp operation : {PointwiseOp::Exp, PointwiseOp::Sin}) {
            Unary unary;
            unary.operation = operation;
            x = graph.emit(unary, {x});
        }
        graph.markOutput(x);
        BuildConfig config;
        config.device = Device("cuda");
        return build(graph, config);
    }

    Plan read(Plan const& plan) {
        ReadOptions options;
        options.device = Device("cuda");
        options.log = [&](Severity, std::string const& line) { logged.push_back(line); };
        return readPlan(writePlan(plan), options);
    }

    static std::string here() { return backendOf(Device("cuda")).describe(); }

    std::vector<std::string> logged;
};

TEST_F(CudaPlan, ofThisGpuIsTakenAsItIs) {
    Plan const made = plan();
    EXPECT_EQ(writePlan(read(made)), writePlan(made));
    EXPECT_EQ(logged, std::vector<std::string>());
}

TEST_F(CudaPlan, ofAnotherGpuHasItsWeightsAndCodeMadeAgain) {
    Plan const made = plan();
    Plan other = plan();
    other.builtOn = "some other GPU";
    int packed = 0;
    for (Assignment& assignment : other.nodes) {
        if (!assignment.packed) continue;
        Literal const& bytes = assignment.packed->bytes;
        std::vector<std::byte> const garbage(bytes.bytes(), std::byte{0x7f});
        assignment.packed =
            std::make_shared<Packed>(Packed{"sm_75", Literal::copyOf(DataType::UInt8, bytes.dims(), garbage.data())});
        ++packed;
    }
    ASSERT_GE(packed, 1);
    Plan const again = read(other);
    for (size_t i = 0; i < made.nodes.size(); ++i) {
        if (!made.nodes[i].packed) continue;
        EXPECT_EQ(again.nodes[i].packed->key, made.nodes[i].packed->key);
        EXPECT_EQ(again.nodes[i].packed->bytes, made.nodes[i].packed->bytes);
    }
    EXPECT_EQ(logged,
              (std::vector<std::string>{text("the engine was built on some other GPU; the weights or the code of ",
                                             packed, " nodes are created again for ", here())}));
}

std::vector<Literal> constantsOf(Graph const& graph) {
    std::vector<Literal> constants;
    for (auto const& node : graph.nodes()) {
        if (node->layer->constant()) constants.push_back(*node->layer->constant());
    }
    return constants;
}

/// y = f(x) with constants of these dims after x.
void addOutput(Graph& graph, Layer const& f, Dims const& x, std::vector<Dims> const& constants) {
    std::vector<Tensor*> inputs{graph.addInput(text(f.kind(), graph.inputs().size()), DataType::Float32, toShape(x))};
    for (Dims const& dims : constants) inputs.push_back(graph.emit(Constant(test::spread(dims, -1, 1)), {}));
    graph.markOutput(graph.add(f.clone(), inputs, text(f.kind(), graph.nodes().size()))->output());
}

// A convolution, a depthwise one, a transposed one with adjacent windows, and products with B plain and transposed.
TEST_F(CudaPlan, holdsWeightsOnceThatKernelsPack) {
    Graph graph;
    Convolution byChannels;
    byChannels.groups = 64;
    Deconvolution backwards;
    backwards.window.stride = {2, 2};
    MatrixMultiply turned;
    turned.b = MatrixOperation::Transpose;
    addOutput(graph, Convolution{}, {2, 64, 9, 9}, {{64, 64, 3, 3}, {64}});
    addOutput(graph, byChannels, {2, 64, 32, 32}, {{64, 1, 5, 5}, {64}});
    addOutput(graph, backwards, {2, 64, 16, 16}, {{64, 64, 2, 2}, {64}});
    addOutput(graph, MatrixMultiply{}, {40, 256}, {{256, 192}});
    addOutput(graph, turned, {40, 256}, {{192, 256}});
    BuildConfig config;
    config.device = Device("cuda");
    Plan const made = build(graph, config);
    size_t weights = 0;
    for (Literal const& constant : constantsOf(graph)) weights += constant.bytes();
    Bytes const bytes = writePlan(made);
    size_t const overhead = 30000; // the description
    EXPECT_LT(bytes.size(), weights + weights / 4 + overhead);
    ReadOptions options;
    options.device = Device("cuda");
    Plan const read = readPlan(bytes, options);
    EXPECT_EQ(constantsOf(made.graph).size(), 8U);
    EXPECT_EQ(constantsOf(read.graph), constantsOf(made.graph));
    EXPECT_EQ(constantsOf(read.network()), constantsOf(graph));
}

TEST_F(CudaPlan, namesTheArchitectureInTheKeyOfCompiledCode) {
    Plan const made = plan();
    for (Assignment const& assignment : made.nodes) {
        if (assignment.variant.code) {
            EXPECT_TRUE(assignment.packed->key.starts_with("sm_") || assignment.packed->key.starts_with("compute_"))
                << assignment.packed->key;
        }
    }
}

TEST_F(CudaPlan, ofAnotherGpuForgetsWhatWasTimedThere) {
    Plan made = plan();
    auto const timed = std::ranges::find_if(
        made.nodes, [](Assignment const& a) { return a.kernel && a.kernel->tactics(a.variant).size() > 1; });
    if (timed == made.nodes.end()) GTEST_SKIP() << "no kernel has several ways: cuDNN is not there";
    auto const tactics = timed->kernel->tactics(timed->variant);
    timed->variant.tactic = tactics[1];
    auto const at = static_cast<size_t>(timed - made.nodes.begin());
    EXPECT_EQ(read(made).nodes[at].variant.tactic, tactics[1]);
    EXPECT_EQ(logged, std::vector<std::string>());
    made.builtOn = "some other GPU";
    EXPECT_EQ(read(made).nodes[at].variant.tactic, tactics[0]);
    EXPECT_EQ(logged,
              (std::vector<std::string>{"the engine was built on some other GPU, and 1 kernels were timed there; "
                                        "default tactics are used here; rebuild the engine to tune it"}));
}

} // namespace
} // namespace tenon
