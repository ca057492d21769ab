// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/registry.h"

#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace tenon {
namespace {

/// Levenshtein's distance, in letters regardless of case.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i);
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t const changed = diagonal + (std::tolower(a[i - 1]) == std::tolower(b[j - 1]) ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
        }
    }
    return row[b.size()];
}

std::string fileOf(PluginCreator const& creator) {
    std::string const library = originOf(*static_cast<void* const*>(creator.userObject())).library;
    return library.substr(library.rfind('/') + 1);
}

} // namespace

PluginRegistry& PluginRegistry::global() {
    // never destroyed: libraries deregister their creators after main has returned
    static auto* const registry = new PluginRegistry();
    return *registry;
}

bool PluginRegistry::add(std::unique_ptr<PluginCreator> creator, std::string& why) {
    std::lock_guard const lock(mutex_);
    if (creator->name().name.empty()) return why = "a plugin creator without a name cannot be registered", false;
    for (auto const& other : creators_) {
        if (!(other->name() == creator->name())) continue;
        why = text(creator->name(), ": is registered already, from ", fileOf(*other),
                   "; deregister that first, or give the new one another version or namespace");
        return false;
    }
    creators_.push_back(std::move(creator));
    return true;
}

bool PluginRegistry::removeByUserObject(void const* creator) {
    std::lock_guard const lock(mutex_);
    return std::erase_if(creators_, [&](auto const& owned) { return owned->userObject() == creator; }) != 0;
}

PluginCreator* PluginRegistry::find(PluginName const& name) const {
    std::lock_guard const lock(mutex_);
    for (auto const& creator : creators_) {
        if (creator->name() == name) return creator.get();
    }
    return parent() ? parent()->find(name) : nullptr;
}

PluginCreator* PluginRegistry::findByUserObject(void const* creator) const {
    std::lock_guard const lock(mutex_);
    for (auto const& owned : creators_) {
        if (owned->userObject() == creator) return owned.get();
    }
    return parent() ? parent()->findByUserObject(creator) : nullptr;
}

std::vector<PluginCreator*> PluginRegistry::all() const {
    std::lock_guard const lock(mutex_);
    std::vector<PluginCreator*> all;
    for (auto const& creator : creators_) all.push_back(creator.get());
    return all;
}

std::vector<PluginCreator*> PluginRegistry::allWithParents() const {
    std::vector<PluginCreator*> everything = all();
    if (parent()) std::ranges::copy(parent()->allWithParents(), std::back_inserter(everything));
    return everything;
}

std::string PluginRegistry::explainMissing(PluginName const& name, std::string const& library,
                                           std::string const& buildId) const {
    std::string same;
    std::string nearest;
    size_t least = std::max<size_t>(name.name.size() / 3, 2) + 1;
    for (PluginCreator const* creator : allWithParents()) {
        PluginName const& other = creator->name();
        if (other.name == name.name) {
            same += text(same.empty() ? "" : "; ", "version ", other.version, ", namespace \"", other.nameSpace, "\" (",
                         fileOf(*creator), ')');
        } else if (size_t const d = distance(other.name, name.name); d < least) {
            least = d;
            nearest = text(other.name, " (", fileOf(*creator), ')');
        }
    }
    std::string told = text("Nothing of that name is among the ", allWithParents().size(), " registered.");
    if (!nearest.empty()) told = text("The nearest name is ", nearest, '.');
    if (!same.empty()) told = text("Registered with that name: ", same, '.');
    if (library.empty()) return told + " Load the library that has it (loadLibrary) first.";
    told += text(" Load the library it was built with: ", library.substr(library.rfind('/') + 1));
    return buildId.empty() ? told : told + text(", build-id ", buildId);
}

} // namespace tenon
