// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "plan/json/json_fields.h"
#include "support/layer_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

/// Changes the value of every field.
class Changing final : public Fields {
public:
    int count = 0;

    void operator()(std::string_view, bool& value) override { value = !value, ++count; }
    void operator()(std::string_view, int64_t& value) override { value += kMany, ++count; }
    void operator()(std::string_view, double& value) override { value += 1, ++count; }
    void operator()(std::string_view, std::string& value) override { value += 'x', ++count; }
    void operator()(std::string_view, DataType& value) override { value = DataType::Int32, ++count; }
    void operator()(std::string_view, std::vector<int64_t>& value) override { value.push_back(1), ++count; }
    void operator()(std::string_view, std::vector<double>& value) override { value.push_back(1), ++count; }
    void operator()(std::string_view name, Literal&) override { ADD_FAILURE() << name << ": change it too"; }
    void operator()(std::string_view, Shape& value) override { value.emplace_back(1), ++count; }
    void enumerator(std::string_view, int64_t& value, std::span<std::string_view const> names) override {
        value = (value + 1) % static_cast<int64_t>(names.size()), ++count;
    }
    void list(std::string_view, size_t count, std::function<void(size_t)> const& resize,
              Element const& element) override {
        resize(count + 1);
        element(count, *this);
    }
    bool visits(std::string_view, bool) override { return true; }

private:
    static constexpr int64_t kMany = int64_t{1} << 30; // a limit of workspace that kernels keep
};

std::string textOf(PlanSettings settings) {
    JsonWriter all({});
    settings.fields(all);
    settings.precision.fields(all);
    return all.json.dump();
}

/// Y = softmax(X), with these settings, as if built for a GPU.
Plan planOfAGpu(PlanSettings const& settings) {
    Graph graph;
    Tensor* y = graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3})}, "softmax");
    y->name = "y";
    graph.markOutput(y);
    BuildConfig config;
    config.profiles = {{{"x", {{1, 3}, {2, 3}, {4, 3}, {}, {}, {}}}}};
    config.settings = settings;
    Plan plan = build(graph, config);
    plan.device = Device("cuda");
    plan.builtOn = "some GPU";
    return plan;
}

TEST(RebuildPlan, keepsAllSettings) {
    PlanSettings const before;
    PlanSettings settings;
    Changing changing;
    settings.fields(changing);
    settings.precision.fields(changing);
    EXPECT_EQ(changing.count, 22);
    settings.isStripped = before.isStripped; // nothing is built without its weights
    Plan const again = readPlan(writePlan(planOfAGpu(settings)), {});
    EXPECT_EQ(again.device, Device::Cpu);
    EXPECT_EQ(textOf(again.settings), textOf(settings));
    EXPECT_NE(textOf(again.settings), textOf(before));
    EXPECT_TRUE(again.settings.isDirect("x"));
    EXPECT_EQ(again.settings.workspaceLimit, size_t{1} << 30);
}

TEST(RebuildPlan, keepsAWorkspaceLimitOfAnySize) {
    for (size_t const limit : {size_t{0}, size_t{12345}, SIZE_MAX}) {
        PlanSettings settings;
        settings.workspaceLimit = limit;
        EXPECT_EQ(readPlan(writePlan(planOfAGpu(settings)), {}).settings.workspaceLimit, limit);
    }
}

} // namespace
} // namespace tenon
