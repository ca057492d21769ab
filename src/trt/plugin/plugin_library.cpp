// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace tenon::trt {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorInterface;

class LatestLogger final : public nvinfer1::ILoggerFinder {
public:
    nvinfer1::ILogger* findLogger() override { return getLogger(); }
};

/// Why the loader rejected a library, and how to fix it.
std::string explained(std::string const& reason) {
    for (std::string_view name : {"getPluginRegistry", "getLogger"}) {
        if (reason.find(text("undefined symbol: ", name)) != std::string::npos)
            return text(reason, ". The library was built against NVIDIA's headers of this API, which use another "
                                "registry; compile it again with Tenon's headers");
    }
    if (reason.find("libnvinfer") != std::string::npos)
        return text(reason, ". The library was linked to NVIDIA's runtime; link it to Tenon's instead");
    return reason;
}

link_map const* fileOf(void const* address) {
    Dl_info info{};
    link_map* file = nullptr;
    return dladdr1(address, &info, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) == 0 ? nullptr : file;
}

/// Null if the library itself has none.
template <class Function> Function* symbolOf(void* handle, char const* name) {
    void* const found = dlsym(handle, name);
    return found && liesIn(handle, found) ? reinterpret_cast<Function*>(found) : nullptr;
}

} // namespace

void* openPluginLibrary(std::string const& path) {
    std::error_code ignored;
    auto const type = std::filesystem::status(path, ignored).type();
    using enum std::filesystem::file_type;
    if (type == fifo || type == character || type == block || type == socket) // the loader would wait for its bytes
        fail(ErrorCode::InvalidArgument, path, ": is a pipe or a device; expected a library");
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

std::string whyWithoutCreators(void* handle) {
    std::string functions;
    for (char const* name : {"getCreators", "getPluginCreators"}) {
        if (symbolOf<void()>(handle, name)) functions += text(functions.empty() ? "" : " and ", name);
    }
    if (functions.empty()) return "the library registers no plugin and has neither getCreators nor getPluginCreators";
    return text("the library registers no plugin, and its ", functions, " returned none");
}

void closePluginLibrary(void* handle) { dlclose(handle); }

bool isLoaded(void const* address) { return fileOf(address) != nullptr; }

void const* placeOf(void const* object) {
    return isLoaded(object) ? object : *static_cast<void const* const*>(object); // the table of its class
}

bool lieTogether(void const* one, void const* other) { return fileOf(one) == fileOf(other); }

std::string pathOfLibrary(void const* address) {
    link_map const* const file = fileOf(address);
    return file && file->l_name ? file->l_name : "";
}

void* holdLibrary(std::string const& path) { return dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD); }

bool liesIn(void* handle, void const* address) {
    link_map* file = nullptr;
    return dlinfo(handle, RTLD_DI_LINKMAP, &file) == 0 && file == fileOf(address);
}

} // namespace tenon::trt
