// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"
#include "failure.h"
#include "table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <tenon/plugin.h>

namespace tenon::cli {
namespace {

std::array<Command const*, 3> const kCommands{&kInspect, &kRun, &kPlugins};

std::string overview() {
    std::string text = "Usage: tenon COMMAND ...\n\n";
    for (Command const* command : kCommands) {
        std::string const usage = joined(command->name, " ", command->operands);
        text +=
            joined("  ", usage, std::string(usage.size() < 24 ? 24 - usage.size() : 1, ' '), command->purpose, "\n");
    }
    return text + "\n`tenon COMMAND --help` lists the flags of a command.\n"
                  "Exit status: 0 success, 1 check failed, 2 error.\n";
}

std::string helpOf(Command const& command) {
    Table flags({"", ""});
    for (Flag const& flag : command.flags)
        flags.add({joined(flag.name, flag.value.empty() ? "" : " ", flag.value), std::string(flag.help)});
    std::string text = joined("Usage: tenon ", command.name, " ", command.operands, " [FLAGS]\n\n", command.purpose,
                              "\n", flags.text());
    if (!command.notes.empty()) text += joined("\n", command.notes, "\n");
    return text;
}

Command const& commandNamed(std::string const& name) {
    auto const found = std::ranges::find(kCommands, name, [](Command const* command) { return command->name; });
    if (found != kCommands.end()) return **found;
    std::vector<std::string> names;
    for (Command const* command : kCommands) names.emplace_back(command->name);
    fail("there is no command ", name, didYouMean(name, names), "\n\n", overview());
}

bool asksForHelp(std::string const& word) { return word == "--help" || word == "-h"; }

int runCommand(std::span<std::string const> words) {
    if (words.empty()) fail("a command is missing\n\n", overview());
    if (asksForHelp(words[0]) || words[0] == "help") {
        std::fputs(overview().c_str(), stdout);
        return kFine;
    }
    Command const& command = commandNamed(words[0]);
    words = words.subspan(1);
    if (std::ranges::any_of(words, asksForHelp)) {
        std::fputs(helpOf(command).c_str(), stdout);
        return kFine;
    }
    Arguments const arguments(words, command.flags);
    if (arguments.has(kAllowLinkedData.name)) setenv("TENON_ALLOW_LINKED_DATA", "1", 1);
    return command.run(arguments);
}

} // namespace
} // namespace tenon::cli

int main(int count, char** words) {
    setenv("TENON_CRASH_REPORT", "1", 0); // a plugin that crashes is named
    tenon::setPluginLoading("--plugins LIB.so");
    try {
        std::vector<std::string> const all(words + 1, words + count);
        return tenon::cli::runCommand(all);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "tenon: %s\n", error.what());
        return tenon::cli::kFailed;
    }
}
