// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/registry.h"
#include "trt/edge.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::trt {

namespace api = nvinfer1;

/// IPluginRegistry over a registry of the core. One is global; builders and runtimes have their own below it.
class RegistryFace final : public api::IPluginRegistry {
public:
    explicit RegistryFace(PluginRegistry& registry) : registry_(registry) {}
    static RegistryFace& global();
    PluginRegistry& core() { return registry_; }

    bool registerCreator(api::IPluginCreator& creator, char const* pluginNamespace) noexcept override;
    api::IPluginCreator* const* getPluginCreatorList(int32_t* numCreators) const noexcept override;
    api::IPluginCreator* getPluginCreator(char const* pluginName, char const* pluginVersion,
                                          char const* pluginNamespace) noexcept override;
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override;
    api::IErrorRecorder* getErrorRecorder() const noexcept override;
    bool deregisterCreator(api::IPluginCreator const& creator) noexcept override;
    bool isParentSearchEnabled() const override { return registry_.searchesParent(); }
    void setParentSearchEnabled(bool enabled) override { registry_.searchParent(enabled); }
    PluginLibraryHandle loadLibrary(char const* pluginPath) noexcept override;
    void deregisterLibrary(PluginLibraryHandle handle) noexcept override;
    bool registerCreator(api::IPluginCreatorInterface& creator, char const* pluginNamespace) noexcept override;
    api::IPluginCreatorInterface* const* getAllCreators(int32_t* numCreators) const noexcept override;
    api::IPluginCreatorInterface* getCreator(char const* pluginName, char const* pluginVersion,
                                             char const* pluginNamespace) noexcept override;
    bool deregisterCreator(api::IPluginCreatorInterface const& creator) noexcept override;
    api::IPluginResource* acquirePluginResource(char const* key, api::IPluginResource* resource) noexcept override;
    int32_t releasePluginResource(char const* key) noexcept override;
    api::IPluginCreatorInterface* const* getAllCreatorsRecursive(int32_t* numCreators) noexcept override;

private:
    /// A library that loadLibrary() opened, and the creators that came with it.
    struct Library {
        void* handle;
        std::vector<void const*> creators;
    };
    struct Resource {
        std::unique_ptr<api::IPluginResource> object;
        int32_t users = 0;
    };
    using CreatorArray = std::vector<api::IPluginCreatorInterface*>;

    /// Reports to the recorder and to whatever logger is in use now.
    Reporter reporter() const;
    void add(api::IPluginCreatorInterface& creator, char const* pluginNamespace);
    PluginCreator* find(char const* name, char const* version, char const* nameSpace) const;
    api::IPluginCreatorInterface* const* arrayOf(std::vector<PluginCreator*> const& creators, CreatorArray& array,
                                                 int32_t* count) const;

    PluginRegistry& registry_;
    mutable std::recursive_mutex mutex_; // a library registers its creators while it is being loaded
    api::IErrorRecorder* recorder_ = nullptr;
    std::vector<std::unique_ptr<Library>> libraries_;
    std::map<std::string, Resource> resources_;
    // what the lists are returned in
    mutable std::vector<api::IPluginCreator*> listV1_;
    mutable CreatorArray list_;
    CreatorArray listRecursive_;
};

} // namespace tenon::trt
