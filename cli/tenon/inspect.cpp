// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"
#include "engine_report.h"
#include "failure.h"
#include "model_report.h"

#include <cstdio>
#include <fstream>

namespace tenon::cli {
namespace {

constexpr Flag kFlags[]{
    {"--json", "", "for scripts, instead of tables"},
    {"--verify", "", "an engine: also read all weights and compare their checksums"},
    {"--plugins", "LIB.so", "a model: load this plugin library first; may be repeated", true},
    kAllowLinkedData,
};

int inspectEngine(std::string const& path, Arguments const& arguments) {
    if (arguments.has("--plugins")) fail("--plugins is for models: an engine is inspected without loading any library");
    PlanView const plan(path.c_str());
    if (plan.error()) fail(plan.error());
    try {
        Json const report = engineReport(plan, arguments.has("--verify"));
        std::fputs((arguments.has("--json") ? printed(report) : engineText(report)).c_str(), stdout);
        return report.value("verified", true) ? kFine : kDiffers;
    } catch (nlohmann::json::exception const& error) { // the checksums match, but no builder writes this
        fail(path, ": the engine's description is damaged: ", error.what());
    }
}

int inspectModel(std::string const& path, Arguments const& arguments) {
    if (arguments.has("--verify")) fail("--verify is for engines: a model has no checksums");
    Json const report = modelReport(path, arguments.values("--plugins"));
    std::fputs((arguments.has("--json") ? printed(report) : modelText(report)).c_str(), stdout);
    return report.at("problems").empty() ? kFine : kDiffers;
}

int inspect(Arguments const& arguments) {
    if (arguments.operands().size() != 1)
        fail("tenon inspect needs one file, an engine or an ONNX model; found ", arguments.operands().size());
    std::string const& path = arguments.operands().front();
    return path.ends_with(".onnx") ? inspectModel(path, arguments) : inspectEngine(path, arguments);
}

} // namespace

Command const kInspect{"inspect",
                       "FILE",
                       "Inspects an engine or a model (NAME.onnx).",
                       kFlags,
                       "An engine is read without loading a plugin, creating an engine or running anything. Ends with\n"
                       "status 1 if --verify finds damage, or a model has parts that cannot be built.",
                       inspect};

} // namespace tenon::cli
