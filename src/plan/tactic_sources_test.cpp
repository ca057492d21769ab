// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/constant/constant.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

namespace tenon {
namespace {

/// a [4,64] · b [64,32], both inputs, and numbers for these.
struct Product {
    Graph graph;
    std::vector<Literal> inputs{test::spread({4, 64}, 1, -1), test::spread({64, 32}, -1, 1)};

    Product() {
        Tensor* const a = graph.addInput("a", DataType::Float32, {4, 64});
        Tensor* const b = graph.addInput("b", DataType::Float32, {64, 32});
        graph.markOutput(graph.emit(MatrixMultiply{}, {a, b}, "product"));
    }
};

Assignment const& productOf(Plan const& plan) {
    for (Assignment const& assignment : plan.nodes) {
        if (assignment.node->kind() == MatrixMultiply::kKind) return assignment;
    }
    fail(ErrorCode::Internal, "there is no product");
}

std::string_view refusalOf(std::string_view kernel, Assignment const& assignment) {
    for (Weighed const& weighed : assignment.weighed) {
        if (weighed.kernel == kernel) return weighed.refusal;
    }
    return "it was not asked";
}

TEST(TacticSources, leaveOutKernelsOfALibraryWhereThereAreOthers) {
    Product const product;
    BuildConfig config;
    std::string const first(productOf(build(product.graph, config)).kernel->name());
    EXPECT_EQ(first, "onednn_matmul");
    config.settings.avoidedLibraries = "another onednn";
    Plan const plan = build(product.graph, config);
    Assignment const& other = productOf(plan);
    EXPECT_FALSE(other.kernel->name().starts_with("onednn")) << other.kernel->name();
    EXPECT_EQ(refusalOf(first, other), "is not among the tactic sources");
    test::expectClose(test::runEngine(product.graph, product.inputs, config)[0],
                      test::runEngine(product.graph, product.inputs)[0], 1e-5, "without oneDNN");
}

TEST(TacticSources, keepALibraryThatNothingReplaces) {
    Product const product;
    BuildConfig config;
    config.settings.avoidedLibraries = "onednn reference";
    EXPECT_EQ(productOf(build(product.graph, config)).kernel->name(), "onednn_matmul");
}

TEST(TacticSources, areKeptWithThePlan) {
    Product const product;
    BuildConfig config;
    config.settings.avoidedLibraries = "onednn";
    config.settings.compiles = false;
    config.settings.sparse = true;
    Plan const plan = test::saved(build(product.graph, config));
    EXPECT_EQ(plan.settings.avoidedLibraries, "onednn");
    EXPECT_FALSE(plan.settings.compiles);
    EXPECT_TRUE(plan.settings.sparse);
}

} // namespace
} // namespace tenon
