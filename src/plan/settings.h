// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/fields.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// What inspector and profilers show of an engine's layers; error messages always name them.
enum class ProfilingVerbosity { Names, None, Detailed };
std::span<std::string_view const> names(ProfilingVerbosity);

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

} // namespace tenon
