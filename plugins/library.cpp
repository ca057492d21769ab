// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamic_plugin.h"
#include "plugin_v3.h"

#include <NvInferPlugin.h>
#include <tenon/plugin.h>

#include <map>
#include <mutex>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using Creator = std::unique_ptr<nvinfer1::IPluginCreatorInterface>;

Creator makeCreator(Definition const& definition, std::string const& pluginNamespace) {
    switch (definition.generation) {
    case Generation::kV2DynamicExt: return std::make_unique<DynamicPluginCreator>(definition);
    case Generation::kV3: return std::make_unique<PluginV3Creator>(definition, pluginNamespace);
    }
    return nullptr;
}

// They compute in host memory: an engine for a GPU brings their tensors there and back.
void declareDevice(Definition const& definition, std::string const& pluginNamespace) {
    char const* const why =
        setPluginDevices(definition.name, definition.version, pluginNamespace.c_str(), PluginDevices::kCPU);
    if (why != nullptr) throw std::runtime_error(why);
}

// The registry owns nothing: creators live here until the library is unloaded, and leave the registry before.
class Creators {
public:
    ~Creators() {
        for (auto const& [pluginNamespace, creators] : byNamespace_) {
            for (size_t i = 0; i < creators.size(); ++i) {
                if (registered(i, pluginNamespace) == creators[i].get())
                    getPluginRegistry()->deregisterCreator(*creators[i]);
            }
        }
    }

    static Creators& all() {
        static Creators creators;
        return creators;
    }

    // One for each plugin, in the order of allPlugins(); made once.
    std::span<Creator const> of(std::string const& pluginNamespace) {
        std::lock_guard const lock(mutex_);
        std::vector<Creator>& creators = byNamespace_[pluginNamespace];
        if (creators.empty()) {
            for (Definition const* definition : definitions_)
                creators.push_back(makeCreator(*definition, pluginNamespace));
        }
        return creators;
    }

    // A program's own plugin of the same name stays.
    void registerIn(std::string const& pluginNamespace) {
        std::span<Creator const> const creators = of(pluginNamespace);
        std::lock_guard const lock(mutex_);
        for (size_t i = 0; i < creators.size(); ++i) {
            if (registered(i, pluginNamespace) != nullptr) continue;
            if (!getPluginRegistry()->registerCreator(*creators[i], pluginNamespace.c_str()))
                throw std::runtime_error(std::string(definitions_[i]->name) + " cannot be registered");
            declareDevice(*definitions_[i], pluginNamespace);
        }
    }

private:
    // The creator that is registered for plugin `i` now, null for none.
    nvinfer1::IPluginCreatorInterface* registered(size_t i, std::string const& pluginNamespace) const {
        Definition const& definition = *definitions_[i];
        return getPluginRegistry()->getCreator(definition.name, definition.version, pluginNamespace.c_str());
    }

    std::vector<Definition const*> const& definitions_ = allPlugins(); // now, so that it ends after this
    std::mutex mutex_;
    std::map<std::string, std::vector<Creator>> byNamespace_;
};

} // namespace
} // namespace tenon::plugins

bool initLibNvInferPlugins(void* logger, char const* libNamespace) {
    using namespace tenon::plugins;
    if (logger != nullptr) setLogger(static_cast<nvinfer1::ILogger*>(logger));
    return guarded("initLibNvInferPlugins", false, [&] {
        if (libNamespace == nullptr) throw std::invalid_argument("libNamespace is null; \"\" is the common one");
        Creators::all().registerIn(libNamespace);
        return true;
    });
}

// What IPluginRegistry::loadLibrary() looks for.
TENON_C_FUNCTION nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& count) {
    using namespace tenon::plugins;
    count = 0;
    return guarded<nvinfer1::IPluginCreatorInterface* const*>("getCreators", nullptr, [&] {
        static auto const listed = [] {
            std::vector<nvinfer1::IPluginCreatorInterface*> pointers;
            for (Creator const& creator : Creators::all().of("")) pointers.push_back(creator.get());
            for (Definition const* definition : allPlugins()) declareDevice(*definition, "");
            return pointers;
        }();
        count = int32_t(listed.size());
        return listed.data();
    });
}
