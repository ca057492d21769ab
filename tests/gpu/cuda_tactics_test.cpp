// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// All tactics of a kernel compute the same. Skipped without a GPU.

#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "plan/build.h"
#include "runtime/context.h"
#include "support/layer_case.h"
#include "support/run_graph.h"
#include "support/tested_device.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

struct CudaTactics : testing::Test {
    void SetUp() override {
        if (std::string const why = test::absenceOf(Device("cuda")); !why.empty()) GTEST_SKIP() << why;
    }

    /// y = f(x) with constant weights.
    static Graph network(Layer const& f, Dims const& x, Dims const& weights) {
        Graph graph;
        Tensor* const in = graph.addInput("x", DataType::Float32, toShape(x));
        Tensor* const constant = graph.emit(Constant(test::spread(weights, -1, 1)), {});
        graph.markOutput(graph.add(f.clone(), {in, constant}, "f")->output());
        return graph;
    }

    static Plan plan(Graph const& network, bool half, PlanSettings const& settings) {
        BuildConfig config;
        config.device = Device("cuda");
        config.settings = settings;
        config.settings.precision.float16 = half;
        config.settings.precision.tf32 = false;
        return build(network, config);
    }

    static Literal run(Plan made, Literal const& x) {
        Backend const& backend = backendOf(Device("cuda"));
        Engine const engine(std::move(made));
        Tensor const* const output = engine.plan().graph.outputs()[0];
        Context context(engine);
        Dims const dims = toDims(output->shape);
        auto const in = backend.allocate(x.bytes());
        auto const out = backend.allocate(bytesOf(output->type, dims.volume()));
        backend.copy(in.get(), x.data(), x.bytes(), nullptr);
        context.setAddress(engine.plan().graph.inputs()[0], in.get());
        context.setAddress(output, out.get());
        for (int i = 0; i < 3; ++i) context.enqueue(nullptr); // also recorded
        auto const host = allocateHost(bytesOf(output->type, dims.volume()));
        backend.copy(host.get(), out.get(), bytesOf(output->type, dims.volume()), nullptr);
        backend.synchronize(nullptr);
        return Literal::borrowed(output->type, dims, host.get(), host);
    }

    static bool isF(Assignment const& assignment) { return assignment.kernel && assignment.node->name == "f"; }
    static Assignment const& fOf(Plan const& plan) { return *std::ranges::find_if(plan.nodes, isF); }

    /// Compares each tactic of the kernel of node f with the reference.
    static void expectAllTheSame(Graph const& network, Literal const& x, PlanSettings const& settings = {}) {
        Literal const expected = test::runGraph(network, {x})[0];
        for (bool half : {false, true}) {
            Plan const first = plan(network, half, settings);
            auto const node = std::ranges::find_if(first.nodes, isF);
            ASSERT_NE(node, first.nodes.end());
            auto const tactics = node->kernel->tactics(node->variant);
            EXPECT_GT(tactics.size(), 1U) << node->kernel->name();
            for (int64_t const tactic : tactics) {
                Plan made = plan(network, half, settings);
                std::ranges::find_if(made.nodes, isF)->variant.tactic = tactic;
                test::expectClose(run(std::move(made), x), expected, half ? 2e-2 : 1e-4,
                                  text(node->kernel->name(), half ? " in float16" : " in float32", ", way ", tactic));
            }
        }
    }
};

TEST_F(CudaTactics, ofAMatrixProductComputeTheSame) {
    expectAllTheSame(network(MatrixMultiply{}, {96, 256}, {256, 200}), test::spread({96, 256}, -1, 1));
}

TEST_F(CudaTactics, ofAConvolutionComputeTheSame) {
    expectAllTheSame(network(Convolution{}, {2, 64, 14, 14}, {32, 64, 3, 3}), test::spread({2, 64, 14, 14}, -1, 1));
}

TEST_F(CudaTactics, ofALibraryThatIsLeftOutAreNotTaken) {
    Graph const convolution = network(Convolution{}, {1, 32, 12, 12}, {32, 32, 3, 3});
    Literal const x = test::spread({1, 32, 12, 12}, -1, 1);
    PlanSettings settings;
    settings.avoidedLibraries = "cudnn";
    Plan made = plan(convolution, false, settings);
    EXPECT_FALSE(fOf(made).kernel->name().starts_with("cudnn")) << fOf(made).kernel->name();
    test::expectClose(run(std::move(made), x), test::runGraph(convolution, {x})[0], 1e-4, "without cuDNN");

    settings.avoidedLibraries = "cublaslt"; // which is not replaced
    Graph const product = network(MatrixMultiply{}, {32, 64}, {64, 32});
    EXPECT_EQ(fOf(plan(product, false, settings)).kernel->name(), "cublaslt_matmul");
}

TEST_F(CudaTactics, ofAConvolutionThatCompilesNothingComputeTheSame) {
    PlanSettings settings;
    settings.compiles = false;
    Graph const convolution = network(Convolution{}, {1, 32, 12, 12}, {32, 32, 3, 3});
    constexpr int64_t kCompilesNothing = int64_t{1} << 32;
    EXPECT_GE(fOf(plan(convolution, true, settings)).variant.tactic, kCompilesNothing);
    EXPECT_LT(fOf(plan(convolution, true, {})).variant.tactic, kCompilesNothing);
    expectAllTheSame(convolution, test::spread({1, 32, 12, 12}, -1, 1), settings);
}

} // namespace
} // namespace tenon
