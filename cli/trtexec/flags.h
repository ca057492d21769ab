// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flag_value.h"
#include "options.h"

#include <span>

namespace trtexec {

/// Where a flag stands in the help.
enum class FlagGroup {
    kModel,
    kBuild,
    kInference,
    kReport,
    kSystem,
    kHelp,
    kNoEffect, // taken and named in a warning, which its help explains
    kRefused,  // an error, which its help explains
};

/// One flag: this is all that there is to it, for the command line and for the help.
struct Flag {
    FlagGroup group;
    std::string_view name;  // with its dashes
    std::string_view value; // what stands for its value in the help; empty for a switch, in [] where it is optional
    std::string_view help;
    /// Null in kRefused. In kNoEffect it only checks the form of the value; null: any will do.
    void (*apply)(Options& options, FlagValue const& value);
    bool repeats = false;
};

std::span<Flag const> allFlags();

/// Null where there is none of this name.
Flag const* findFlag(std::string_view name);

/// The flag whose name takes the fewest letters to get to.
Flag const& nearestFlag(std::string_view name);

std::string helpText();

} // namespace trtexec
