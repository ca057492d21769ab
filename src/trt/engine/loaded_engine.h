// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/registry.h"
#include "runtime/engine.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tenon::trt {

/// The common state of an engine of the API and its contexts. It lives as long as one of them: an application may
/// delete the engine first.
struct LoadedEngine {
    LoadedEngine(std::shared_ptr<Engine> engine, int threads, nvinfer1::IGpuAllocator* allocator);

    std::shared_ptr<Engine> core;
    int threads;                                 // of its contexts
    nvinfer1::IGpuAllocator* allocator;          // of their memory; null: from the device
    std::weak_ptr<PluginRegistry const> plugins; // of its runtime or builder, while that exists
    std::vector<Tensor const*> ios;              // inputs, then outputs

    bool hasImplicitBatch() const { return core->plan().settings.maxBatch > 0; }
    /// The largest batch of runs with a batch size.
    int32_t maxBatch() const { return static_cast<int32_t>(std::max<int64_t>(1, core->plan().settings.maxBatch)); }
    /// A tensor's dimensions as applications with binding numbers see them: without an implicit batch.
    nvinfer1::Dims64 shown(nvinfer1::Dims64 const& dims) const;
    /// Throws an Error for a name that is neither an input nor an output.
    Tensor const& ioTensor(char const* name) const;
    std::set<Tensor const*> ownTensors; // of its graph, without reformatted ones and those in loops
    /// Tensors marked for debugging, also in loops and conditionals.
    std::vector<Tensor const*> debugTensors;
    /// Those of this name: both branches of a conditional may have one.
    std::vector<Tensor const*> debugTensorsNamed(char const* name) const;
    nvinfer1::ProfilingVerbosity verbosity() const;
    /// Of activations and workspaces at the largest shapes of one profile, and of all. Any thread.
    size_t memoryBytes(int profile) const;
    size_t memoryBytes() const;
    /// Before a context is made: if no budget was set for weights that may be streamed, all go to the device. Any
    /// thread.
    void settleWeights() const;
    void setWeightBudget(size_t bytes) const;
    /// The result of read(core) on weights, which another thread may settle. Any thread.
    template <class Read> auto readWeights(Read const& read) const {
        std::lock_guard const lock(weightsMutex_);
        return read(*core);
    }
    /// A text that applications keep as long as the engine. Any thread.
    char const* lastingText(std::string const& text) const;

private:
    mutable std::mutex weightsMutex_;
    mutable std::mutex textsMutex_;
    mutable std::set<std::string> texts_;
};

} // namespace tenon::trt
