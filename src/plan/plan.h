// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/kernel.h"
#include "base/log.h"
#include "plan/shape_program.h"

#include <algorithm>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace tenon {

/// The shapes that one input takes: any between min and max, fastest at opt. For a shape tensor also its elements.
struct InputRange {
    Dims min;
    Dims opt;
    Dims max;
    std::vector<int64_t> minValues;
    std::vector<int64_t> optValues;
    std::vector<int64_t> maxValues;
};

/// Ranges by the names of the inputs; inputs with constant shapes need none.
using Profile = std::map<std::string, InputRange>;

enum class ProfilePoint { Min, Opt, Max };

/// What inspector and profilers show of an engine's layers; error messages always name them.
enum class ProfilingVerbosity { Names, None, Detailed };
std::span<std::string_view const> names(ProfilingVerbosity);

/// The inputs of a graph at one point of a profile; an Error that names an input without a range, or with one that does
/// not go with its shape.
std::vector<ShapeProgram::Input> inputsAt(Graph const& graph, Profile const& profile, ProfilePoint point);

class PluginLife;
class TimingCache;
class WaySelector;

/// Whether plugins and kernels with several variants or tactics are timed in each of them, to take the fastest.
struct Tuning {
    bool enabled = false;
    double seconds = 2;                 // of a build, by estimates (see Timer)
    int rounds = 4;                     // runs, of which the fastest counts
    size_t mostWays = SIZE_MAX;         // tried of one plugin or kernel
    std::shared_ptr<TimingCache> cache; // null: nothing is remembered
    bool cacheOnly = false;             // an Error where the cache does not know a time
    bool announces = false;             // each way is logged before it runs, so that the log shows which one hangs
    void* stream = nullptr;             // to time in; null: one of the build's own
    size_t memory = SIZE_MAX;           // bytes on the device that one way may take while it is timed
};

/// What becomes of the types that programs ask single nodes and tensors for (askedType): where no kernel meets one, it
/// is an Error or, if they are preferred, a warning.
enum class AskedTypes { Ignored, Preferred, Obeyed };
std::span<std::string_view const> names(AskedTypes);

/// In which types float32 tensors of a network may also be kept, and how exact float32 products are.
struct Precision {
    bool float16 = false;
    bool bfloat16 = false;
    bool int8 = false; // those that have a scale
    bool tf32 = true;  // factors may be rounded to 10 bits of mantissa, on devices that compute with TF32
    AskedTypes asked = AskedTypes::Ignored;

    void fields(Fields& f) {
        f("float16", float16);
        f("bfloat16", bfloat16);
        f("int8", int8);
        f("tf32", tf32);
        f("asked", asked);
    }
};

/// The name of an input or output of a network, as a field.
struct IoName {
    std::string name;

    void fields(Fields& f) { f("name", name); }
};

/// Settings of a build that the plan keeps, for those who run the engine, and to build it again for another device. All
/// that the user asks of a build is here, but for what the plan itself shows (device, profiles, labels of inputs and
/// outputs) and what concerns one build only (tuning, callbacks).
struct PlanSettings {
    Precision precision;
    ProfilingVerbosity verbosity = ProfilingVerbosity::Names;
    bool debugUnfused = false; // tensors that fusion leaves may be shown like debug tensors
    /// The largest batch of a network with implicit batch, whose first axis programs that ask by binding number do not
    /// see; 0: they see all axes.
    int64_t maxBatch = 0;
    int64_t auxStreams = 0;     // streams beside the caller's that a context may use, on devices that have streams
    bool pluginAliases = false; // plugins may ask for outputs in the memory of their inputs
    bool refits = false;        // weights that have names may be exchanged (refit.h); a plan keeps its network for that
    bool streamsWeights = false; // weights may stay in host memory until their step runs (runtime/streamed_weights.h)
    bool isStripped = false;     // weights were left out of the file; the engine runs once they are given back
    bool sparse = false;         // weights of which two in each four are zero may be left out of products
    bool independent = false;    // places of a distributive axis are computed by identical operations
    bool compiles = true;        // libraries may compile kernels for the shapes of a node
    bool keepsNans = false;      // what is computed of a NaN is none but one where that is so in the network
    /// Libraries whose kernels are taken only where no other of the device computes the node: what the kernels' names
    /// begin with, separated by spaces.
    std::string avoidedLibraries;
    /// The version of TensorRT's API that the building program was compiled for: major * 10000 + minor * 100 + patch;
    /// 0: it used no such API.
    int64_t apiVersion = 0;
    std::string leftOutPasses; // optional passes (Pass::optional) that do not run: their names, separated by spaces
    /// Inputs and outputs that nothing may reformat: what reads or writes them takes one of their labels.
    std::vector<IoName> directIo;
    /// Bytes of workspace that one kernel or plugin may take; nullopt: what the device has.
    std::optional<size_t> workspaceLimit;

    bool isDirect(std::string const& io) const {
        return std::ranges::find(directIo, io, &IoName::name) != directIo.end();
    }

    /// All but the precision, which has fields of its own.
    void fields(Fields& f) {
        f("profiling_verbosity", verbosity);
        f("debug_unfused", debugUnfused);
        f("max_batch", maxBatch);
        f("aux_streams", auxStreams);
        f("plugin_aliases", pluginAliases);
        f("refits", refits);
        f("stripped", isStripped);
        if (f.visits("streams_weights", streamsWeights)) f("streams_weights", streamsWeights);
        if (f.visits("sparse", sparse)) f("sparse", sparse);
        if (f.visits("independent", independent)) f("independent", independent);
        if (f.visits("compiles", !compiles)) f("compiles", compiles);
        if (f.visits("keeps_nans", keepsNans)) f("keeps_nans", keepsNans);
        if (f.visits("avoided_libraries", !avoidedLibraries.empty())) f("avoided_libraries", avoidedLibraries);
        if (f.visits("api_version", apiVersion != 0)) f("api_version", apiVersion);
        if (f.visits("left_out_passes", !leftOutPasses.empty())) f("left_out_passes", leftOutPasses);
        if (f.visits("direct_io", !directIo.empty())) f("direct_io", directIo);
        if (f.visits("workspace_limit", workspaceLimit.has_value())) {
            auto bytes = static_cast<int64_t>(workspaceLimit.value_or(0));
            f("workspace_limit", bytes);
            workspaceLimit = static_cast<size_t>(bytes);
        }
    }
};

/// For each node of a plan with a plugin: the network's plugin that it is a clone of.
using PluginOrigins = std::map<Node const*, PluginLife const*>;

struct BuildConfig {
    Device device = Device::Cpu;
    std::vector<Profile> profiles;
    PlanSettings settings;
    /// How inputs and outputs of the network lie in memory, by name; linear and of the tensor's own type otherwise.
    std::map<std::string, std::vector<Label>> ioLabels;
    Tuning tuning;
    bool keepNetwork = true; // the portable network goes into the plan, so that another device can rebuild it
    /// False: the network is only rewritten, with its plugins as they are, into what kernels would be chosen for. Of
    /// plan.nodes there are those with graphs inside, which are rewritten too.
    bool choosesKernels = true;
    /// The network is a graph inside of a layer: a profile that does not give the elements of an input leaves them to
    /// the run.
    bool isInside = false;
    WaySelector* selector = nullptr; // says which ways of a node may be taken; null: all
    /// Takes what it clones, where a network is built for another one that it stands in.
    std::shared_ptr<PluginOrigins> origins = nullptr;
    Log log;
};

/// What one kernel, or one variant of a plugin, offered for a node, kept to explain why another one was chosen.
struct Weighed {
    std::string kernel;
    std::optional<double> cost; // of its cheapest variant, as in Variant::cost
    std::string refusal;        // where there is no cost: why it does not take the node
};

struct Plan;

/// What computes one node: a kernel, a plugin, or plans of the graphs inside of it. Constants and nodes on the host
/// have none.
struct Assignment {
    Node* node = nullptr;
    Kernel const* kernel = nullptr;
    Variant variant;
    std::shared_ptr<Packed const> packed;
    std::vector<Weighed> weighed = {}; // for each kernel that was asked, or variant of a plugin that was timed
    std::vector<std::shared_ptr<Plan>> bodies = {};

    bool isPlugin() const { return !kernel && bodies.empty(); }
};

/// A shared library of plugins that came with a plan. Its code is run only where the program allows it.
struct PluginLibrary {
    std::string name; // its file's name, without folders
    Literal bytes;
};

/// A network prepared for one device: rewritten, formats and kernels assigned, weights packed. Immutable once built.
struct Plan {
    Device device = Device::Cpu;
    std::string builtOn; // device and libraries, by which a plan from another machine is recognized
    Graph graph;         // optimized; its tensors carry their labels
    /// As the user built it, read when it is asked for; empty when it was not kept.
    std::function<Graph()> network;
    std::vector<Assignment> nodes; // in order of execution
    std::vector<Profile> profiles;
    PlanSettings settings;
    std::vector<PluginLibrary> libraries;
    std::vector<std::string> notes; // of the build: compute types, reformats around plugins

    Plan() = default;
    Plan(Plan&&) = default;
    Plan& operator=(Plan&&) = default;
};

/// Calls `visit` with a plan, and then with the plans of the graphs inside of its nodes.
template <class P, class Visit>
requires std::same_as<std::remove_const_t<P>, Plan>
void forEachPlan(P& plan, Visit const& visit) {
    visit(plan);
    for (auto& assignment : plan.nodes) {
        for (auto const& body : assignment.bodies) forEachPlan<P>(*body, visit);
    }
}

} // namespace tenon
