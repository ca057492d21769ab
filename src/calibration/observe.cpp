// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/observe.h"

#include "base/error.h"
#include "graph/body.h"
#include "graph/reformat.h"
#include "plan/build.h"
#include "runtime/context.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

/// All three points at the optimum: the network is static, or as static as possible.
Profile atOptimum(Profile profile) {
    for (auto& [name, range] : profile) {
        range.min = range.max = range.opt;
        range.minValues = range.maxValues = range.optValues;
    }
    return profile;
}

/// The network to observe: requested types apply to the engine, not to this run.
Graph prepared(Graph const& network, std::set<std::string> const& names) {
    Graph graph = network;
    forEachNode(graph, [](Node& node) {
        if (!node.isFirm) node.askedType.reset();
    });
    for (auto const& tensor : graph.tensors()) {
        tensor->askedType.reset();
        tensor->isDebug = names.contains(tensor->name);
    }
    return graph;
}

Plan planOf(Graph const& network, std::set<std::string> const& names, ObserveConfig const& config) {
    BuildConfig inner;
    inner.device = config.device;
    inner.profiles = {atOptimum(config.profile)};
    inner.settings.precision.tf32 = config.settings.precision.tf32;
    inner.settings.maxBatch = config.settings.maxBatch;
    inner.settings.pluginAliases = config.settings.pluginAliases;
    inner.settings.workspaceLimit = config.workspaceLimit;
    inner.keepNetwork = false;
    inner.log = config.log;
    return build(prepared(network, names), inner);
}

/// Keeps the memory of one output until the next run.
class Dropped final : public OutputSink {
public:
    Dropped(Backend const& backend, Device where) : backend_(backend), where_(where) {}
    void* allocate(std::string const&, size_t bytes) override {
        if (bytes > bytes_ || !memory_) {
            memory_ = where_ == Device::Cpu ? allocateHost(bytes) : backend_.allocate(bytes);
            bytes_ = bytes;
        }
        return memory_.get();
    }
    void shapeIs(std::string const&, Dims const&) override {}

private:
    Backend const& backend_;
    Device where_;
    std::shared_ptr<void> memory_;
    size_t bytes_ = 0;
};

class Observation {
public:
    Observation(Graph const& network, std::set<std::string> const& names, ObserveConfig const& config)
        : config_(config), engine_(planOf(network, names, config), config.log), context_(engine_, 0, config.resources) {
        for (Tensor const* output : graph().outputs()) outputs_.emplace_back(engine_.backend(), output->label.device);
        for (size_t i = 0; i < outputs_.size(); ++i) context_.setSink(graph().outputs()[i], &outputs_[i]);
        auto const at = inputsAt(graph(), engine_.plan().profiles.front(), ProfilePoint::Opt);
        for (size_t i = 0; i < at.size(); ++i) {
            Tensor const* input = graph().inputs()[i];
            context_.setInputShape(input, at[i].dims);
            if (!input->onHost) {
                inputs_.push_back(input);
                continue;
            }
            hostInputs_.push_back(at[i].host);
            context_.setAddress(input, const_cast<void*>(hostInputs_.back().data()));
        }
        context_.setWatch([this](Tensor const& tensor, Dims const& dims, void const* data) {
            bool const hasRange = tensor.isDebug && !tensor.onHost && !tensor.literal();
            if (hasRange) take(tensor, dims, data);
        });
    }

    Histograms run(NextBatch const& next) {
        std::vector<void*> addresses(inputs_.size());
        for (int64_t batch = 0;; ++batch) {
            std::ranges::fill(addresses, nullptr);
            if (!next(inputs_, addresses)) break;
            locate([&] { return text("batch ", batch); }, [&] { runOne(addresses); });
        }
        return std::move(found_);
    }

private:
    Graph const& graph() const { return engine_.plan().graph; }

    void runOne(std::vector<void*> const& addresses) {
        for (size_t i = 0; i < inputs_.size(); ++i) context_.setAddress(inputs_[i], addresses[i]);
        context_.enqueue(nullptr);
        engine_.backend().synchronize(nullptr);
    }

    void take(Tensor const& tensor, Dims const& dims, void const* data) {
        if (dims.volume() == 0) return; // no values is not a tensor of zeros
        auto const values = onHost(tensor, dims, data);
        float const most = largestMagnitude(values);
        if (!std::isfinite(most))
            fail(ErrorCode::InvalidState, tensor.name,
                 " has values that are not finite (NaN or infinity), so it has no range; check the inputs of "
                 "this batch, or set its range with setDynamicRange");
        Histogram& histogram = found_[tensor.name];
        config_.counts ? histogram.add(values, most) : histogram.reach(most);
    }

    /// All values in any order; valid until the next call.
    std::span<float const> onHost(Tensor const& tensor, Dims const& dims, void const* data) {
        Label const& label = tensor.label;
        size_t const bytes = bytesOf(dims, label);
        if (label.device != Device::Cpu) {
            Backend const& backend = engine_.backend();
            void* const host = grown(copy_, bytes);
            backend.copy(host, data, bytes, nullptr);
            backend.synchronize(nullptr);
            data = host;
        }
        auto const count = static_cast<size_t>(dims.volume());
        bool const isPadded = paddedVolume(dims, label.format) != dims.volume();
        bool const isPlain = label.type == DataType::Float32 && label.scale == 0 && !isPadded;
        if (isPlain) return {static_cast<float const*>(data), count};
        Label const plain{DataType::Float32, Format::linear(), Device::Cpu};
        void* const reals = grown(reals_, count * sizeof(float));
        reformat(dims, label, data, plain, reals);
        return {static_cast<float const*>(reals), count};
    }

    struct Block {
        std::shared_ptr<void> memory;
        size_t bytes = 0;
    };
    static void* grown(Block& block, size_t bytes) {
        if (bytes > block.bytes) block = {allocateHost(bytes), bytes};
        return block.memory.get();
    }

    ObserveConfig const& config_;
    Engine engine_;
    Context context_;
    std::vector<Tensor const*> inputs_;
    std::vector<Literal> hostInputs_;
    std::vector<Dropped> outputs_;
    Histograms found_;
    Block copy_;
    Block reals_;
};

} // namespace

Histograms observe(Graph const& network, std::set<std::string> const& names, ObserveConfig const& config,
                   NextBatch const& next) {
    return Observation(network, names, config).run(next);
}

} // namespace tenon
