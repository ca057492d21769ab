// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/loaded_engine.h"

#include "layers/reformat/reformat.h"
#include "trt/edge/convert.h"
#include "trt/edge/edge.h"

#include <algorithm>

namespace tenon::trt {
namespace {

bool isReformat(Node const* node) { return node != nullptr && node->kind() == Reformat::kKind; }

/// Neither a copy in another format nor the source of an output of the engine that is a copy.
bool isOwn(Graph const& graph, Tensor const& tensor) {
    if (graph.isOutput(&tensor)) return true;
    auto const makesOutput = [&](Node const* reader) { return isReformat(reader) && graph.isOutput(reader->output()); };
    return !isReformat(tensor.producer()) && std::ranges::none_of(tensor.readers(), makesOutput);
}

} // namespace

LoadedEngine::LoadedEngine(std::shared_ptr<Engine> engine, int contextThreads,
                           nvinfer1::IGpuAllocator* contextAllocator)
    : core(std::move(engine)), threads(contextThreads), allocator(contextAllocator) {
    Graph const& graph = core->plan().graph;
    ios.assign(graph.inputs().begin(), graph.inputs().end());
    ios.insert(ios.end(), graph.outputs().begin(), graph.outputs().end());
    for (auto const& tensor : graph.tensors()) {
        if (isOwn(graph, *tensor)) ownTensors.insert(tensor.get());
    }
    forEachPlan(core->plan(), [&](Plan const& plan) {
        for (auto const& tensor : plan.graph.tensors()) {
            if (tensor->isDebug) debugTensors.push_back(tensor.get());
        }
    });
}

nvinfer1::Dims64 LoadedEngine::shown(nvinfer1::Dims64 const& dims) const {
    return hasImplicitBatch() ? behindBatch(dims) : dims;
}

Tensor const& LoadedEngine::ioTensor(char const* name) const {
    expectText(name, "tensorName");
    auto const found = std::ranges::find_if(ios, [&](Tensor const* io) { return io->name == name; });
    if (found != ios.end()) return **found;
    std::string names;
    for (Tensor const* io : ios) names += text(names.empty() ? "" : ", ", io->name);
    fail(ErrorCode::InvalidArgument, "no input or output is called ", std::string_view(name), "; there are: ", names);
}

std::vector<Tensor const*> LoadedEngine::debugTensorsNamed(char const* name) const {
    std::vector<Tensor const*> named;
    std::ranges::copy_if(debugTensors, std::back_inserter(named),
                         [&](Tensor const* tensor) { return name && tensor->name == name; });
    return named;
}

nvinfer1::ProfilingVerbosity LoadedEngine::verbosity() const {
    return static_cast<nvinfer1::ProfilingVerbosity>(core->plan().settings.verbosity);
}

size_t LoadedEngine::memoryBytes(int profile) const {
    return readWeights([&](Engine const& engine) { return engine.memoryBytes(profile); });
}

size_t LoadedEngine::memoryBytes() const {
    size_t most = 0;
    for (size_t i = 0; i < core->plan().profiles.size(); ++i) most = std::max(most, memoryBytes(static_cast<int>(i)));
    return most;
}

void LoadedEngine::settleWeights() const {
    std::lock_guard const lock(weightsMutex_);
    core->settleWeights();
}

void LoadedEngine::setWeightBudget(size_t bytes) const {
    std::lock_guard const lock(weightsMutex_);
    core->setWeightBudget(bytes);
}

char const* LoadedEngine::lastingText(std::string const& text) const {
    std::lock_guard const lock(textsMutex_);
    return texts_.insert(text).first->c_str();
}

} // namespace tenon::trt
