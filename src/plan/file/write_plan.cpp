// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "graph/body.h"
#include "layers/constant/constant.h"
#include "plan/file/plan_file.h"
#include "plan/json/blob_store.h"
#include "plan/json/graph_json.h"
#include "plan/plugins/plugin_manifest.h"
#include "plan/plugins/plugin_steps.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace tenon {
namespace {

Json weighedJson(std::vector<Weighed> const& weighed) {
    Json json = Json::array();
    for (Weighed const& one : weighed) json.push_back(fieldsToJson(one));
    return json;
}

Json profileJson(Profile const& profile) {
    Json json = Json::object();
    for (auto const& [name, range] : profile) json[name] = fieldsToJson(range);
    return json;
}

/// Integers may decide shapes and the number of iterations: no network can be read without them.
bool isWhole(Literal const& literal) {
    DataType const type = literal.type();
    return type == DataType::Int32 || type == DataType::Int64 || type == DataType::Bool;
}

/// The contents of a file: its large data, and the data that plugins saved.
struct Written {
    BlobWriter blobs;
    PluginStates states;
    bool strips = false;
    std::set<void const*> named; // the refittable constants

    int64_t store(Literal const& literal) {
        bool const isKept = !strips || isWhole(literal) || !named.contains(literal.identity());
        return isKept ? blobs.add(literal) : blobs.addAbsent(literal);
    }
    /// Constants of the rewritten network that may be computed from those; they are computed again after a refit.
    /// Kernels inspect small constants.
    int64_t storeRewritten(Literal const& literal) {
        constexpr int64_t kSmall = 16;
        bool const isKept = !strips || isWhole(literal) || literal.dims().volume() <= kSmall;
        return isKept ? blobs.add(literal) : blobs.addAbsent(literal);
    }
};

/// Those whose weights are left out. Bytes that another constant has too are written.
template <class IsLeftOut> void collectNamed(Graph const& network, IsLeftOut const& isLeftOut, Written& written) {
    std::set<void const*> others;
    forEachNode(network, [&](Node const& node) {
        auto const* const constant = as<Constant>(*node.layer);
        Literal const* const value = node.layer->constant();
        if (value) (constant && isLeftOut(constant->weights) ? written.named : others).insert(value->identity());
    });
    std::erase_if(written.named, [&](void const* identity) { return others.contains(identity); });
}

/// Constants that steps read unpacked are written, even if they are also stored otherwise.
void collectRead(Plan const& plan, std::set<void const*>& read) {
    std::set<Node const*> assigned;
    for (Assignment const& assignment : plan.nodes) {
        assigned.insert(assignment.node);
        for (size_t i = 0; i < assignment.node->inputs().size(); ++i) {
            Tensor const* const input = assignment.node->inputs()[i];
            if (input && input->literal() && !assignment.variant.packs(i)) read.insert(input->literal()->identity());
        }
    }
    for (auto const& node : plan.graph.nodes()) {
        if (assigned.contains(node.get())) continue;
        for (Tensor const* input : node->inputs()) {
            if (input && input->literal()) read.insert(input->literal()->identity());
        }
    }
    for (Tensor const* output : plan.graph.outputs()) {
        if (output->literal()) read.insert(output->literal()->identity());
    }
}

/// Weights are stored once: those contained in packed weights are not written separately.
void leaveOutPacked(Plan const& plan, std::set<void const*> const& read, BlobWriter& blobs) {
    for (Assignment const& assignment : plan.nodes) {
        if (!assignment.packed) continue;
        int64_t const packed = blobs.add(assignment.packed->bytes);
        for (PackedElements const& elements : assignment.packed->elements) {
            if (!read.contains(elements.constant.identity())) blobs.leaveOut({packed, elements});
        }
    }
}

void addSteps(JsonObject& json, Plan const& plan, Graph const& graph, Written& written);

std::string bodyJson(Plan const& body, Written& written) {
    JsonObject json;
    addSteps(json, body, withStates(body.graph, written.states), written);
    return std::move(json).take();
}

std::string assignmentsJson(Plan const& plan, Written& written) {
    std::unordered_map<Node const*, int64_t> numbers;
    for (auto const& node : plan.graph.nodes()) numbers.emplace(node.get(), static_cast<int64_t>(numbers.size()));
    JsonList json;
    for (Assignment const& assignment : plan.nodes) {
        JsonObject one;
        one.add("node", numbers.at(assignment.node));
        one.add("variant", fieldsToJson(assignment.variant));
        if (assignment.kernel) one.add("kernel", assignment.kernel->name());
        if (!assignment.weighed.empty()) one.add("weighed", weighedJson(assignment.weighed));
        if (assignment.packed && !written.strips)
            one.add("packed", {{"key", assignment.packed->key}, {"blob", written.blobs.add(assignment.packed->bytes)}});
        JsonList bodies;
        for (auto const& body : assignment.bodies) bodies.addText(bodyJson(*body, written));
        if (!assignment.bodies.empty()) one.addText("bodies", std::move(bodies).take());
        json.addText(std::move(one).take());
    }
    return std::move(json).take();
}

/// The common part of a plan and the plans of the graphs inside its nodes.
void addSteps(JsonObject& json, Plan const& plan, Graph const& graph, Written& written) {
    JsonList profiles;
    for (Profile const& profile : plan.profiles) profiles.add(profileJson(profile));
    json.addText("profiles", std::move(profiles).take());
    json.addText("graph", toJsonText(graph, [&](Literal const& literal) { return written.storeRewritten(literal); }));
    json.addText("nodes", assignmentsJson(plan, written));
}

Json librariesJson(std::vector<PluginLibrary> const& libraries, BlobWriter& blobs) {
    Json json = Json::array();
    for (PluginLibrary const& library : libraries)
        json.push_back({{"name", library.name}, {"blob", blobs.add(library.bytes)}});
    return json;
}

template <class IsLeftOut> Bytes write(Plan const& plan, IsLeftOut const& isLeftOut) {
    Written written{.blobs = {}, .states = {}, .strips = false, .named = {}};
    BlobWriter& blobs = written.blobs;
    std::optional<Graph> network;
    if (plan.network) network = withStates(plan.network(), written.states);
    if (network) collectNamed(*network, isLeftOut, written);
    written.strips = !written.named.empty();
    std::set<void const*> read;
    forEachPlan(plan, [&](Plan const& one) { collectRead(one, read); });
    if (!written.strips) forEachPlan(plan, [&](Plan const& one) { leaveOutPacked(one, read, blobs); });
    Graph const graph = withStates(plan.graph, written.states);
    PlanSettings settings = plan.settings;
    settings.isStripped = settings.isStripped || written.strips;
    Json front{{"writer", "tenon"},        {"device", plan.device.name()},
               {"built_on", plan.builtOn}, {"precision", fieldsToJson(settings.precision)},
               {"notes", plan.notes},      {"plugins", manifestOf(graph)}};
    front.update(fieldsToJson(settings));
    JsonObject json(front);
    addSteps(json, plan, graph, written);
    if (!plan.libraries.empty()) json.add("libraries", librariesJson(plan.libraries, blobs));
    std::string text; // a blob of its own, since few readers of the plan need it
    if (network) {
        text = toJsonText(*network, [&](Literal const& literal) { return written.store(literal); });
        json.add("network", blobs.add(std::as_bytes(std::span(text))));
    }
    return blobs.finish(std::move(json), settings.apiVersion);
}

} // namespace

Bytes writePlan(Plan const& plan) {
    return write(plan, [](std::string const&) { return false; });
}

Bytes writeStripped(Plan const& plan) {
    if (!plan.settings.refits)
        fail(ErrorCode::InvalidState,
             "the engine was built without BuilderFlag::kREFIT, so its weights cannot be left out");
    return write(plan, [](std::string const& weights) { return !weights.empty(); });
}

Bytes writeWithout(Plan const& plan, std::set<std::string> const& names) {
    return write(plan, [&](std::string const& weights) { return names.contains(weights); });
}

} // namespace tenon
