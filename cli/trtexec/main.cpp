// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Builds an engine from a model, or loads one, runs it and reports times, with the flags and the output of TensorRT's
// tool of this name.
#include "build_routes.h"
#include "command_line.h"
#include "flags.h"
#include "log.h"
#include "run.h"

#include <NvInferVersion.h>
#include <cstdlib>
#include <tenon/plugin.h>

#include <cstdlib>

namespace {

/// The first and the last line of the output, which scripts parse.
std::string verdict(std::string_view word, int argc, char** argv) {
    return trtexec::concat("&&&& ", word, " TensorRT.trtexec [TensorRT v", NV_TENSORRT_VERSION, "] [b",
                           NV_TENSORRT_BUILD, "] # ", trtexec::joined(std::span(argv, static_cast<size_t>(argc)), " "));
}

void runAsTold(trtexec::Options const& options, trtexec::Log& log) {
    if (options.linkedData) setenv("TENON_ALLOW_LINKED_DATA", "1", 1);
    trtexec::run(options, log);
}

bool succeeds(std::span<char const* const> arguments, trtexec::Log& log) {
    try {
        trtexec::Options const options = trtexec::readCommandLine(arguments);
        if (options.help)
            log.plain(trtexec::helpText());
        else if (options.helpBuildRoute)
            log.plain(trtexec::buildRoutes(log));
        else
            runAsTold(options, log);
        return true;
    } catch (std::bad_alloc const&) {
        log.error("Not enough memory");
    } catch (std::exception const& error) {
        log.error(error.what());
    }
    return false;
}

} // namespace

int main(int argc, char** argv) {
    setenv("TENON_CRASH_REPORT", "1", 0); // a plugin that crashes is named
    tenon::setPluginLoading("--staticPlugins=LIB.so");
    trtexec::Log log;
    log.plain(verdict("RUNNING", argc, argv));
    bool const done = succeeds({argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)}, log);
    log.plain(verdict(done ? "PASSED" : "FAILED", argc, argv));
    return done ? 0 : 1;
}
