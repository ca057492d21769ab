// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/run_engine.h"

#include "plan/build.h"
#include "runtime/context.h"

#include <map>

namespace tenon::test {
namespace {

/// Keeps each output in memory of its own.
class Kept final : public OutputSink {
public:
    void* allocate(std::string const&, size_t bytes) override {
        memory_ = allocateHost(bytes);
        return memory_.get();
    }
    void shapeIs(std::string const&, Dims const& dims) override { dims_ = dims; }
    Literal literal(DataType type) const { return Literal::borrowed(type, dims_, memory_.get(), memory_); }

private:
    std::shared_ptr<void> memory_;
    Dims dims_;
};

Profile profileFor(Graph const& network, std::vector<Literal> const& inputs) {
    Profile profile;
    for (size_t i = 0; i < inputs.size(); ++i) {
        Dims const& dims = inputs[i].dims();
        InputRange& range = profile[network.inputs()[i]->name];
        range = {dims, dims, dims, {}, {}, {}};
        if (isInteger(inputs[i].type()) && dims.rank() <= 1)
            range.minValues = range.optValues = range.maxValues = inputs[i].toInt64();
    }
    return profile;
}

} // namespace

std::vector<Literal> runEngine(Graph const& network, std::vector<Literal> const& inputs, BuildConfig config) {
    config.profiles = {profileFor(network, inputs)};
    Engine const engine(build(network, config));
    Graph const& graph = engine.plan().graph;
    Context context(engine, 1);
    for (size_t i = 0; i < inputs.size(); ++i) {
        context.setInputShape(graph.inputs()[i], inputs[i].dims());
        context.setAddress(graph.inputs()[i], const_cast<void*>(inputs[i].data()));
    }
    std::vector<Kept> kept(graph.outputs().size());
    for (size_t i = 0; i < kept.size(); ++i) context.setSink(graph.outputs()[i], &kept[i]);
    context.enqueue(nullptr);
    std::vector<Literal> results;
    for (size_t i = 0; i < kept.size(); ++i) results.push_back(kept[i].literal(graph.outputs()[i]->type));
    return results;
}

} // namespace tenon::test
