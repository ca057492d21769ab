// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Libraries of plugins. What a library lists is registered where it is loaded, and there only. What registers by itself
// when a library is opened is registered globally, once for the process, whichever registry opens it; only the copy of
// a library that came with an engine keeps to the registry of its runtime.

#include "trt/plugin/onnx_importers.h"
#include "trt/plugin/opening_library.h"
#include "trt/plugin/plugin_creator.h"
#include "trt/plugin/plugin_library.h"
#include "trt/plugin/registry_face.h"

#include <algorithm>
#include <mutex>

namespace tenon::trt {
namespace {

/// Libraries are opened and closed one at a time in the process, since creators that static objects register belong to
/// all registries that opened the library. A library may open others while it is being opened.
std::recursive_mutex& oneLibraryAtATime() {
    static auto* const mutex = new std::recursive_mutex(); // as long as the global registry
    return *mutex;
}

/// The creators that open libraries registered globally themselves, and how many registries opened each. For one thread
/// at a time.
class StaticCreators {
public:
    static StaticCreators& instance() {
        static auto* const all = new StaticCreators(); // as long as the global registry
        return *all;
    }

    void open(void* handle, std::vector<void const*> const& creators) {
        Entry& entry = libraries_[handle];
        ++entry.users;
        for (void const* creator : creators) entry.creators.push_back({creator, placeOf(creator)});
    }

    void close(void* handle) {
        auto const found = libraries_.find(handle);
        bool const isLast = --found->second.users == 0;
        auto creators = isLast ? std::move(found->second.creators) : std::vector<Creator>();
        if (isLast) libraries_.erase(found);
        std::erase_if(creators, [&](Creator const& one) { return liesIn(handle, one.place) && remove(one); });
        closePluginLibrary(handle);
        // the others came with libraries that this one depends on, which may have been unloaded with it
        std::erase_if(creators, [&](Creator const& one) { return !isLoaded(one.place) && remove(one); });
    }

private:
    struct Creator {
        void const* object;
        void const* place;
    };
    struct Entry {
        int users = 0;
        std::vector<Creator> creators;
    };
    static bool remove(Creator const& creator) { return PluginRegistry::global().removeByUserObject(creator.object); }

    std::map<void*, Entry> libraries_;
};

std::string joined(std::vector<std::string> const& texts) {
    std::string all;
    for (std::string const& one : texts) all += text(all.empty() ? "" : "; ", one);
    return all;
}

} // namespace

bool RegistryFace::hasCreatorsOf(void* handle) const {
    return std::ranges::any_of(registry_.allWithParents(),
                               [&](auto const& creator) { return liesIn(handle, placeOf(*creator)); });
}

void RegistryFace::addListed(Library& library) {
    for (IPluginCreatorInterface* creator : creatorsOfLibrary(library.handle)) {
        if (creator == nullptr || registry_.findByUserObject(creator)) continue;
        try {
            auto adapted = adaptCreator(*creator, namespaceOf(*creator));
            auto const same = registry_.find(adapted->name());
            bool const twice = same && liesIn(library.handle, placeOf(*same));
            std::string why;
            if (twice) continue; // it registers itself, too
            if (registry_.add(std::move(adapted), why))
                library.creators.push_back(creator);
            else
                library.refused.push_back(why);
        } catch (Error const& error) {
            library.refused.emplace_back(error.what());
        }
    }
}

RegistryFace::Library RegistryFace::open(std::string const& path, PluginRegistry& ofStatics) {
    OpeningLibrary const opening(ofStatics);
    Library library{openPluginLibrary(path), {}, {}, {}};
    try {
        addListed(library);
    } catch (...) { // a function of the library threw, or memory ran out
        for (void const* creator : library.creators) registry_.removeByUserObject(creator);
        for (void const* creator : opening.creators()) ofStatics.removeByUserObject(creator);
        closePluginLibrary(library.handle);
        throw;
    }
    library.statics = opening.creators();
    library.broughtImporters = opening.hasImporters();
    library.hasImporters = library.broughtImporters || OnnxImporters::global().anyIn(library.handle);
    for (auto const& refusal : opening.refused()) {
        if (liesIn(library.handle, placeOf(refusal.creator))) library.refused.push_back(refusal.why);
    }
    return library;
}

void RegistryFace::close(Library const& library) {
    for (void const* creator : library.creators) registry_.removeByUserObject(creator);
    StaticCreators::instance().close(library.handle);
}

RegistryFace::PluginLibraryHandle RegistryFace::loadLibrary(char const* pluginPath) noexcept {
    return guarded(reporter(), "loadLibrary", [&]() -> PluginLibraryHandle {
        std::string const path = expectText(pluginPath, "pluginPath");
        std::lock_guard const lock(oneLibraryAtATime());
        auto library = std::make_unique<Library>(open(path, PluginRegistry::global()));
        StaticCreators::instance().open(library->handle, library->statics);
        bool const again =
            std::ranges::any_of(libraries_, [&](auto const& other) { return other->handle == library->handle; });
        if (again) library->refused = {"is loaded already; deregister it first"};
        if (!library->refused.empty()) {
            close(*library);
            fail(ErrorCode::InvalidArgument, path, ": ", joined(library->refused));
        }
        bool const isEmpty = !hasCreatorsOf(library->handle) && !library->hasImporters;
        if (isEmpty) reporter().warning(text(path, ": ", whyWithoutCreators(library->handle)));
        libraries_.push_back(std::move(library));
        return libraries_.back().get();
    });
}

void RegistryFace::deregisterLibrary(PluginLibraryHandle handle) noexcept {
    guarded(reporter(), "deregisterLibrary", [&] {
        std::lock_guard const lock(oneLibraryAtATime());
        auto const found = std::ranges::find_if(libraries_, [&](auto const& owned) { return owned.get() == handle; });
        if (found == libraries_.end()) fail(ErrorCode::InvalidArgument, "no library with this handle is loaded");
        close(**found);
        libraries_.erase(found);
    });
}

void RegistryFace::ensureLibrary(std::string const& path) {
    std::lock_guard const lock(oneLibraryAtATime());
    auto library = std::make_unique<Library>(open(path, PluginRegistry::global()));
    StaticCreators::instance().open(library->handle, library->statics);
    bool const isEmpty = library->refused.empty() && !hasCreatorsOf(library->handle) && !library->hasImporters;
    std::string const why = isEmpty ? whyWithoutCreators(library->handle) : "";
    bool const isKnown = library->creators.empty() && library->statics.empty() && !library->broughtImporters;
    if (isKnown)
        close(*library);
    else
        libraries_.push_back(std::move(library));
    if (isEmpty) fail(ErrorCode::InvalidArgument, path, ": ", why);
}

void* RegistryFace::openFromEngine(std::string const& path, std::string const& name, Log const& log) {
    std::lock_guard const lock(oneLibraryAtATime());
    Library const library = locate([&] { return name; }, [&] { return open(path, registry_); });
    for (std::string const& why : library.refused)
        say(log, Severity::Info, text(name, ": the engine's plugin is not used: ", why));
    bool const isEmpty =
        library.refused.empty() && library.creators.empty() && library.statics.empty() && !library.hasImporters;
    if (isEmpty) {
        std::string const why = whyWithoutCreators(library.handle);
        closePluginLibrary(library.handle);
        fail(ErrorCode::InvalidPlan, name, ": ", why);
    }
    return library.handle;
}

} // namespace tenon::trt
