// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flag_value.h"
#include "options.h"

#include <span>

namespace trtexec {

/// The section of a flag in the help.
enum class FlagGroup {
    kModel,
    kBuild,
    kInference,
    kReport,
    kSystem,
    kHelp,
    kNoEffect, // accepted with a warning, which its help explains
    kRefused,  // an error, which its help explains
};

/// The complete description of one flag, for the command line and for the help.
struct Flag {
    FlagGroup group;
    std::string_view name;  // with its dashes
    std::string_view value; // the placeholder of its value in the help; empty for a switch, in [] if optional
    std::string_view help;
    /// Null in kRefused. In kNoEffect it only checks the form of the value; null: any value is accepted.
    void (*apply)(Options& options, FlagValue const& value);
    bool repeats = false;
};

std::span<Flag const> allFlags();

/// Null if there is none of this name.
Flag const* findFlag(std::string_view name);

/// The flag with the smallest edit distance.
Flag const& nearestFlag(std::string_view name);

std::string helpText();

} // namespace trtexec
