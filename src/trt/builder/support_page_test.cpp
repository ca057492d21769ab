// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/support.md is written from the tables of what is refused and what has no effect, and from the answers of the
// API. TENON_WRITE_PAGES=1 writes it again; otherwise the page is compared with them.

#include "base/text.h"
#include "support/api.h"
#include "trt/builder/flag_rows.h"
#include "trt/edge/unserved.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tenon::trt {
namespace {

constexpr char const* kPage = "docs/support.md"; // tests run at the root of the sources

std::string rowOf(std::initializer_list<std::string_view> cells) {
    std::string row = "|";
    for (std::string_view const cell : cells) row += text(' ', cell, cell.empty() ? "|" : " |");
    return row + '\n';
}

std::string code(std::string_view name) { return name.empty() ? "" : text('`', name, '`'); }

std::string orAlways(std::string_view when) { return when.empty() ? "always" : std::string(when); }

std::string tableOf(std::span<Unserved const> rows) {
    std::string table = "| part of the API | when | why |\n|---|---|---|\n";
    for (Unserved const& row : rows) table += rowOf({code(row.what), orAlways(row.when), row.why});
    return table;
}

std::string flagTable() {
    std::string table = "| flag | levels | `trtexec` | limits |\n|---|---|---|---|\n";
    for (FlagRow const& row : flagRows()) {
        std::string limits;
        for (FlagCase const& one : row.cases) {
            bool const isRefused = one.outcome == FlagCase::Outcome::Refused;
            limits += text(limits.empty() ? "" : "<br>", isRefused ? "refused" : "no effect",
                           one.when.empty() ? "" : " ", one.when, ": ", one.why);
        }
        table += rowOf({code(row.name), row.levels, code(row.option), limits});
    }
    return table;
}

/// Methods that return the same on every device, called here.
std::string answerTable() {
    test::Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    test::Running const running(*d.build());
    nvinfer1::IRuntime& runtime = *running.runtime;
    auto const word = [](bool answer) { return std::string(answer ? "true" : "false"); };
    bool const isStandard = running.engine->getEngineCapability() == nvinfer1::EngineCapability::kSTANDARD;
    bool const isSame = d.config->getRuntimePlatform() == nvinfer1::RuntimePlatform::kSAME_AS_BUILD;
    std::pair<std::string_view, std::string> const answers[]{
        {"IBuilder::getNbDLACores", text(d.builder->getNbDLACores())},
        {"IBuilder::platformHasFastFp16", word(d.builder->platformHasFastFp16())},
        {"IBuilder::platformHasFastInt8", word(d.builder->platformHasFastInt8())},
        {"IBuilderConfig::canRunOnDLA", word(d.config->canRunOnDLA(d.network->getLayer(0)))},
        {"IBuilderConfig::getDLACore", text(d.config->getDLACore())},
        {"IBuilderConfig::getRuntimePlatform", isSame ? "kSAME_AS_BUILD" : "another"},
        {"ICudaEngine::getEngineCapability", isStandard ? "kSTANDARD" : "another"},
        {"IRuntime::getDLACore", text(runtime.getDLACore())},
        {"IRuntime::getNbDLACores", text(runtime.getNbDLACores())},
    };
    std::string table = "| method | answer |\n|---|---|\n";
    for (auto const& [method, answer] : answers) table += rowOf({code(method), code(answer)});
    return table;
}

std::string page() {
    return text(
        "# Refused settings and settings without effect\n\n"
        "Written by `TENON_WRITE_PAGES=1 trt_test --gtest_filter='SupportPage.*'` from the tables in\n"
        "`src/trt/edge/unserved.h` and `src/trt/builder/flag_rows.cpp`. Names are those of level 10, or of the last "
        "level that has\nthem.\n\n"
        "## Builder flags\n\n"
        "A refused flag fails the build. A flag without effect is ignored, with a warning once per builder.\n\n",
        flagTable(),
        "\n## Refused\n\n"
        "The call fails with an error that begins with \"not supported\", and the setting keeps its value.\n\n",
        tableOf(kRefused),
        "\n## Without effect\n\n"
        "A warning says so, once per builder or runtime and the objects made from it.\n\n",
        tableOf(kWithoutEffect),
        "\n## Fixed answers\n\n"
        "These methods return the same on every device.\n\n",
        answerTable());
}

TEST(SupportPage, isWhatTheTablesSay) {
    std::string const expected = page();
    if (std::getenv("TENON_WRITE_PAGES") != nullptr) std::ofstream(kPage) << expected;
    std::stringstream found;
    found << std::ifstream(kPage).rdbuf();
    EXPECT_EQ(found.str(), expected) << kPage << " is out of date; its head says how it is written";
}

TEST(FlagRows, nameEachFlagOnce) {
    for (int32_t i = 0; i < nvinfer1::EnumMax<nvinfer1::BuilderFlag>(); ++i) {
        EXPECT_EQ(std::ranges::count(flagRows(), i, &FlagRow::flag), 1) << i;
    }
}

} // namespace
} // namespace tenon::trt
