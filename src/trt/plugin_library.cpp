// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin_library.h"

#include "base/error.h"

#include <dlfcn.h>

namespace tenon::trt {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorInterface;

class LatestLogger final : public nvinfer1::ILoggerFinder {
public:
    nvinfer1::ILogger* findLogger() override { return getLogger(); }
};

/// Why the loader refused a library, and what to do about it.
std::string explained(std::string const& reason) {
    for (std::string_view name : {"getPluginRegistry", "getLogger"}) {
        if (reason.find(text("undefined symbol: ", name)) != std::string::npos)
            return text(reason,
                        ". The library was built against NVIDIA's headers of this API, whose registry is another "
                        "one; compile it again with Tenon's headers");
    }
    if (reason.find("libnvinfer") != std::string::npos)
        return text(reason, ". The library was linked to NVIDIA's runtime; link it to Tenon's instead");
    return reason;
}

template <class Function> Function* symbolOf(void* handle, char const* name) {
    return reinterpret_cast<Function*>(dlsym(handle, name));
}

} // namespace

void* openPluginLibrary(std::string const& path) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) fail(ErrorCode::InvalidArgument, explained(dlerror()));
    return handle;
}

std::vector<IPluginCreatorInterface*> creatorsOfLibrary(void* handle) {
    static LatestLogger finder;
    if (auto* tell = symbolOf<void(nvinfer1::ILoggerFinder*)>(handle, "setLoggerFinder")) tell(&finder);
    std::vector<IPluginCreatorInterface*> creators;
    int32_t count = 0;
    if (auto* list = symbolOf<IPluginCreatorInterface* const*(int32_t&)>(handle, "getCreators")) {
        auto* const* const listed = list(count);
        for (int32_t i = 0; listed && i < count; ++i) creators.push_back(listed[i]);
    }
    count = 0;
    if (auto* list = symbolOf<IPluginCreator* const*(int32_t&)>(handle, "getPluginCreators")) {
        auto* const* const listed = list(count);
        for (int32_t i = 0; listed && i < count; ++i) creators.push_back(listed[i]);
    }
    return creators;
}

void closePluginLibrary(void* handle) { dlclose(handle); }

} // namespace tenon::trt
