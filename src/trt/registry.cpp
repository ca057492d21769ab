// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/registry.h"

#include "NvInfer.h"
#include "trt/opening_library.h"
#include "trt/plugin_creator.h"

#include <algorithm>

namespace tenon::trt {

using api::IPluginCreatorInterface;

RegistryFace& RegistryFace::global() {
    // never destroyed: libraries register before main begins and deregister after it has ended
    static auto* const face = new RegistryFace(PluginRegistry::global());
    return *face;
}

Reporter RegistryFace::reporter() const {
    Reporter reporter(getLogger());
    reporter.setRecorder(recorder_);
    return reporter;
}

// ---- creators

void RegistryFace::add(IPluginCreatorInterface& creator, char const* pluginNamespace) {
    std::string const nameSpace = expectText(pluginNamespace, "pluginNamespace");
    std::string why;
    if (!registry_.add(adaptCreator(creator, nameSpace), why)) fail(ErrorCode::InvalidArgument, why);
}

bool RegistryFace::registerCreator(IPluginCreatorInterface& creator, char const* pluginNamespace) noexcept {
    if (auto* opening = OpeningLibrary::onThisThread(); opening && this == &global())
        return opening->take(creator, pluginNamespace);
    return guarded(reporter(), "registerCreator", [&] { return add(creator, pluginNamespace), true; });
}

bool RegistryFace::registerCreator(api::IPluginCreator& creator, char const* pluginNamespace) noexcept {
    return registerCreator(static_cast<IPluginCreatorInterface&>(creator), pluginNamespace);
}

bool RegistryFace::deregisterCreator(IPluginCreatorInterface const& creator) noexcept {
    return guarded(reporter(), "deregisterCreator", [&] {
        if (!registry_.removeByUserObject(&creator)) fail(ErrorCode::InvalidArgument, "the creator is not registered");
        return true;
    });
}

bool RegistryFace::deregisterCreator(api::IPluginCreator const& creator) noexcept {
    return deregisterCreator(static_cast<IPluginCreatorInterface const&>(creator));
}

PluginCreator* RegistryFace::find(char const* name, char const* version, char const* nameSpace) const {
    PluginName const wanted{expectText(name, "pluginName"), expectText(version, "pluginVersion"),
                            expectText(nameSpace, "pluginNamespace")};
    return registry_.find(wanted);
}

IPluginCreatorInterface* RegistryFace::getCreator(char const* pluginName, char const* pluginVersion,
                                                  char const* pluginNamespace) noexcept {
    return guarded(reporter(), "getCreator", [&]() -> IPluginCreatorInterface* {
        PluginCreator const* found = find(pluginName, pluginVersion, pluginNamespace);
        return found ? &creatorOf(*found) : nullptr;
    });
}

api::IPluginCreator* RegistryFace::getPluginCreator(char const* pluginName, char const* pluginVersion,
                                                    char const* pluginNamespace) noexcept {
    return guarded(reporter(), "getPluginCreator", [&]() -> api::IPluginCreator* {
        PluginCreator const* found = find(pluginName, pluginVersion, pluginNamespace);
        return found ? creatorV1Of(*found) : nullptr;
    });
}

IPluginCreatorInterface* const* RegistryFace::arrayOf(std::vector<PluginCreator*> const& creators, CreatorArray& array,
                                                      int32_t* count) const {
    if (count == nullptr) fail(ErrorCode::InvalidArgument, "numCreators is null");
    std::lock_guard const lock(mutex_);
    array.clear();
    for (PluginCreator const* creator : creators) array.push_back(&creatorOf(*creator));
    *count = static_cast<int32_t>(array.size());
    return array.empty() ? nullptr : array.data();
}

IPluginCreatorInterface* const* RegistryFace::getAllCreators(int32_t* numCreators) const noexcept {
    return guarded(reporter(), "getAllCreators", [&] { return arrayOf(registry_.all(), list_, numCreators); });
}

IPluginCreatorInterface* const* RegistryFace::getAllCreatorsRecursive(int32_t* numCreators) noexcept {
    return guarded(reporter(), "getAllCreatorsRecursive",
                   [&] { return arrayOf(registry_.allWithParents(), listRecursive_, numCreators); });
}

api::IPluginCreator* const* RegistryFace::getPluginCreatorList(int32_t* numCreators) const noexcept {
    return guarded(reporter(), "getPluginCreatorList", [&]() -> api::IPluginCreator* const* {
        if (numCreators == nullptr) fail(ErrorCode::InvalidArgument, "numCreators is null");
        std::lock_guard const lock(mutex_);
        listV1_.clear();
        for (PluginCreator const* creator : registry_.all()) {
            if (auto* v1 = creatorV1Of(*creator)) listV1_.push_back(v1);
        }
        *numCreators = static_cast<int32_t>(listV1_.size());
        return listV1_.empty() ? nullptr : listV1_.data();
    });
}

// ---- resources that plugins share

api::IPluginResource* RegistryFace::acquirePluginResource(char const* key, api::IPluginResource* resource) noexcept {
    return guarded(reporter(), "acquirePluginResource", [&]() -> api::IPluginResource* {
        std::string const name = expectText(key, "key");
        std::lock_guard const lock(mutex_);
        auto found = resources_.find(name);
        if (found == resources_.end()) {
            if (resource == nullptr)
                fail(ErrorCode::InvalidArgument, "there is no resource ", name, " yet, and none is given");
            std::unique_ptr<api::IPluginResource> kept(resource->clone());
            if (!kept) fail(ErrorCode::Plugin, "resource ", name, ": clone returned null");
            found = resources_.emplace(name, Resource{std::move(kept), 0}).first;
        }
        ++found->second.users;
        return found->second.object.get();
    });
}

int32_t RegistryFace::releasePluginResource(char const* key) noexcept {
    return guardedOr(-1, reporter(), "releasePluginResource", [&]() -> int32_t {
        std::string const name = expectText(key, "key");
        std::lock_guard const lock(mutex_);
        auto const found = resources_.find(name);
        if (found == resources_.end()) fail(ErrorCode::InvalidArgument, "there is no resource ", name);
        if (--found->second.users > 0) return 0;
        auto const ended = std::move(found->second.object);
        resources_.erase(found);
        if (int32_t const status = ended->release(); status != 0)
            fail(ErrorCode::Plugin, "resource ", name, ": release returned ", status, "; expected 0");
        return 0;
    });
}

// ---- errors

void RegistryFace::setErrorRecorder(api::IErrorRecorder* recorder) noexcept {
    if (recorder) recorder->incRefCount();
    if (recorder_) recorder_->decRefCount();
    recorder_ = recorder;
}

api::IErrorRecorder* RegistryFace::getErrorRecorder() const noexcept { return recorder_; }

} // namespace tenon::trt

extern "C" nvinfer1::IPluginRegistry* getPluginRegistry() noexcept { return &tenon::trt::RegistryFace::global(); }

namespace nvinfer1 {
extern "C" IPluginRegistry* getBuilderPluginRegistry(EngineCapability capability) noexcept {
    return capability == EngineCapability::kSTANDARD ? getPluginRegistry() : nullptr;
}

extern "C" safe::IPluginRegistry* getBuilderSafePluginRegistry(EngineCapability) noexcept { return nullptr; }
} // namespace nvinfer1
