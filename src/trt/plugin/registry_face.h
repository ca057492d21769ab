// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/registry.h"
#include "trt/edge/edge.h"

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

    /// For setPluginsToSerialize(): registers the library's creators, as loadLibrary() does, unless they are registered
    /// already, from this file or another. An Error if it has none.
    void ensureLibrary(std::string const& path);
    /// Opens the copy of a library that came with an engine. Its creators are registered here and nowhere else; if some
    /// are registered here already, the log reports that the engine's are not used. \param name of the library \return
    /// the loader's handle; the caller closes it when no plugin of it is left
    void* openFromEngine(std::string const& path, std::string const& name, Log const& log);

private:
    /// The results of opening a library.
    struct Library {
        void* handle;
        std::vector<void const*> creators; // those that it listed and that were registered here
        std::vector<void const*> statics;  // those of its static objects, registered this time
        std::vector<std::string> refused;  // why others were not registered
        bool hasImporters = false;         // of ONNX nodes (tenon/onnx.h), registered or not
        bool broughtImporters = false;     // this time
    };
    struct Resource {
        std::unique_ptr<api::IPluginResource> object;
        int32_t users = 0;
    };

    /// Decrements the resource's count; returns the resource if that was the last user.
    std::unique_ptr<api::IPluginResource> takeUnused(std::string const& name);
    /// Reports to the recorder and to the logger that is in use at present.
    Reporter reporter() const;
    void add(api::IPluginCreatorInterface& creator, char const* pluginNamespace);
    Library open(std::string const& path, PluginRegistry& ofStatics);
    void addListed(Library& library);
    void close(Library const& library);
    /// Whether creators that can be found here come from the library.
    bool hasCreatorsOf(void* handle) const;
    PluginRegistry::Found find(char const* name, char const* version, char const* nameSpace) const;

    PluginRegistry& registry_;
    std::vector<std::unique_ptr<Library>> libraries_; // opened by loadLibrary()
    mutable std::recursive_mutex mutex_; // guards the members below; the application's objects may call back
    api::IErrorRecorder* recorder_ = nullptr;
    std::map<std::string, Resource> resources_;
};

/// The registry of a builder or runtime, below the global one. Objects that look up plugins in it share it.
struct OwnRegistry {
    PluginRegistry core{&PluginRegistry::global()};
    RegistryFace face{core};
};

} // namespace tenon::trt
