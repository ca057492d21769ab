// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time_plugins.h"

#include "base/error.h"
#include "plan/begun_plugins.h"
#include "plan/profile_shapes.h"
#include "plan/timing_cache.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNanosecondsInMillisecond = 1e6;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::shared_ptr<void> zeros(size_t bytes, Backend const& backend) {
    if (bytes > backend.memoryBytes())
        fail(ErrorCode::Memory, bytes, " bytes are asked for; the device has ", backend.memoryBytes());
    std::vector<std::byte> const nothing(bytes);
    auto memory = backend.allocate(bytes);
    backend.copy(memory.get(), nothing.data(), bytes, nullptr);
    backend.synchronize(nullptr);
    return memory;
}

/// Memory for one run of a node: zeros for what it reads, and where it writes.
struct Arena {
    Arena(Node const& node, PortRanges const& ranges, std::vector<int64_t> const& aliases, size_t workspaceBytes,
          Device device)
        : backend(backendOf(device)) {
        for (PortRange const& range : ranges.inputs) inputs.push_back(add(bytesOf(range.opt, range.label)));
        for (PortRange const& range : ranges.outputs) outputs.push_back(add(bytesOf(range.opt, range.label)));
        for (size_t i = 0; i < aliases.size(); ++i) {
            if (aliases[i] >= 0) inputs[static_cast<size_t>(aliases[i])] = outputs[i];
        }
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            Literal const* literal = node.inputs()[i] ? node.inputs()[i]->literal() : nullptr;
            if (!node.inputs()[i]) inputs[i] = nullptr;
            if (literal && ranges.inputs[i].label == Label{literal->type(), Format::linear(), device})
                backend.copy(inputs[i], literal->data(), literal->bytes(), nullptr);
        }
        backend.synchronize(nullptr);
        workspace = add(workspaceBytes);
        readOnly.assign(inputs.begin(), inputs.end());
    }

    Pointers pointers() const { return {readOnly.data(), outputs.data(), workspace, nullptr}; }

private:
    void* add(size_t bytes) {
        blocks.push_back(zeros(bytes, backend));
        return blocks.back().get();
    }

    Backend const& backend;
    std::vector<std::shared_ptr<void>> blocks;
    std::vector<void*> inputs;
    std::vector<void const*> readOnly;
    std::vector<void*> outputs;
    void* workspace = nullptr;
};

double timeOf(Assignment const& choice, ProfileShapes const& shapes, int rounds, PluginPlace const& place) {
    Node const& node = *choice.node;
    auto const& layer = *as<PluginLayer>(*node.layer);
    PortRanges const ranges = shapes.rangesOf(node, choice.variant);
    Backend const& backend = backendOf(place.data);
    LibraryHandles const handles = backend.makeLibraryHandles();
    auto const plugin = layer.life().clone();
    plugin->setPlace(place);
    plugin->configure(ranges, choice.variant);
    plugin->start();
    Arena const arena(node, ranges, layer.built().aliases, plugin->workspace(ranges), place.data);
    plugin->attach({.device = place.data, .cudnn = handles.cudnn.get(), .cublas = handles.cublas.get()});
    plugin->setShapes(optimalPorts(node, ranges));
    plugin->enqueue(arena.pointers()); // the first run also fetches code and memory
    double least = std::numeric_limits<double>::infinity();
    auto const begin = backend.makeMoment();
    auto const end = backend.makeMoment();
    for (int round = 0; round < rounds; ++round) {
        begin->mark(nullptr);
        plugin->enqueue(arena.pointers());
        end->mark(nullptr);
        least = std::min(least, end->nanosecondsSince(*begin) / kNanosecondsInMillisecond);
    }
    return least;
}

/// "tactic 2, float32 linear to float32 nhwc8c": what tells one way of a plugin from another.
std::string wayOf(Variant const& variant) {
    std::string way = text("tactic ", variant.tactic, ", ");
    auto const add = [&](std::vector<Label> const& labels) {
        for (Label const& label : labels)
            way += text(&label == labels.data() ? "" : " and ", label.type, ' ', label.format);
    };
    add(variant.inputs);
    way += " to ";
    add(variant.outputs);
    return way;
}

class PluginTimer {
public:
    PluginTimer(Plan const& plan, BuildConfig const& config)
        : plan_(plan), tuning_(config.tuning), log_(config.log), builtOn_(plan.builtOn),
          shapes_(plan, plan.profiles.front()) {}

    void time(Candidates& candidates) {
        auto const& layer = *as<PluginLayer>(*candidates.node->layer);
        auto const traits = layer.plugin().traits();
        if (traits.sharesObject) return; // there is no other object to try things on
        std::vector<Assignment> timed;
        for (Assignment& choice : candidates.choices) {
            auto const milliseconds = find(choice, layer, traits);
            if (!milliseconds) continue;
            choice.variant.cost = *milliseconds * kNanosecondsInMillisecond;
            timed.push_back(choice);
            candidates.weighed.push_back({wayOf(choice.variant), choice.variant.cost, {}});
        }
        if (!timed.empty()) candidates.choices = std::move(timed);
    }

    int late() const { return late_; }

private:
    std::optional<double> find(Assignment const& choice, PluginLayer const& layer, PluginTraits const& traits) {
        bool const cached = tuning_.cache && traits.timingCacheId.has_value();
        auto const key = TimingCache::keyOf(describe(choice, layer, traits.timingCacheId.value_or("")));
        if (auto const known = cached ? tuning_.cache->find(key) : std::nullopt) return known->milliseconds;
        if (tuning_.cacheOnly)
            fail(ErrorCode::InvalidState, *choice.node, ": the timing cache does not know tactic ",
                 choice.variant.tactic, " of ", layer.name(), " (BuilderFlag::kERROR_ON_TIMING_CACHE_MISS)");
        if (millisecondsSince(start_) > tuning_.seconds * 1000) return ++late_, std::nullopt;
        auto const milliseconds = measure(choice);
        if (cached && milliseconds)
            tuning_.cache->set(key, {static_cast<uint64_t>(choice.variant.tactic), static_cast<float>(*milliseconds)});
        return milliseconds;
    }

    std::optional<double> measure(Assignment const& choice) const {
        try {
            return timeOf(choice, shapes_, tuning_.rounds, placeOf(choice.variant, plan_));
        } catch (Error const& error) {
            say(log_, Severity::Warning,
                text(*choice.node, ": tactic ", choice.variant.tactic,
                     " is left out, since it failed when it was timed: ", error.what()));
            return std::nullopt;
        }
    }

    /// All that a time depends on. What the plugin was made with is in the id that it gives.
    std::string describe(Assignment const& choice, PluginLayer const& layer, std::string const& id) const {
        std::string all = text(builtOn_, '\n', layer.name(), '\n', layer.buildId(), '\n', id, '\n');
        PortRanges const ranges = shapes_.rangesOf(*choice.node, choice.variant);
        for (auto const* ports : {&ranges.inputs, &ranges.outputs}) {
            for (PortRange const& port : *ports)
                all += text(port.label, ' ', port.min, ' ', port.opt, ' ', port.max, '\n');
        }
        return all + text(choice.variant.tactic);
    }

    Plan const& plan_;
    Tuning const& tuning_;
    Log const& log_;
    std::string builtOn_;
    ProfileShapes shapes_;
    Clock::time_point start_ = Clock::now();
    int late_ = 0;
};

} // namespace

void timePlugins(Plan& plan, std::vector<Candidates>& candidates, BuildConfig const& config) {
    std::optional<PluginTimer> timer; // made where there is something to time
    for (Candidates& one : candidates) {
        bool const hasChoice = as<PluginLayer>(*one.node->layer) && one.choices.size() > 1;
        if (!hasChoice) continue;
        if (!timer) timer.emplace(plan, config);
        locate([&] { return text(*one.node); }, [&] { timer->time(one); });
    }
    if (timer && timer->late() != 0)
        plan.notes.push_back(text(timer->late(), " ways to run plugins were not timed: the ", config.tuning.seconds,
                                  " seconds for it were over"));
}

} // namespace tenon
