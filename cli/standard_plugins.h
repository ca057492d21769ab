// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <NvInferRuntime.h>

#include <dlfcn.h>
#include <string>

namespace tenon::cli {

constexpr char kStandardPlugins[] = "libtenon_plugins.so.1";

/// The standard plugins' initLibNvInferPlugins: of the library that the loader finds by its name, else of the one
/// beside the library that this program runs with (a loader that sanitizers stand in for does not look there). Null
/// where the library is not installed.
inline bool (*findStandardPlugins())(void*, char const*) {
    void* handle = dlopen(kStandardPlugins, RTLD_NOW | RTLD_GLOBAL);
    Dl_info library{};
    if (!handle && dladdr(reinterpret_cast<void const*>(&getPluginRegistry), &library) != 0 && library.dli_fname) {
        std::string const path = library.dli_fname;
        handle = dlopen((path.substr(0, path.rfind('/') + 1) + kStandardPlugins).c_str(), RTLD_NOW | RTLD_GLOBAL);
    }
    void* const entry = handle ? dlsym(handle, "initLibNvInferPlugins") : nullptr;
    return reinterpret_cast<bool (*)(void*, char const*)>(entry);
}

} // namespace tenon::cli
