// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/registry_face.h"

#include "NvInfer.h"
#include "trt/plugin/opening_library.h"
#include "trt/plugin/plugin_creator.h"

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
    std::lock_guard const lock(mutex_);
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

PluginRegistry::Found RegistryFace::find(char const* name, char const* version, char const* nameSpace) const {
    PluginName const wanted{expectText(name, "pluginName"), expectText(version, "pluginVersion"),
                            expectText(nameSpace, "pluginNamespace")};
    return registry_.find(wanted);
}

IPluginCreatorInterface* RegistryFace::getCreator(char const* pluginName, char const* pluginVersion,
                                                  char const* pluginNamespace) noexcept {
    return guarded(reporter(), "getCreator", [&]() -> IPluginCreatorInterface* {
        auto const found = find(pluginName, pluginVersion, pluginNamespace);
        return found ? &creatorOf(*found) : nullptr;
    });
}

api::IPluginCreator* RegistryFace::getPluginCreator(char const* pluginName, char const* pluginVersion,
                                                    char const* pluginNamespace) noexcept {
    return guarded(reporter(), "getPluginCreator", [&]() -> api::IPluginCreator* {
        auto const found = find(pluginName, pluginVersion, pluginNamespace);
        return found ? creatorV1Of(*found) : nullptr;
    });
}

namespace {

/// The array in which a list is returned: of one registry, one kind of list and one thread, valid until that thread
/// requests it again.
template <class Interface> std::vector<Interface*>& arrayFor(RegistryFace const* registry, bool isRecursive) {
    thread_local std::map<std::pair<RegistryFace const*, bool>, std::vector<Interface*>> arrays;
    auto& array = arrays[{registry, isRecursive}];
    array.clear();
    return array;
}

template <class Interface> Interface* const* listOf(std::vector<Interface*> const& array, int32_t& count) {
    count = static_cast<int32_t>(array.size());
    return array.empty() ? nullptr : array.data();
}

} // namespace

IPluginCreatorInterface* const* RegistryFace::getAllCreators(int32_t* numCreators) const noexcept {
    return guarded(reporter(), "getAllCreators", [&] {
        if (numCreators == nullptr) fail(ErrorCode::InvalidArgument, "numCreators is null");
        auto& array = arrayFor<IPluginCreatorInterface>(this, false);
        for (auto const& creator : registry_.all()) array.push_back(&creatorOf(*creator));
        return listOf(array, *numCreators);
    });
}

IPluginCreatorInterface* const* RegistryFace::getAllCreatorsRecursive(int32_t* numCreators) noexcept {
    return guarded(reporter(), "getAllCreatorsRecursive", [&] {
        if (numCreators == nullptr) fail(ErrorCode::InvalidArgument, "numCreators is null");
        auto& array = arrayFor<IPluginCreatorInterface>(this, true);
        for (auto const& creator : registry_.allWithParents()) array.push_back(&creatorOf(*creator));
        return listOf(array, *numCreators);
    });
}

api::IPluginCreator* const* RegistryFace::getPluginCreatorList(int32_t* numCreators) const noexcept {
    return guarded(reporter(), "getPluginCreatorList", [&] {
        if (numCreators == nullptr) fail(ErrorCode::InvalidArgument, "numCreators is null");
        auto& array = arrayFor<api::IPluginCreator>(this, false);
        for (auto const& creator : registry_.all()) {
            if (auto* v1 = creatorV1Of(*creator)) array.push_back(v1);
        }
        return listOf(array, *numCreators);
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

std::unique_ptr<api::IPluginResource> RegistryFace::takeUnused(std::string const& name) {
    std::lock_guard const lock(mutex_);
    auto const found = resources_.find(name);
    if (found == resources_.end()) fail(ErrorCode::InvalidArgument, "there is no resource ", name);
    if (--found->second.users > 0) return nullptr;
    auto object = std::move(found->second.object);
    resources_.erase(found);
    return object;
}

int32_t RegistryFace::releasePluginResource(char const* key) noexcept {
    return guardedOr(-1, reporter(), "releasePluginResource", [&]() -> int32_t {
        std::string const name = expectText(key, "key");
        auto const ended = takeUnused(name);
        if (!ended) return 0;
        if (int32_t const status = ended->release(); status != 0)
            fail(ErrorCode::Plugin, "resource ", name, ": release returned ", status, "; expected 0");
        return 0;
    });
}

// ---- errors

void RegistryFace::setErrorRecorder(api::IErrorRecorder* recorder) noexcept {
    recorder = countedUp(recorder, getLogger());
    {
        std::lock_guard const lock(mutex_);
        std::swap(recorder, recorder_);
    }
    countDown(recorder, getLogger());
}

api::IErrorRecorder* RegistryFace::getErrorRecorder() const noexcept {
    std::lock_guard const lock(mutex_);
    return recorder_;
}

} // namespace tenon::trt

extern "C" nvinfer1::IPluginRegistry* getPluginRegistry() noexcept try {
    return &tenon::trt::RegistryFace::global();
} catch (std::bad_alloc const&) { // at its first use
    return nullptr;
}

namespace nvinfer1 {
extern "C" IPluginRegistry* getBuilderPluginRegistry(EngineCapability capability) noexcept {
    return capability == EngineCapability::kSTANDARD ? getPluginRegistry() : nullptr;
}

extern "C" safe::IPluginRegistry* getBuilderSafePluginRegistry(EngineCapability) noexcept { return nullptr; }
} // namespace nvinfer1
