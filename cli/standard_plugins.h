// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <NvInferRuntime.h>

#include <dlfcn.h>
#include <string>
#include <vector>

namespace tenon::cli {

constexpr char kStandardPlugins[] = "libtenon_plugins.so.1";

/// initLibNvInferPlugins of the standard plugins: from the libnvinfer_plugin.so beside the loaded libtenon, which users
/// may replace; else from the library that the loader finds by its name, or that is in that folder (the loader does not
/// look there when a sanitizer intercepts dlopen). Null if none is installed.
inline bool (*findStandardPlugins())(void*, char const*) {
    Dl_info library{};
    bool const isKnown = dladdr(reinterpret_cast<void const*>(&getPluginRegistry), &library) != 0 && library.dli_fname;
    std::string const path = isKnown ? library.dli_fname : "";
    std::string const folder = path.substr(0, path.rfind('/') + 1);
    std::vector<std::string> names{kStandardPlugins};
    if (!folder.empty()) names = {folder + "libnvinfer_plugin.so", kStandardPlugins, folder + kStandardPlugins};
    void* handle = nullptr;
    for (size_t i = 0; i < names.size() && !handle; ++i) handle = dlopen(names[i].c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const entry = handle ? dlsym(handle, "initLibNvInferPlugins") : nullptr;
    return reinterpret_cast<bool (*)(void*, char const*)>(entry);
}

} // namespace tenon::cli
