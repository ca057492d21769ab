// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/isa.h"
#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"

#include "layers/shuffle/shuffle.h"
#include "plan/build.h"
#include "runtime/context.h"
#include "support/fake_plugin.h"
#include "support/layer_case.h"

#include <algorithm>

namespace tenon {
namespace {

/// x [1,32,16,16] → convolution → flattened → KeepPositive, which accepts float32 only
Graph network(test::FakeLog& log) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 32, 16, 16});
    Tensor* weights = graph.emit(Constant(test::spread({32, 32, 3, 3}, -0.1F, 0.1F)), {});
    Tensor* y = graph.emit(Convolution{}, {x, weights}, "conv");
    Node* keep = graph.add(std::make_unique<PluginLayer>(std::make_unique<test::FakePlugin>(log)),
                           {graph.emit(Shuffle::reshaping({-1}), {y})}, "keep");
    keep->output(0)->name = "kept";
    graph.markOutput(keep->output(0));
    return graph;
}

TEST(Precision, leavesAPluginTheTypeThatItTakes) {
    test::FakeLog log;
    BuildConfig config;
    config.settings.precision.bfloat16 = config.settings.precision.float16 = true;
    Plan const plan = build(network(log), config);
    auto const plugin = std::ranges::find_if(plan.nodes, [](auto const& one) { return one.node->name == "keep"; });
    ASSERT_NE(plugin, plan.nodes.end());
    EXPECT_EQ(plugin->node->input(0)->label, Label{});
    EXPECT_EQ(plugin->node->output(0)->label, Label{});
}

TEST(Precision, saysWhatIsKeptAndComputedInWhat) {
    test::FakeLog log;
    BuildConfig config;
    EXPECT_TRUE(build(network(log), config).notes.empty());
    config.settings.precision.bfloat16 = true;
    std::string const note = build(network(log), config).notes.back();
    EXPECT_TRUE(note.starts_with("lower precision was allowed; results are kept: ")) << note;
    EXPECT_NE(note.find("; nodes compute: "), std::string::npos) << note;
}

TEST(Precision, isFloat32AsLongAsNothingElseIsAllowed) {
    test::FakeLog log;
    for (Assignment const& one : build(network(log), {}).nodes) {
        for (Label const& label : one.variant.outputs) EXPECT_NE(bitsOf(label.type), 16) << text(*one.node);
    }
}

TEST(Precision, multipliesOnlyInTypesThatTheCpuHasInstructionsFor) {
    test::FakeLog log;
    BuildConfig config;
    config.settings.precision.bfloat16 = config.settings.precision.float16 = true;
    for (Assignment const& one : build(network(log), config).nodes) {
        EXPECT_NE(one.variant.compute, DataType::Float16) << text(*one.node);
        EXPECT_TRUE(one.variant.compute != DataType::BFloat16 || cpu::multipliesPairs()) << text(*one.node);
    }
}

} // namespace
} // namespace tenon
