// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "plan/file/plan_file.h"
#include "plan/file/verify.h"
#include "plan/json/blob_store.h"
#include "plan/json/graph_json.h"
#include "plan/kernels/pack_weights.h"
#include "plan/plugins/revive_plugins.h"
#include "plan/rebuild_plan.h"
#include "plugin/plugin_layer.h"

#include <cstring>

namespace tenon {
namespace {

void expectCount(std::string_view name, std::vector<Label> const& labels, size_t count) {
    if (labels.size() != count)
        fail(ErrorCode::InvalidPlan, "field ", name, " has ", labels.size(), " labels; the node has ", count);
}

Variant variantFromJson(Json const& json, Node const& node) {
    auto variant = fieldsFromJson<Variant>(json);
    expectCount("inputs", variant.inputs, node.inputs().size());
    expectCount("outputs", variant.outputs, node.outputs().size());
    return variant;
}

std::vector<Weighed> weighedFromJson(Json const& json) {
    std::vector<Weighed> weighed;
    for (Json const& one : json) weighed.push_back(fieldsFromJson<Weighed>(one));
    return weighed;
}

template <class Body> decltype(auto) guardJson(Body&& body) {
    try {
        return body();
    } catch (nlohmann::json::exception const& error) { // a value whose kind is not the field's
        fail(ErrorCode::InvalidPlan, "the engine's description is damaged: ", std::string_view(error.what()));
    } catch (std::logic_error const& error) { // a list that is too short
        fail(ErrorCode::InvalidPlan, "the engine's description is damaged: ", std::string_view(error.what()));
    }
}

/// The name of a plain file, which cannot leave the folder that it is written to.
std::string fileNameIn(Json const& json) {
    auto const name = at(json, "name").get<std::string>();
    bool const isPlain = !name.empty() && name != "." && name != ".." && name.size() < 256 &&
                         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
    if (!isPlain)
        fail(ErrorCode::InvalidPlan, "a plugin library in the engine is called \"", name, "\"; expected a file name");
    return name;
}

std::function<Graph()> networkIn(std::shared_ptr<BlobReader const> blobs, int64_t number) {
    return [blobs = std::move(blobs), number] {
        return guardJson([&] {
            auto const bytes = blobs->bytes(number);
            JsonText const text({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, "the engine's network");
            Graph network = graphFromJson(text.root(), [&](int64_t blob) { return blobs->literal(blob); });
            verifyNetwork(network);
            return network;
        });
    };
}

class PlanReader {
public:
    PlanReader(std::shared_ptr<BlobReader const> blobs, ReadOptions const& options)
        : blobs_(std::move(blobs)), options_(options) {}

    Plan read() {
        Json const& json = blobs_->json();
        readSettings();
        readLibraries();
        readGraph(json, plan_);
        if (json.contains("network")) plan_.network = networkIn(blobs_, integerAt(json, "network", 0, INT64_MAX));
        if ((plan_.settings.refits || plan_.settings.isStripped) && !plan_.network)
            fail(ErrorCode::InvalidPlan, "the engine can be refitted, but its network is missing");
        verifyManifest(plan_.graph, at(json, "plugins"));
        if (plan_.device != options_.device) {
            verifyGraph(plan_.graph, plan_.device);
            return rebuildPlan(plan_, text(builtFor(), " and cannot run on ", options_.device), options_);
        }
        readAssignments(json, plan_);
        if (!unknownKernel_.empty()) {
            verifyGraph(plan_.graph, plan_.device);
            return rebuildPlan(plan_, text(builtFor(), unknownKernel_), options_);
        }
        revive(!at(json, "plugins").empty());
        bool const isFromElsewhere = plan_.builtOn != backendOf(plan_.device).describe();
        std::string const refusal = verify(plan_, isFromElsewhere);
        if (!refusal.empty()) return rebuildPlan(plan_, text(builtFor(), "; ", refusal), options_);
        forEachPlan(plan_, [&](Plan& plan) {
            if (isFromElsewhere) forgetTimes(plan);
            repack(plan);
        });
        return std::move(plan_);
    }

private:
    JsonReader::Fetch fetch() const {
        return [this](int64_t number) { return blobs_->literal(number); };
    }

    std::string builtFor() const { return text("the engine was built for ", plan_.device, " (", plan_.builtOn, ')'); }

    void readSettings() {
        Json const& json = blobs_->json();
        plan_.device = deviceAt(json);
        plan_.builtOn = stringAt(json, "built_on");
        JsonReader settings(json, {});
        plan_.settings.fields(settings);
        if (json.contains("precision")) { // older plans of this format have none
            JsonReader precision(json["precision"], {});
            plan_.settings.precision.fields(precision);
        }
        plan_.notes = at(json, "notes").get<std::vector<std::string>>();
    }

    void readLibraries() {
        if (!blobs_->json().contains("libraries")) return;
        for (Json const& one : blobs_->json()["libraries"])
            plan_.libraries.push_back({fileNameIn(one), blobs_->literal(integerAt(one, "blob", 0, INT64_MAX))});
        if (options_.loadLibraries) options_.loadLibraries(plan_.libraries);
    }

    void readGraph(Json const& json, Plan& plan) const {
        plan.graph = graphFromJson(at(json, "graph"), fetch());
        for (Json const& one : at(json, "profiles")) {
            Profile& profile = plan.profiles.emplace_back();
            for (auto const& [name, range] : one.items()) profile.emplace(name, fieldsFromJson<InputRange>(range));
        }
    }

    void readAssignments(Json const& json, Plan& plan) {
        std::vector<Node*> nodes;
        for (auto const& node : plan.graph.nodes()) nodes.push_back(node.get());
        for (Json const& one : at(json, "nodes")) {
            auto const number = integerAt(one, "node", 0, static_cast<int64_t>(nodes.size()) - 1);
            plan.nodes.push_back(assignmentFrom(one, nodes[static_cast<size_t>(number)]));
        }
    }

    /// The plan of a graph inside a node.
    std::shared_ptr<Plan> bodyFrom(Json const& json) {
        auto body = std::make_shared<Plan>();
        body->device = plan_.device;
        body->builtOn = plan_.builtOn;
        body->settings = plan_.settings;
        body->settings.maxBatch = 0;
        body->settings.auxStreams = 0;
        readGraph(json, *body);
        readAssignments(json, *body);
        return body;
    }

    Assignment assignmentFrom(Json const& json, Node* node) {
        Assignment assignment{node, nullptr, variantFromJson(at(json, "variant"), *node), nullptr};
        if (json.contains("weighed")) assignment.weighed = weighedFromJson(json["weighed"]);
        if (json.contains("bodies")) {
            for (Json const& body : json["bodies"]) assignment.bodies.push_back(bodyFrom(body));
        }
        if (assignment.bodies.empty() && node->kind() != PluginLayer::kKind) {
            auto const kernel = stringAt(json, "kernel");
            assignment.kernel = kernelNamed(plan_.device, node->kind(), kernel);
            if (!assignment.kernel)
                unknownKernel_ = text(", ", *node, " with kernel ", kernel, ", which does not exist here");
        }
        if (json.contains("packed")) {
            int64_t const blob = integerAt(json["packed"], "blob", 0, INT64_MAX);
            Literal const bytes = blobs_->literal(blob);
            if (bytes.type() != DataType::UInt8)
                fail(ErrorCode::InvalidPlan, *node, ": packed weights are ", bytes.type(), "; expected uint8");
            assignment.packed =
                std::make_shared<Packed>(Packed{stringAt(json["packed"], "key"), bytes, blobs_->elementsIn(blob)});
        }
        return assignment;
    }

    void revive(bool hasPlugins) {
        forEachPlan(plan_, [&](Plan& plan) {
            if (hasPlugins) verifyGraph(plan.graph, plan.device); // before its plugins are created
            revivePlugins(plan.graph, PluginPhase::Runtime, options_);
        });
    }

    /// The fastest tactic of another machine says little about this one.
    void forgetTimes(Plan& plan) const {
        int count = 0;
        for (Assignment& assignment : plan.nodes) {
            if (!assignment.kernel) continue;
            auto const tactics = assignment.kernel->tactics(assignment.variant);
            if (tactics.empty() || assignment.variant.tactic == tactics.front()) continue;
            assignment.variant.tactic = tactics.front();
            ++count;
        }
        if (count == 0) return;
        say(options_.log, Severity::Info,
            text("the engine was built on ", plan_.builtOn, ", and ", count,
                 " kernels were timed there; default tactics are used here; rebuild the engine to tune it"));
    }

    void repack(Plan& plan) const {
        if (plan_.settings.isStripped) return; // when the weights are available
        std::vector<Assignment*> stale;
        for (Assignment& assignment : plan.nodes) {
            if (!assignment.variant.isPacked()) {
                assignment.packed = nullptr;
                continue;
            }
            bool const fits =
                assignment.packed && assignment.packed->key == assignment.kernel->packKey(assignment.variant);
            if (fits) continue;
            assignment.packed = nullptr;
            stale.push_back(&assignment);
        }
        if (stale.empty()) return;
        say(options_.log, Severity::Info,
            text("the engine was built on ", plan_.builtOn, "; the weights or the code of ", stale.size(),
                 " nodes are created again for ", backendOf(plan_.device).describe()));
        packWeights(plan, stale);
    }

    std::shared_ptr<BlobReader const> blobs_;
    ReadOptions const& options_;
    Plan plan_;
    std::string unknownKernel_; // a clause: of which node, in an engine of another version
};

} // namespace

Plan readPlan(std::span<std::byte const> bytes, ReadOptions const& options) {
    return readPlan(bytes, nullptr, options);
}

Plan readPlan(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, ReadOptions const& options) {
    if (!owner) {
        owner = copied(bytes);
        bytes = {static_cast<std::byte const*>(owner.get()), bytes.size()};
    }
    return guardJson([&] {
        auto const blobs = std::make_shared<BlobReader>(bytes, std::move(owner));
        blobs->compareChecksums();
        return PlanReader(blobs, options).read();
    });
}

} // namespace tenon
