// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include <span>
#include <string_view>

namespace tenon::trt {

class BuilderConfig;
class Network;

/// The data by which rows of flags decide.
struct FlagContext {
    Network const& network;
    BuilderConfig const& config;
    Graph const* graph = nullptr; // with all ranges; null: not known yet, when refusals are checked
};

/// A case in which a flag is refused or ignored.
struct FlagCase {
    enum class Outcome { Refused, NoEffect };
    Outcome outcome;
    std::string_view when; // as in Unserved
    std::string_view why;
    /// Whether this is the case. For a refusal it may also throw its own Error, which names the layer.
    bool (*holds)(FlagContext const& context);
};

/// One BuilderFlag: its complete definition, except for the code that reads its setting.
struct FlagRow {
    int32_t flag;                        // the neutral number, that of level 10
    std::string_view name;               // at level 10, or at the last level that has it
    std::string_view levels;             // of the API that have it
    std::string_view option;             // of trtexec; empty: none
    void (*set)(PlanSettings& settings); // null: the builder reads the flag itself
    std::span<FlagCase const> cases = {};
};

/// All flags. A later row may override the settings of an earlier one.
std::span<FlagRow const> flagRows();

/// Throws an Error for a flag that is set and refused.
void expectServedFlags(Network const& network, BuilderConfig const& config);
/// Applies the flags that are set to the settings; warns about those without effect.
void applyFlags(FlagContext const& context, PlanSettings& settings);

} // namespace tenon::trt
