// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "plugin.h"

#include <NvInferPlugin.h>

#include <map>
#include <mutex>

namespace tenon::plugins {
namespace {

// The creators of all plugins, namespace by namespace.
class AllCreators {
public:
    static AllCreators& instance() {
        static AllCreators creators;
        return creators;
    }

    // Created once.
    PluginCreators const& of(std::string const& pluginNamespace) {
        std::lock_guard const lock(mutex_);
        return byNamespace_.try_emplace(pluginNamespace, definitions_, pluginNamespace.c_str()).first->second;
    }

    // An application's own plugin of the same name is kept.
    void registerIn(std::string const& pluginNamespace) {
        PluginCreators const& creators = of(pluginNamespace);
        std::lock_guard const lock(mutex_);
        for (size_t i = 0; i < creators.size(); ++i) {
            if (creators.isTaken(i)) continue;
            if (!creators.registerAt(i))
                throw std::runtime_error(std::string(definitions_[i].name) + " cannot be registered");
        }
    }

private:
    std::vector<PluginDefinition> const definitions_{allPlugins().begin(), allPlugins().end()};
    std::mutex mutex_;
    std::map<std::string, PluginCreators> byNamespace_;
};

} // namespace
} // namespace tenon::plugins

bool initLibNvInferPlugins(void* logger, char const* libNamespace) {
    using namespace tenon::plugins;
    if (logger != nullptr) tenon::setPluginLogger(static_cast<nvinfer1::ILogger*>(logger));
    return tenon::hosting::guarded("initLibNvInferPlugins", false, [&] {
        if (libNamespace == nullptr) throw std::invalid_argument("libNamespace is null; \"\" is the common one");
        AllCreators::instance().registerIn(libNamespace);
        return true;
    });
}

// The symbol that IPluginRegistry::loadLibrary() looks up.
TENON_C_FUNCTION nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& count) {
    using namespace tenon::plugins;
    count = 0;
    return tenon::hosting::guarded<nvinfer1::IPluginCreatorInterface* const*>(
        "getCreators", nullptr, [&] { return AllCreators::instance().of("").list(count); });
}
