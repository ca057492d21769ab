// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "plugins.h"

#include "failure.h"
#include "log.h"
#include "standard_plugins.h"

namespace trtexec {
namespace {

void load(nvinfer1::IPluginRegistry& registry, std::string const& library, std::string_view flag) {
    if (registry.loadLibrary(library.c_str()) == nullptr)
        fail(flag, '=', library, ": cannot be loaded as a plugin library; see the log above");
}

void loadStandardPlugins(Log& log) {
    log.info("Loading standard plugins");
    auto const registerAll = tenon::cli::findStandardPlugins();
    if (!registerAll)
        return log.detail("There are no standard plugins: ", tenon::cli::kStandardPlugins, " is not installed");
    if (!registerAll(&log, "")) log.warning(tenon::cli::kStandardPlugins, " did not register the standard plugins");
}

} // namespace

void loadStaticPlugins(SystemOptions const& options, Log& log) {
    loadStandardPlugins(log);
    for (std::string const& library : options.staticPlugins) {
        log.info("Loading supplied plugin library: ", library);
        load(*getPluginRegistry(), library, "--staticPlugins");
    }
}

void loadDynamicPlugins(SystemOptions const& options, nvinfer1::IPluginRegistry& registry) {
    for (std::string const& library : options.dynamicPlugins) load(registry, library, "--dynamicPlugins");
}

} // namespace trtexec
