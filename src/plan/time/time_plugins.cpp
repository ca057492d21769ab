// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/time_plugins.h"

#include "base/error.h"
#include "plan/kernels/workspace.h"
#include "plan/plugins/begun_plugins.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <limits>

namespace tenon {
namespace {

constexpr double kNanosecondsInMillisecond = 1e6;

std::shared_ptr<void> zeros(size_t bytes, Backend const& backend) {
    if (bytes > backend.memoryBytes())
        fail(ErrorCode::Memory, bytes, " bytes are requested; the device has ", backend.memoryBytes());
    std::vector<std::byte> const nothing(bytes);
    auto memory = backend.allocate(bytes);
    backend.copy(memory.get(), nothing.data(), bytes, nullptr);
    backend.synchronize(nullptr);
    return memory;
}

/// Memory for one run of a node: zeros for its inputs, and its outputs.
struct Arena {
    Arena(Node const& node, PortRanges const& ranges, std::vector<int64_t> const& aliases, size_t workspaceBytes,
          Device device, void* runStream)
        : backend(backendOf(device)), stream(runStream) {
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

    Pointers pointers() const { return {readOnly.data(), outputs.data(), workspace, stream}; }

private:
    void* add(size_t bytes) {
        blocks.push_back(zeros(bytes, backend));
        return blocks.back().get();
    }

    Backend const& backend;
    void* stream;
    std::vector<std::shared_ptr<void>> blocks;
    std::vector<void*> inputs;
    std::vector<void const*> readOnly;
    std::vector<void*> outputs;
    void* workspace = nullptr;
};

struct Trial {
    int rounds;
    size_t workspaceLimit;
    PluginPlace place;
    void* stream; // null on the host
};

/// Nanoseconds of the fastest of some runs.
double timeOf(Assignment const& choice, ProfileShapes const& shapes, Trial const& trial) {
    Node const& node = *choice.node;
    auto const& layer = *as<PluginLayer>(*node.layer);
    PortRanges const ranges = shapes.rangesOf(node, choice.variant);
    Backend const& backend = backendOf(trial.place.data);
    LibraryHandles const handles = backend.makeLibraryHandles();
    auto const plugin = layer.life().clone();
    plugin->setPlace(trial.place);
    plugin->configure(ranges, choice.variant);
    plugin->start();
    size_t const workspace = plugin->workspace(ranges);
    if (workspace > trial.workspaceLimit)
        fail(ErrorCode::Memory, "it ", tooMuchWorkspace(workspace, trial.workspaceLimit));
    Arena const arena(node, ranges, layer.built().aliases, workspace, trial.place.data, trial.stream);
    plugin->attach({.device = trial.place.data, .cudnn = handles.cudnn.get(), .cublas = handles.cublas.get()});
    plugin->setShapes(optimalPorts(node, ranges));
    plugin->enqueue(arena.pointers()); // the first run also loads code and allocates
    double least = std::numeric_limits<double>::infinity();
    auto const begin = backend.makeMoment();
    auto const end = backend.makeMoment();
    for (int round = 0; round < trial.rounds; ++round) {
        begin->mark(trial.stream);
        plugin->enqueue(arena.pointers());
        end->mark(trial.stream);
        least = std::min(least, end->nanosecondsSince(*begin));
    }
    return least;
}

/// "tactic 2, float32 linear to float32 nhwc8c": distinguishes the variants of a plugin.
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

} // namespace

PluginTimer::PluginTimer(Plan const& plan, Timer& timer, size_t workspaceLimit)
    : plan_(plan), timer_(timer), workspaceLimit_(workspaceLimit), shapes_(plan.graph, plan.profiles.front()) {}

void PluginTimer::time(std::vector<Candidates>& all) {
    std::vector<Question> questions;
    std::set<std::string> asked;
    for (Candidates& candidates : all) {
        auto const* layer = as<PluginLayer>(*candidates.node->layer);
        // Without clones there is no other object to time.
        if (!layer || candidates.choices.size() < 2 || layer->plugin().traits().sharesObject) continue;
        questions.push_back(ask(candidates, asked));
    }
    std::vector<Timer::Problem> problems;
    for (Question const& question : questions) problems.push_back({question.unknown.size()});
    for (size_t const i : timer_.choose(problems)) measure(questions[i]);
    auto const left = std::ranges::count_if(questions, [&](Question const& question) { return !answer(question); });
    note_ = left == 0 ? ""
                      : text(left, " of ", questions.size(), " plugins with several variants were not timed: the ",
                             timer_.seconds(), " seconds of tuning time do not suffice");
}

/// The variants of a plugin that are not measured yet; those that an equal plugin needs too are measured once.
PluginTimer::Question PluginTimer::ask(Candidates& candidates, std::set<std::string>& asked) {
    Question question{&candidates};
    auto const& layer = *as<PluginLayer>(*candidates.node->layer);
    auto const id = layer.plugin().traits().timingCacheId;
    for (size_t i = 0; i < timer_.mostOf(candidates.choices.size()); ++i) {
        Assignment const& choice = candidates.choices[i];
        std::string key = describe(choice, layer, id);
        auto const known = id ? timer_.times().find(TimingCache::keyOf(key)) : std::nullopt;
        bool const isOfIt = known && known->tactic == static_cast<uint64_t>(choice.variant.tactic);
        if (isOfIt) times_.emplace(key, known->milliseconds * kNanosecondsInMillisecond);
        if (!times_.contains(key)) {
            timer_.expectKnown(text(*choice.node, ": the timing cache does not contain tactic ", choice.variant.tactic,
                                    " of ", layer.name()));
            if (asked.insert(key).second) question.unknown.push_back(i);
        }
        question.keys.push_back(std::move(key));
    }
    return question;
}

void PluginTimer::measure(Question const& question) {
    for (size_t const i : question.unknown) {
        if (timer_.isOver()) return;
        Assignment const& choice = question.candidates->choices[i];
        auto const run = [&](int rounds) {
            PluginPlace const place = placeOf(choice.variant, plan_);
            void* const stream = backendOf(place.data).streams() ? timer_.stream() : nullptr;
            return timeOf(choice, shapes_, {rounds, workspaceLimit_, place, stream});
        };
        auto const took = locate([&] { return text(*choice.node); },
                                 [&] { return timer_.time(text(*choice.node, ": ", wayOf(choice.variant)), run); });
        std::string const& key = question.keys[i];
        times_[key] = took;
        bool const isShared = as<PluginLayer>(*choice.node->layer)->plugin().traits().timingCacheId.has_value();
        if (!isShared || !took) continue;
        auto const tactic = static_cast<uint64_t>(choice.variant.tactic);
        timer_.times().set(TimingCache::keyOf(key), {tactic, static_cast<float>(*took / kNanosecondsInMillisecond)});
        timer_.tell(choice.node->name, TimingCache::keyOf(key),
                    {{tactic, *took, text(as<PluginLayer>(*choice.node->layer)->name())}}, tactic);
    }
}

/// Replaces costs by times if all are known, and drops variants that failed, unless all did. False if some times are
/// unknown.
bool PluginTimer::answer(Question const& question) const {
    auto const isKnown = [&](std::string const& key) { return times_.contains(key); };
    if (!std::ranges::all_of(question.keys, isKnown)) return false;
    Candidates& candidates = *question.candidates;
    std::vector<Assignment> timed;
    for (size_t i = 0; i < question.keys.size(); ++i) {
        auto const took = times_.at(question.keys[i]);
        if (!took) continue;
        timed.push_back(candidates.choices[i]);
        timed.back().variant.cost = *took;
        candidates.weighed.push_back({wayOf(timed.back().variant), *took, {}});
    }
    if (!timed.empty()) candidates.choices = std::move(timed);
    return true;
}

/// All inputs of a time. The plugin's timing cache id represents its fields; a plugin without one is identified by its
/// node, for this build only.
std::string PluginTimer::describe(Assignment const& choice, PluginLayer const& layer,
                                  std::optional<std::string> const& id) const {
    std::string all =
        text(plan_.builtOn, '\n', layer.name(), '\n', layer.buildId(), '\n', id ? *id : choice.node->name, '\n');
    PortRanges const ranges = shapes_.rangesOf(*choice.node, choice.variant);
    for (auto const* ports : {&ranges.inputs, &ranges.outputs}) {
        for (PortRange const& port : *ports) all += text(port.label, ' ', port.min, ' ', port.opt, ' ', port.max, '\n');
    }
    return all + text(choice.variant.tactic);
}

} // namespace tenon
