// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "arguments.h"

namespace tenon::cli {

/// One word of `tenon WORD …`. `run` returns the exit status and throws a Failure on errors.
struct Command {
    std::string_view name;
    std::string_view operands; // for the usage line: "FILE"
    std::string_view purpose;  // one line
    std::span<Flag const> flags;
    std::string_view notes; // more for --help; may be empty
    int (*run)(Arguments const& arguments);
};

/// The exit statuses of all commands.
inline constexpr int kFine = 0;
inline constexpr int kDiffers = 1; // a check failed: an output out of tolerance, a wrong checksum
inline constexpr int kFailed = 2;  // the check could not be made

/// For the commands that read models.
inline constexpr Flag kAllowLinkedData{"--allow-linked-data", "",
                                       "a model: its external data may be symbolic links that lead out of its folder"};

extern Command const kInspect;
extern Command const kRun;
extern Command const kPlugins;

} // namespace tenon::cli
