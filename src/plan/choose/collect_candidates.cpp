// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/collect_candidates.h"

#include "base/error.h"
#include "base/words.h"
#include "plan/choose/asked_types.h"
#include "plan/choose/workspace_limit.h"
#include "plan/kernels/body_variant.h"
#include "plan/kernels/engine_step.h"
#include "plan/kernels/kernel_query.h"
#include "plan/kernels/moved_integers.h"
#include "plugin/plugin_devices.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tenon {
namespace {

/// The variants have the same labels on all edges, so only the cheaper one can be chosen.
bool sameEdges(Variant const& a, Variant const& b) {
    if (a.packed != b.packed || a.outputs != b.outputs) return false;
    for (size_t i = 0; i < a.inputs.size(); ++i) {
        if (!a.packs(i) && a.inputs[i] != b.inputs[i]) return false;
    }
    return true;
}

void keepCheapest(std::vector<Assignment>& choices, Assignment choice) {
    auto const twin =
        std::ranges::find_if(choices, [&](Assignment const& a) { return sameEdges(a.variant, choice.variant); });
    if (twin == choices.end()) {
        choices.push_back(std::move(choice));
    } else if (choice.variant.cost < twin->variant.cost) {
        *twin = std::move(choice);
    }
}

/// Why a choice cannot be used, as a clause; empty if it can.
using RefusalOf = std::function<std::string(Assignment const& choice)>;

/// The offer of one kernel, without refused variants; the variants become choices.
Weighed weigh(Kernel const& kernel, Node* node, Offer offer, RefusalOf const& refusalOf,
              std::vector<Assignment>& choices) {
    Weighed weighed{std::string(kernel.name()), std::nullopt, std::move(offer.refusal)};
    for (Variant& variant : offer.variants) {
        double const cost = variant.cost;
        Assignment choice{node, &kernel, std::move(variant), nullptr};
        std::string refusal = std::isfinite(cost) ? refusalOf(choice) : text("has a cost of ", cost);
        if (refusal.empty()) {
            keepCheapest(choices, std::move(choice));
            weighed.cost = std::min(cost, weighed.cost.value_or(cost));
        } else {
            weighed.refusal = std::move(refusal);
        }
    }
    if (weighed.cost) weighed.refusal.clear();
    return weighed;
}

bool isOf(std::string_view libraries, Kernel const& kernel) {
    return std::ranges::any_of(wordsOf(libraries), [&](auto name) { return kernel.name().starts_with(name); });
}

/// The kernels of the device, and if none of them supports the node, the CPU's, with copies around it. Those of
/// excluded libraries come last.
Candidates askKernels(Node* node, KernelQuery const& query, Device device, std::string_view avoided,
                      RefusalOf const& refusalOf, std::string& refusals) {
    Candidates candidates{node, {}};
    auto const ask = [&](Kernel const* kernel) {
        candidates.weighed.push_back(
            weigh(*kernel, node, offerWithIntegers(*kernel, query), refusalOf, candidates.choices));
        refusals += text("\n  ", kernel->name(), ": ", candidates.weighed.back().refusal);
    };
    std::vector<Device> places{device};
    if (device != Device::Cpu) places.push_back(Device::Cpu);
    for (Device const where : places) {
        std::vector<Kernel const*> last;
        if (!candidates.choices.empty()) break;
        for (Kernel const* kernel : kernelsOf(where, node->kind())) {
            if (isOf(avoided, *kernel))
                last.push_back(kernel);
            else
                ask(kernel);
        }
        for (Kernel const* kernel : last) {
            if (candidates.choices.empty())
                ask(kernel);
            else
                candidates.weighed.push_back(
                    {std::string(kernel->name()), std::nullopt, "is not among the tactic sources"});
        }
    }
    return candidates;
}

/// Aliased tensors, which share memory, have one label.
bool fitsAliases(Variant const& variant, std::vector<int64_t> const& aliases) {
    for (size_t i = 0; i < aliases.size(); ++i) {
        if (aliases[i] >= 0 && variant.outputs[i] != variant.inputs[static_cast<size_t>(aliases[i])]) return false;
    }
    return true;
}

/// The device of a plugin in an engine for this device: one for the CPU only gets copies around it.
Device deviceFor(Plugin const& plugin, Device device) {
    if (runsOnDevice(plugin, device)) return device;
    expectRunsOnCpu(plugin);
    return Device::Cpu;
}

Candidates askPlugin(Node* node, KernelQuery const& query, ProfileShapes const& shapes, Device engine,
                     RefusalOf const& refusalOf, std::string& refusals) {
    auto const& layer = *as<PluginLayer>(*node->layer);
    Device const device = deviceFor(layer.plugin(), engine);
    auto const asked = layer.life().clone(); // the query may configure it
    std::vector<std::vector<Label>> offered;
    for (auto const* ports : {&node->inputs(), &node->outputs()}) {
        for (Tensor const* port : *ports) offered.push_back(labelsOffered(port, query, device));
    }
    Candidates candidates{node, {}};
    for (Variant& variant : asked->plugin().variants(shapes.rangesOf(*node), offered, refusals)) {
        Assignment choice{node, nullptr, std::move(variant), nullptr};
        std::string refusal = refusalOf(choice);
        if (!fitsAliases(choice.variant, layer.built().aliases))
            refusal = "expected an alias of an input to have its type and format";
        if (refusal.empty())
            candidates.choices.push_back(std::move(choice));
        else
            refusals += text("  tactic ", choice.variant.tactic, ": ", refusal, '\n');
    }
    return candidates;
}

/// Whether the types of the inputs are those of the network.
bool keepsInputTypes(Node const& node, Variant const& variant) {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (node.inputs()[i] && variant.inputs[i].type != node.inputs()[i]->type) return false;
    }
    return true;
}

/// The types of an output that a plugin accepts with inputs of the network's types: "float16 or int8"; empty if these
/// include the type that it returned for the output.
std::string otherTypesOf(Candidates const& candidates, size_t output) {
    DataType const given = candidates.node->outputs()[output]->type;
    std::vector<std::string> types;
    for (Assignment const& choice : candidates.choices) {
        if (!keepsInputTypes(*candidates.node, choice.variant)) continue;
        DataType const type = choice.variant.outputs[output].type;
        if (type == given) return {};
        if (std::ranges::count(types, text(type)) == 0) types.push_back(text(type));
    }
    return joined(types, " or ");
}

void warnOfOutputTypes(Candidates const& candidates, Log const& log) {
    Node const& node = *candidates.node;
    auto const& layer = *as<PluginLayer>(*node.layer);
    bool const isV3 = layer.generation().starts_with("IPluginV3");
    for (size_t i = 0; i < node.outputs().size(); ++i) {
        std::string const accepted = otherTypesOf(candidates, i);
        if (accepted.empty()) continue;
        say(log, Severity::Warning,
            text(node, ": ", layer.name(), ": ", isV3 ? "getOutputDataTypes" : "getOutputDataType", " gives output ", i,
                 " the type ", node.outputs()[i]->type,
                 "; for inputs of the network's types, supportsFormatCombination accepts only ", accepted,
                 " for it; the engine converts it; expected both methods to agree"));
    }
}

/// The candidates for one node. If none has the requested types, that is an Error, or the request is dropped.
class Collector {
public:
    Collector(ProfileShapes const& shapes, BuildConfig const& config, WorkspaceLimit const& limit)
        : shapes_(shapes), config_(config), limit_(limit) {}

    Candidates candidatesOf(Node& node) const {
        std::string const asked = askedOf(node);
        std::string refusals;
        Candidates candidates = ask(node, Types::AsAsked, refusals);
        if (asked.empty() && candidates.choices.empty()) failFor(node, refusals);
        if (!candidates.choices.empty() && (asked.empty() || isWorthIt(node, candidates))) {
            if (isPlugin(node)) warnOfOutputTypes(candidates, config_.log);
            return candidates;
        }
        while (refusals.ends_with('\n')) refusals.pop_back();
        std::string const why =
            text(asked, ", and no implementation on the ", limit_.device(), " supports it",
                 candidates.choices.empty() ? "" : text(" in less than ", kMostTimes, " times the time"), " at ",
                 joined(shapes_.dimsFor(node).inputs), ":", isPlugin(node) ? "\n" : "", refusals);
        if (config_.settings.precision.asked == AskedTypes::Obeyed) fail(ErrorCode::Unsupported, why);
        say(config_.log, Severity::Warning, text(node, ": ", why, "\nOther types are chosen"));
        forgetAskedTypes(node);
        return candidatesOf(node);
    }

private:
    static constexpr double kMostTimes = 20; // maximum ratio of times with and without a preference
    enum class Types { AsAsked, Any };

    /// If types are only preferred, slow variants do not count.
    bool isWorthIt(Node& node, Candidates const& candidates) const {
        if (config_.settings.precision.asked != AskedTypes::Preferred || isPlugin(node)) return true;
        std::string refusals;
        Candidates const others = ask(node, Types::Any, refusals);
        return others.choices.empty() || leastCost(candidates) <= kMostTimes * leastCost(others);
    }

    static double leastCost(Candidates const& candidates) {
        double least = candidates.choices.front().variant.cost;
        for (Assignment const& choice : candidates.choices) least = std::min(least, choice.variant.cost);
        return least;
    }

    static bool isPlugin(Node const& node) { return node.kind() == PluginLayer::kKind; }

    Candidates ask(Node& node, Types types, std::string& refusals) const {
        NodeDims dims = shapes_.dimsFor(node);
        KernelQuery query = kernelQuery(node, std::move(dims.inputs), std::move(dims.outputs), config_.settings);
        query.hasLimit = limit_.isForKernels();
        bool const asAsked = types == Types::AsAsked;
        if (asAsked && node.askedType && isFloat(*node.askedType)) query.floatTypes = {*node.askedType};
        auto const refusalOf = [&](Assignment const& choice) {
            std::string refusal = asAsked ? unaskedBy(node, choice.variant) : "";
            return refusal.empty() ? limit_.refusal(choice) : refusal;
        };
        return isPlugin(node)
                   ? askPlugin(&node, query, shapes_, limit_.device(), refusalOf, refusals)
                   : askKernels(&node, query, limit_.device(), config_.settings.avoidedLibraries, refusalOf, refusals);
    }

    [[noreturn]] void failFor(Node const& node, std::string const& refusals) const {
        if (isPlugin(node))
            fail(ErrorCode::Plugin, "the plugin accepts no combination of types and formats. Queries and results:\n",
                 refusals);
        fail(ErrorCode::Unsupported, "no kernel on the ", limit_.device(), " supports inputs ",
             joined(shapes_.dimsFor(node).inputs), ":", refusals);
    }

    ProfileShapes const& shapes_;
    BuildConfig const& config_;
    WorkspaceLimit const& limit_;
};

} // namespace

std::vector<Candidates> collectCandidates(Plan const& plan, BuildConfig const& config, WorkspaceLimit const& limit,
                                          BodyPlansOf const& bodies) {
    ProfileShapes const shapes(plan.graph, plan.profiles.front());
    Collector const collector(shapes, config, limit);
    std::vector<Candidates> all;
    for (Node* node : shapes.program().nodes()) {
        if (!isEngineStep(*node)) continue;
        if (auto const found = bodies.find(node); found != bodies.end() && !found->second.plans.empty()) {
            auto const& plans = found->second.plans;
            all.push_back({node, {{node, nullptr, bodyVariant(plan, *node, plans), nullptr, {}, plans}}});
            continue;
        }
        all.push_back(locate([&] { return text(*node); }, [&] { return collector.candidatesOf(*node); }));
    }
    return all;
}

} // namespace tenon
