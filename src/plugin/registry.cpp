// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/registry.h"

#include "base/error.h"
#include "plugin/crash_report.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace tenon {
namespace {

/// The Levenshtein distance, ignoring case.
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

struct Loading {
    std::mutex mutex;
    std::string how = "loadLibrary";
};

/// Never destroyed: errors may be reported when the process ends.
Loading& loading() {
    static auto& one = *new Loading;
    return one;
}

std::string howToLoad() {
    std::lock_guard const lock(loading().mutex);
    return loading().how;
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
    if (creator->name().name.empty()) return why = "a plugin creator without a name cannot be registered", false;
    PluginName const name = creator->name();
    Found const other = addOrFind(std::move(creator));
    if (!other) return true;
    why = text(name, ": is registered already, from ", fileOf(*other),
               "; deregister that first, or give the new one another version or namespace");
    return false;
}

/// No call that may wait for the loader's lock is made while the registry is locked: a library registers creators while
/// it is being opened, under the loader's lock.
PluginRegistry::Found PluginRegistry::addOrFind(std::unique_ptr<PluginCreator> creator) {
    auto const entry = std::make_shared<Entry>();
    std::lock_guard const lock(entries_->mutex);
    auto const isSame = [&](auto const& other) { return other->creator->name() == creator->name(); };
    auto const same = std::ranges::find_if(entries_->all, isSame);
    if (same != entries_->all.end()) return use(*same);
    entry->creator = std::move(creator);
    entries_->all.push_back(entry);
    return nullptr;
}

bool PluginRegistry::removeByUserObject(void const* creator) {
    std::unique_lock lock(entries_->mutex);
    auto& all = entries_->all;
    auto const found =
        std::ranges::find_if(all, [&](auto const& entry) { return entry->creator->userObject() == creator; });
    if (found == all.end()) return false;
    auto const entry = *found;
    all.erase(found);
    auto const isMine = [me = std::this_thread::get_id()](std::thread::id user) { return user == me; };
    entries_->used.wait(lock, [&] { return std::ranges::all_of(entry->users, isMine); });
    return true;
}

/// Lives as long as a thread holds a creator that it found.
class PluginRegistry::Use {
public:
    /// The registry is locked.
    Use(std::shared_ptr<Entries> entries, std::shared_ptr<Entry> entry)
        : entries_(std::move(entries)), entry_(std::move(entry)), user_(std::this_thread::get_id()) {
        entry_->users.push_back(user_);
    }
    Use(Use const&) = delete;
    Use& operator=(Use const&) = delete;
    ~Use() {
        std::lock_guard const lock(entries_->mutex);
        entry_->users.erase(std::ranges::find(entry_->users, user_));
        entries_->used.notify_all();
    }

private:
    std::shared_ptr<Entries> entries_;
    std::shared_ptr<Entry> entry_;
    std::thread::id user_;
};

PluginRegistry::Found PluginRegistry::use(std::shared_ptr<Entry> const& entry) const {
    installCrashReports();
    return {std::make_shared<Use>(entries_, entry), entry->creator.get()};
}

template <class Is> PluginRegistry::Found PluginRegistry::findOwn(Is const& is) const {
    std::lock_guard const lock(entries_->mutex);
    for (auto const& entry : entries_->all) {
        if (is(*entry->creator)) return use(entry);
    }
    return nullptr;
}

PluginRegistry::Found PluginRegistry::find(PluginName const& name) const {
    auto own = findOwn([&](PluginCreator const& creator) { return creator.name() == name; });
    PluginRegistry const* const above = parent(); // queried once: another thread may change it
    return own || !above ? own : above->find(name);
}

PluginRegistry::Found PluginRegistry::findByUserObject(void const* creator) const {
    auto own = findOwn([&](PluginCreator const& one) { return one.userObject() == creator; });
    PluginRegistry const* const above = parent();
    return own || !above ? own : above->findByUserObject(creator);
}

std::vector<PluginRegistry::Found> PluginRegistry::all() const {
    std::vector<Found> all; // outlives the lock: if this throws, the uses in it lock the registry when they end
    std::lock_guard const lock(entries_->mutex);
    all.reserve(entries_->all.size());
    for (auto const& entry : entries_->all) all.push_back(use(entry));
    return all;
}

std::vector<PluginRegistry::Found> PluginRegistry::named(std::string const& name) const {
    std::vector<Found> found; // outlives the lock, as in all()
    {
        std::lock_guard const lock(entries_->mutex);
        found.reserve(entries_->all.size()); // a use that cannot be stored would end here, and needs the lock
        for (auto const& entry : entries_->all) {
            if (entry->creator->name().name == name) found.push_back(use(entry));
        }
    }
    if (PluginRegistry const* const above = parent()) std::ranges::move(above->named(name), std::back_inserter(found));
    return found;
}

void PluginRegistry::setLoading(std::string how) {
    std::lock_guard const lock(loading().mutex);
    loading().how = how.empty() ? "loadLibrary" : std::move(how);
}

std::vector<PluginRegistry::Found> PluginRegistry::allWithParents() const {
    std::vector<Found> everything = all();
    if (PluginRegistry const* const above = parent())
        std::ranges::move(above->allWithParents(), std::back_inserter(everything));
    return everything;
}

std::string PluginRegistry::explainMissing(PluginName const& name, std::string const& library,
                                           std::string const& buildId) const {
    std::string same;
    std::string nearest;
    size_t least = std::max<size_t>(name.name.size() / 3, 2) + 1;
    auto const registered = allWithParents();
    for (auto const& creator : registered) {
        PluginName const& other = creator->name();
        if (other.name == name.name) {
            same += text(same.empty() ? "" : "; ", "version ", other.version, ", namespace \"", other.nameSpace, "\" (",
                         fileOf(*creator), ')');
        } else if (size_t const d = distance(other.name, name.name); d < least) {
            least = d;
            nearest = text(other.name, " (", fileOf(*creator), ')');
        }
    }
    std::string told = text("No plugin of that name is among the ", registered.size(), " registered.");
    if (!nearest.empty()) told = text("The nearest name is ", nearest, '.');
    if (!same.empty()) told = text("Registered with that name: ", same, '.');
    if (library.empty())
        return same.empty() ? text(told, " Load the library that has it (", howToLoad(), ") first.") : told;
    told += text(" Load the library it was built with (", howToLoad(), "): ", library.substr(library.rfind('/') + 1));
    return buildId.empty() ? told : told + text(", build-id ", buildId);
}

} // namespace tenon
