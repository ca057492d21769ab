// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plan_file.h"

#include "base/error.h"
#include "plan/blob_store.h"
#include "plan/build.h"
#include "plan/choose_kernels.h"
#include "plan/graph_json.h"
#include "plan/plugin_steps.h"
#include "plan/profile_shapes.h"
#include "plugin/compiled_kernel.h"
#include "plugin/plugin_devices.h"
#include "plugin/plugin_layer.h"

#include <cstring>
#include <unordered_map>

namespace tenon {
namespace {

Json labelsJson(std::vector<Label> const& labels) {
    Json json = Json::array();
    for (Label const& label : labels) json.push_back(toJson(label));
    return json;
}

std::vector<Label> labelsAt(Json const& json, std::string_view name, size_t count) {
    std::vector<Label> labels;
    for (Json const& label : at(json, name)) labels.push_back(labelFromJson(label));
    if (labels.size() != count)
        fail(ErrorCode::InvalidPlan, "field ", name, " has ", labels.size(), " labels; the node has ", count);
    return labels;
}

Json variantJson(Variant const& variant) {
    return {{"inputs", labelsJson(variant.inputs)},
            {"outputs", labelsJson(variant.outputs)},
            {"packed", variant.packed},
            {"tactic", variant.tactic},
            {"compute", nameOf(variant.compute)},
            {"cost", variant.cost},
            {"code", variant.code},
            {"view", variant.view}};
}

Variant variantFromJson(Json const& json, Node const& node) {
    Variant variant;
    variant.inputs = labelsAt(json, "inputs", node.inputs().size());
    variant.outputs = labelsAt(json, "outputs", node.outputs().size());
    variant.packed = static_cast<uint32_t>(integerAt(json, "packed", 0, UINT32_MAX));
    variant.tactic = integerAt(json, "tactic", INT64_MIN, INT64_MAX);
    variant.compute = dataTypeNamed(at(json, "compute").get<std::string>()).value_or(DataType::Float32);
    variant.cost = json.value("cost", 0.0);
    variant.code = json.value("code", false);
    variant.view = json.value("view", false);
    return variant;
}

Json weighedJson(std::vector<Weighed> const& weighed) {
    Json json = Json::array();
    for (Weighed const& one : weighed) {
        json.push_back({{"kernel", one.kernel}});
        if (one.cost)
            json.back()["cost"] = *one.cost;
        else
            json.back()["refusal"] = one.refusal;
    }
    return json;
}

std::vector<Weighed> weighedFromJson(Json const& json) {
    std::vector<Weighed> weighed;
    for (Json const& one : json) {
        Weighed& read = weighed.emplace_back();
        read.kernel = at(one, "kernel").get<std::string>();
        if (one.contains("cost")) read.cost = one["cost"].get<double>();
        read.refusal = one.value("refusal", std::string());
    }
    return weighed;
}

Json dimsJson(Dims const& dims) { return dims.span(); }

Json rangeJson(InputRange const& range) {
    return {{"min", dimsJson(range.min)},    {"opt", dimsJson(range.opt)},    {"max", dimsJson(range.max)},
            {"min_values", range.minValues}, {"opt_values", range.optValues}, {"max_values", range.maxValues}};
}

InputRange rangeFromJson(Json const& json) {
    auto const numbers = [&](std::string_view name) { return at(json, name).get<std::vector<int64_t>>(); };
    return {Dims(numbers("min")),  Dims(numbers("opt")),  Dims(numbers("max")),
            numbers("min_values"), numbers("opt_values"), numbers("max_values")};
}

Json profileJson(Profile const& profile) {
    Json json = Json::object();
    for (auto const& [name, range] : profile) json[name] = rangeJson(range);
    return json;
}

/// What plugins a plan needs, for whoever inspects or loads it: no plugin is loaded to tell.
Json manifestOf(Graph const& graph) {
    Json manifest = Json::array();
    for (auto const& node : graph.nodes()) {
        auto const* plugin = as<PluginLayer>(*node->layer);
        if (!plugin) continue;
        size_t bytes = 0;
        std::string all;
        for (PluginValue const& value : plugin->state()) {
            bytes += value.bytes.size();
            all.append(reinterpret_cast<char const*>(value.bytes.data()), value.bytes.size());
        }
        manifest.push_back({{"node", node->name},
                            {"name", plugin->name().name},
                            {"version", plugin->name().version},
                            {"namespace", plugin->name().nameSpace},
                            {"generation", plugin->generation()},
                            {"library", plugin->library()},
                            {"build_id", plugin->buildId()},
                            {"bytes", bytes},
                            {"checksum", checksum(std::as_bytes(std::span(all)))}});
    }
    return manifest;
}

Json assignmentsJson(Plan const& plan, BlobWriter& blobs) {
    std::unordered_map<Node const*, int64_t> numbers;
    for (auto const& node : plan.graph.nodes()) numbers.emplace(node.get(), static_cast<int64_t>(numbers.size()));
    Json json = Json::array();
    for (Assignment const& assignment : plan.nodes) {
        Json one{{"node", numbers.at(assignment.node)}, {"variant", variantJson(assignment.variant)}};
        if (assignment.kernel) one["kernel"] = assignment.kernel->name();
        if (!assignment.weighed.empty()) one["weighed"] = weighedJson(assignment.weighed);
        if (assignment.packed)
            one["packed"] = {{"key", assignment.packed->key}, {"blob", blobs.add(assignment.packed->bytes)}};
        json.push_back(std::move(one));
    }
    return json;
}

template <class Body> decltype(auto) guardJson(Body&& body) {
    try {
        return body();
    } catch (nlohmann::json::exception const& error) { // a value of another kind than the field has
        fail(ErrorCode::InvalidPlan, "the engine's description is damaged: ", std::string_view(error.what()));
    }
}

Json librariesJson(std::vector<PluginLibrary> const& libraries, BlobWriter& blobs) {
    Json json = Json::array();
    for (PluginLibrary const& library : libraries)
        json.push_back({{"name", library.name}, {"blob", blobs.add(library.bytes)}});
    return json;
}

/// The name of a plain file, without a way out of the folder that it may be written to.
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
            auto const* text = reinterpret_cast<char const*>(blobs->bytes(number).data());
            Json const json = Json::parse(text, text + blobs->bytes(number).size());
            return graphFromJson(json, [&](int64_t blob) { return blobs->literal(blob); });
        });
    };
}

class PlanReader {
public:
    PlanReader(std::shared_ptr<BlobReader const> blobs, ReadOptions const& options)
        : blobs_(std::move(blobs)), options_(options) {}

    Plan read() {
        Json const& json = blobs_->json();
        plan_.device = at(json, "device") == "cuda" ? Device::Cuda : Device::Cpu;
        plan_.builtOn = at(json, "built_on").get<std::string>();
        readVerbosity();
        plan_.debugUnfused = blobs_->json().value("debug_unfused", false);
        if (json.contains("aux_streams"))
            plan_.auxStreams = static_cast<int>(integerAt(json, "aux_streams", 0, INT32_MAX));
        if (json.contains("max_batch")) plan_.maxBatch = static_cast<int>(integerAt(json, "max_batch", 0, INT32_MAX));
        plan_.notes = at(json, "notes").get<std::vector<std::string>>();
        readLibraries();
        plan_.graph = graphFromJson(at(json, "graph"), fetch());
        if (json.contains("network")) plan_.network = networkIn(blobs_, integerAt(json, "network", 0, INT64_MAX));
        for (Json const& profile : at(json, "profiles")) readProfile(profile);
        if (plan_.device != options_.device) return builtAgain();
        checkProfiles();
        for (auto const& node : plan_.graph.nodes()) nodes_.push_back(node.get());
        for (auto const& node : plan_.graph.nodes()) revive(*node);
        for (Json const& one : at(json, "nodes")) readAssignment(one);
        checkOrder();
        forgetTimes();
        repack();
        return std::move(plan_);
    }

private:
    JsonReader::Fetch fetch() const {
        return [this](int64_t number) { return blobs_->literal(number); };
    }

    /// The plan's network, built for the device that it is to run on.
    Plan builtAgain() const {
        std::string const where = text("the engine was built for ", plan_.device, " (", plan_.builtOn,
                                       ") and is to run on ", options_.device);
        if (!plan_.network || !options_.rebuild)
            fail(ErrorCode::Device, where,
                 plan_.network
                     ? ""
                     : "; it holds no network to build again, since it was built to be small or with kernels that "
                       "plugins compiled for that device",
                 "; build it for that device, or choose the engine's with TENON_DEVICE=", plan_.device);
        say(options_.log, Severity::Info, text(where, ": its network is built again"));
        Graph network = plan_.network();
        for (auto const& node : network.nodes()) revive(*node, PluginPhase::Build);
        BuildConfig config;
        config.device = options_.device;
        config.profiles = plan_.profiles;
        config.allow = plan_.allowed;
        config.verbosity = plan_.verbosity;
        config.debugUnfused = plan_.debugUnfused;
        config.maxBatch = plan_.maxBatch;
        config.auxStreams = plan_.auxStreams;
        config.log = options_.log;
        keepIoLabels(config);
        Plan again = build(network, config);
        again.libraries = plan_.libraries;
        return again;
    }

    /// Inputs and outputs lie as the program knows them.
    void keepIoLabels(BuildConfig& config) const {
        for (auto const* tensors : {&plan_.graph.inputs(), &plan_.graph.outputs()}) {
            for (Tensor const* tensor : *tensors) {
                Label label = tensor->label;
                if (!tensor->onHost) label.device = config.device;
                config.ioLabels[tensor->name] = {label};
            }
        }
    }

    void readVerbosity() {
        JsonReader reader(blobs_->json(), {});
        static_cast<Fields&>(reader)("profiling_verbosity", plan_.verbosity);
        if (!blobs_->json().contains("precision")) return; // of a plan from before there were GPUs
        JsonReader precision(blobs_->json()["precision"], {});
        plan_.allowed.fields(precision);
    }

    void readLibraries() {
        if (!blobs_->json().contains("libraries")) return;
        for (Json const& one : blobs_->json()["libraries"])
            plan_.libraries.push_back({fileNameIn(one), blobs_->literal(integerAt(one, "blob", 0, INT64_MAX))});
        if (options_.loadLibraries) options_.loadLibraries(plan_.libraries);
    }

    void readProfile(Json const& json) {
        Profile profile;
        for (auto const& [name, range] : json.items()) profile.emplace(name, rangeFromJson(range));
        plan_.profiles.push_back(std::move(profile));
    }

    void checkProfiles() const {
        if (plan_.profiles.empty()) fail(ErrorCode::InvalidPlan, "the engine has no profile");
        for (Profile const& profile : plan_.profiles) {
            for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max})
                inputsAt(plan_.graph, profile, point);
        }
    }

    PluginRegistry const& registry() const { return options_.registry ? *options_.registry : PluginRegistry::global(); }

    void revive(Node& node, PluginPhase phase = PluginPhase::Runtime) const {
        auto* layer = as<PluginLayer>(*node.layer);
        if (!layer || !options_.plugins) return;
        auto plugin = options_.source ? locate([&] { return text(node); }, [&] { return options_.source(node, phase); })
                                      : nullptr;
        if (!plugin && layer->kernel())
            plugin = makeCompiledPlugin(layer->name(), layer->generation(), layer->kernel());
        if (!plugin) plugin = makeRegistered(node, *layer, phase);
        plugin->node = node.name;
        layer->revive(std::make_shared<PluginLife>(std::move(plugin)));
    }

    std::unique_ptr<Plugin> makeRegistered(Node const& node, PluginLayer const& layer, PluginPhase phase) const {
        PluginCreator* creator = registry().find(layer.name());
        if (!creator)
            fail(ErrorCode::Plugin, node.name, " (", layer.name(), "): not registered. ",
                 registry().explainMissing(layer.name(), layer.library(), layer.buildId()));
        return locate([&] { return text(node); },
                      [&] { return creator->deserialize(node.name, layer.state(), phase); });
    }

    void readAssignment(Json const& json) {
        auto const number = integerAt(json, "node", 0, static_cast<int64_t>(nodes_.size()) - 1);
        Node* node = nodes_[static_cast<size_t>(number)];
        Assignment assignment{node, nullptr, variantFromJson(at(json, "variant"), *node), nullptr};
        if (json.contains("weighed")) assignment.weighed = weighedFromJson(json["weighed"]);
        if (node->kind() == PluginLayer::kKind) {
            bool const isChecked = options_.plugins && isOnHost(assignment.variant);
            if (isChecked)
                locate([&] { return text(*node); }, [&] { expectRunsOnCpu(as<PluginLayer>(*node->layer)->plugin()); });
        } else {
            auto const kernel = at(json, "kernel").get<std::string>();
            assignment.kernel = kernelNamed(plan_.device, node->kind(), kernel);
            if (!assignment.kernel)
                fail(ErrorCode::InvalidPlan, *node, ": was built with kernel ", kernel,
                     ", which this Tenon does not have; build the engine again");
        }
        if (json.contains("packed")) {
            Literal const bytes = blobs_->literal(integerAt(json["packed"], "blob", 0, INT64_MAX));
            assignment.packed = std::make_shared<Packed>(Packed{at(json["packed"], "key").get<std::string>(), bytes});
        }
        plan_.nodes.push_back(std::move(assignment));
    }

    /// Every node that runs on the device has one assignment, after those that it reads.
    void checkOrder() const {
        size_t next = 0;
        for (Node const* node : plan_.graph.order()) {
            if (next < plan_.nodes.size() && plan_.nodes[next].node == node) {
                ++next;
                continue;
            }
            bool const fixed = node->layer->constant() || (!node->outputs().empty() && node->output()->onHost);
            if (!fixed) fail(ErrorCode::InvalidPlan, *node, ": has no kernel, or stands in the wrong place");
        }
        if (next != plan_.nodes.size()) fail(ErrorCode::InvalidPlan, "nodes stand in the wrong order");
    }

    /// Which way of a kernel was fastest on another machine says little here.
    void forgetTimes() {
        if (plan_.builtOn == backendOf(plan_.device).describe()) return;
        int count = 0;
        for (Assignment& assignment : plan_.nodes) {
            if (!assignment.kernel) continue;
            auto const tactics = assignment.kernel->tactics(assignment.variant);
            if (tactics.empty() || assignment.variant.tactic == tactics.front()) continue;
            assignment.variant.tactic = tactics.front();
            ++count;
        }
        if (count == 0) return;
        say(options_.log, Severity::Info,
            text("the engine was built on ", plan_.builtOn, ", and ", count,
                 " kernels were timed there; here they compute in the way that looks best: build the engine again to "
                 "have them timed"));
    }

    void repack() {
        std::vector<Assignment*> stale;
        for (Assignment& assignment : plan_.nodes) {
            if (!assignment.variant.isPacked()) continue;
            bool const fits =
                assignment.packed && assignment.packed->key == assignment.kernel->packKey(assignment.variant);
            if (fits) continue;
            assignment.packed = nullptr;
            stale.push_back(&assignment);
        }
        if (stale.empty()) return;
        say(options_.log, Severity::Info,
            text("the engine was built on ", plan_.builtOn, "; the weights or the code of ", stale.size(),
                 " nodes are made again for ", backendOf(plan_.device).describe()));
        packWeights(plan_, stale);
    }

    std::shared_ptr<BlobReader const> blobs_;
    ReadOptions const& options_;
    Plan plan_;
    std::vector<Node*> nodes_;
};

Json precisionJson(Precision precision) {
    JsonWriter writer({});
    precision.fields(writer);
    return std::move(writer.json);
}

std::string_view verbosityName(ProfilingVerbosity verbosity) {
    return names(verbosity)[static_cast<size_t>(verbosity)];
}

} // namespace

std::vector<std::byte> writePlan(Plan const& plan) {
    PluginStates states;
    Graph const graph = withStates(plan.graph, states);
    BlobWriter blobs;
    auto const store = [&](Literal const& literal) { return blobs.add(literal); };
    Json json{{"writer", "tenon"},
              {"device", plan.device == Device::Cpu ? "cpu" : "cuda"},
              {"built_on", plan.builtOn},
              {"profiling_verbosity", verbosityName(plan.verbosity)},
              {"debug_unfused", plan.debugUnfused},
              {"max_batch", plan.maxBatch},
              {"aux_streams", plan.auxStreams},
              {"precision", precisionJson(plan.allowed)},
              {"notes", plan.notes},
              {"plugins", manifestOf(graph)}};
    json["profiles"] = Json::array();
    for (Profile const& profile : plan.profiles) json["profiles"].push_back(profileJson(profile));
    json["graph"] = toJson(graph, store);
    json["nodes"] = assignmentsJson(plan, blobs);
    if (!plan.libraries.empty()) json["libraries"] = librariesJson(plan.libraries, blobs);
    std::string network; // a text of its own, since few who read the plan want it
    if (plan.network) {
        network = toJson(withStates(plan.network(), states), store).dump();
        json["network"] = blobs.add(std::as_bytes(std::span(network)));
    }
    return blobs.finish(std::move(json));
}

Plan readPlan(std::span<std::byte const> bytes, ReadOptions const& options) {
    auto copy = allocateHost(bytes.size());
    if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
    return readPlan({static_cast<std::byte const*>(copy.get()), bytes.size()}, copy, options);
}

Plan readPlan(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, ReadOptions const& options) {
    return guardJson(
        [&] { return PlanReader(std::make_shared<BlobReader const>(bytes, std::move(owner)), options).read(); });
}

} // namespace tenon
