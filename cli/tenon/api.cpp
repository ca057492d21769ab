// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "api.h"

#include "failure.h"
#include "impl/NvInferPythonPlugin.h"
#include "standard_plugins.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

namespace tenon::cli {

using namespace nvinfer1;

namespace {

std::string orEmpty(char const* text) { return text ? text : ""; }

/// As the creator's own class, which its kind identifies.
template <class Ask> auto askCreator(IPluginCreatorInterface& creator, Ask&& ask) {
    std::string_view const kind = creator.getInterfaceInfo().kind;
    if (kind == "PLUGIN CREATOR_V3ONE") return ask(static_cast<IPluginCreatorV3One&>(creator));
    if (kind == "PLUGIN CREATOR_V3QUICK") return ask(static_cast<IPluginCreatorV3Quick&>(creator));
    return ask(static_cast<IPluginCreator&>(creator));
}

/// The loader looks up a name without '/' on its search path; here it is a file.
std::string asFile(std::string const& path) {
    bool const bare = path.find('/') == std::string::npos;
    return bare && std::filesystem::exists(path) ? "./" + path : path;
}

} // namespace

void Log::log(Severity severity, char const* text) {
    if (severity <= Severity::kERROR)
        errors_ += joined(errors_.empty() ? "" : "\n", text);
    else if (severity == Severity::kWARNING)
        std::fprintf(stderr, "tenon: warning: %s\n", text);
}

std::string Log::takeErrors(std::string const& otherwise) {
    std::string errors = std::exchange(errors_, {});
    return errors.empty() ? otherwise : errors;
}

void Api::failWithErrors() { fail(log.takeErrors("it failed without an error message")); }

std::vector<IPluginCreatorInterface*> Api::loadLibrary(std::string const& path) {
    auto const before = registeredCreators();
    std::set<IPluginCreatorInterface*> const known(before.begin(), before.end());
    if (getPluginRegistry()->loadLibrary(asFile(path).c_str()) == nullptr)
        fail(log.takeErrors(joined(path, " could not be loaded")));
    auto after = registeredCreators();
    std::erase_if(after, [&](IPluginCreatorInterface* creator) { return known.contains(creator); });
    if (after.empty()) fail(log.takeErrors(joined(path, ": no plugin was registered by loading it")));
    return after;
}

void Api::loadPlugins(std::vector<std::string> const& libraries) {
    for (std::string const& library : libraries) loadLibrary(library);
    if (auto const registerAll = findStandardPlugins()) require(registerAll(nullptr, ""));
}

PluginId idOf(IPluginCreatorInterface& creator) {
    return askCreator(creator, [](auto& known) {
        return PluginId{orEmpty(known.getPluginName()), orEmpty(known.getPluginVersion()),
                        orEmpty(known.getPluginNamespace())};
    });
}

char const* classOf(IPluginCreatorInterface& creator) {
    return askCreator(creator, []<class Creator>(Creator&) {
        if constexpr (std::is_same_v<Creator, IPluginCreatorV3One>) return "IPluginCreatorV3One";
        if constexpr (std::is_same_v<Creator, IPluginCreatorV3Quick>) return "IPluginCreatorV3Quick";
        return "IPluginCreator";
    });
}

PluginFieldCollection const* fieldsOf(IPluginCreatorInterface& creator) {
    return askCreator(creator, [](auto& known) { return known.getFieldNames(); });
}

std::vector<IPluginCreatorInterface*> registeredCreators() {
    int32_t count = 0;
    IPluginCreatorInterface* const* all = getPluginRegistry()->getAllCreators(&count);
    return {all, all + count};
}

} // namespace tenon::cli
