// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/run_engine.h"

#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "plugin/plugin_layer.h"
#include "support/tested_device.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tenon::test {
namespace {

/// Keeps each output in memory of its own.
class Kept final : public OutputSink {
public:
    explicit Kept(Device device) : backend_(backendOf(device)) {}
    void* allocate(std::string const&, size_t bytes) override {
        memory_ = backend_.allocate(bytes);
        return memory_.get();
    }
    void shapeIs(std::string const&, Dims const& dims) override { dims_ = dims; }
    Literal literal(DataType type) const {
        auto const host = allocateHost(bytesOf(type, dims_.volume()));
        backend_.copy(host.get(), memory_.get(), bytesOf(type, dims_.volume()), nullptr);
        backend_.synchronize(nullptr);
        return Literal::borrowed(type, dims_, host.get(), host);
    }

private:
    Backend const& backend_;
    std::shared_ptr<void> memory_;
    Dims dims_;
};

/// A profile's values of a shape tensor: integers. It has none for others, whose effects are known only in the run.
std::vector<int64_t> valuesFor(Literal const& input) {
    if (!isFloat(input.type())) return input.toInt64();
    std::vector<int64_t> values;
    for (float const value : input.toFloat()) {
        if (!(std::abs(value) < 1e9F) || value != std::floor(value)) return {};
        values.push_back(static_cast<int64_t>(value));
    }
    return values;
}

Profile profileFor(Graph const& network, std::vector<Literal> const& inputs) {
    Profile profile;
    for (size_t i = 0; i < inputs.size(); ++i) {
        Dims const& dims = inputs[i].dims();
        InputRange& range = profile[network.inputs()[i]->name];
        range = {dims, dims, dims, {}, {}, {}};
        if (dims.rank() <= 1) range.minValues = range.optValues = range.maxValues = valuesFor(inputs[i]);
    }
    return profile;
}

BuildConfig forTests(BuildConfig config) {
    config.device = testedDevice();
    config.settings.precision.tf32 = false; // the expected values are exact
    return config;
}

Engine& withItsWeights(Engine& engine) {
    engine.settleWeights();
    return engine;
}

} // namespace

Plan saved(Plan plan) {
    auto const isPlugin = [](auto const& node) { return as<PluginLayer>(*node->layer) != nullptr; };
    if (std::ranges::any_of(plan.graph.nodes(), isPlugin)) return plan;
    ReadOptions options;
    options.device = testedDevice();
    return readPlan(writePlan(plan), options);
}

EngineRun::EngineRun(Graph const& network, BuildConfig config)
    : engine_(saved(build(network, forTests(std::move(config))))), context_(withItsWeights(engine_), 1) {}

std::vector<Literal> EngineRun::run(std::vector<Literal> const& inputs) {
    Backend const& backend = engine_.backend();
    Graph const& graph = engine_.plan().graph;
    std::vector<std::shared_ptr<void>> fed;
    for (size_t i = 0; i < inputs.size(); ++i) {
        context_.setInputShape(graph.inputs()[i], inputs[i].dims());
        if (graph.inputs()[i]->label.device == Device::Cpu) {
            context_.setAddress(graph.inputs()[i], const_cast<void*>(inputs[i].data()));
            continue;
        }
        fed.push_back(backend.allocate(inputs[i].bytes()));
        backend.copy(fed.back().get(), inputs[i].data(), inputs[i].bytes(), nullptr);
        backend.synchronize(nullptr);
        context_.setAddress(graph.inputs()[i], fed.back().get());
    }
    std::vector<Kept> kept;
    for (Tensor const* output : graph.outputs()) kept.emplace_back(output->label.device);
    for (size_t i = 0; i < kept.size(); ++i) context_.setSink(graph.outputs()[i], &kept[i]);
    context_.enqueue(nullptr);
    std::vector<Literal> results;
    for (size_t i = 0; i < kept.size(); ++i) results.push_back(kept[i].literal(graph.outputs()[i]->type));
    return results;
}

std::vector<Literal> runEngine(Graph const& network, std::vector<Literal> const& inputs, BuildConfig config) {
    config.profiles = {profileFor(network, inputs)};
    return EngineRun(network, std::move(config)).run(inputs);
}

} // namespace tenon::test
