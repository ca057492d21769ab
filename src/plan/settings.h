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

/// The details of an engine's layers that inspectors and profilers show; error messages always name the layers.
enum class ProfilingVerbosity { Names, None, Detailed };
std::span<std::string_view const> names(ProfilingVerbosity);

/// The handling of types that applications request for single nodes and tensors (askedType): a type that no kernel
/// supports is an Error or, if types are preferred, a warning.
enum class AskedTypes { Ignored, Preferred, Obeyed };
std::span<std::string_view const> names(AskedTypes);

/// Types in which float32 tensors of a network may also be stored, and the precision of float32 products.
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

/// Settings of a build that the plan keeps, for the users of the engine, and to build it again for another device.
/// Contains all settings of a build, except those visible in the plan itself (device, profiles, labels of inputs and
/// outputs) and those of a single build (tuning, callbacks).
struct PlanSettings {
    Precision precision;
    ProfilingVerbosity verbosity = ProfilingVerbosity::Names;
    bool debugUnfused = false; // tensors that are kept after fusion may be shown like debug tensors
    /// The largest batch of a network with implicit batch, whose first axis is hidden from applications that use
    /// binding numbers; 0: they see all axes.
    int64_t maxBatch = 0;
    int64_t auxStreams = 0; // streams in addition to the caller's that a context may use, on devices that have streams
    bool pluginAliases = false;  // plugins may declare outputs as aliases of inputs
    bool refits = false;         // named weights may be refitted (refit.h); a plan keeps its network for that
    bool streamsWeights = false; // weights may stay in host memory until their step runs (runtime/streamed_weights.h)
    bool isStripped = false;     // weights were left out of the file; the engine runs after they are refitted
    bool sparse = false;         // weights with two zeros in each four may be left out of products
    bool independent = false;    // the positions of a distributive axis are computed by identical operations
    bool compiles = true;        // libraries may compile kernels for the shapes of a node
    bool keepsNans = false;      // results computed from a NaN are numbers only if they are in the network
    /// Libraries whose kernels are used only if no other of the device supports the node: prefixes of the kernels'
    /// names, separated by spaces.
    std::string avoidedLibraries;
    /// The version of TensorRT's API that the application was compiled for: major * 10000 + minor * 100 + patch; 0: it
    /// did not use that API.
    int64_t apiVersion = 0;
    std::string leftOutPasses; // optional passes (Pass::optional) that do not run: their names, separated by spaces
    /// Inputs and outputs without reformats: their readers or producers support one of their labels.
    std::vector<IoName> directIo;
    /// Bytes of workspace that one kernel or plugin may use; nullopt: the memory of the device.
    std::optional<size_t> workspaceLimit;

    bool isDirect(std::string const& io) const {
        return std::ranges::find(directIo, io, &IoName::name) != directIo.end();
    }

    /// All except the precision, which has separate fields.
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
