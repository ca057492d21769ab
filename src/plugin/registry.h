// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tenon {

enum class PluginPhase { Build, Runtime };

/// A plugin may have two kinds: one that computes, and one that gives the plan a compiled kernel.
enum class PluginKind { Any, RatherComputing, RatherCompiled };

/// Makes plugins of one name, of any generation. Wraps the user's creator, which it does not own.
class PluginCreator {
public:
    virtual ~PluginCreator() = default;

    virtual PluginName const& name() const = 0;
    virtual std::string_view generation() const = 0; // of the creator: "IPluginCreator", "IPluginCreatorV3One"
    /// A new plugin from field values. An Error if the creator throws or returns null.
    virtual std::unique_ptr<Plugin> create(std::string const& node, std::vector<PluginValue> const& values,
                                           PluginPhase phase, PluginKind kind) = 0;
    /// The plugin that saved this state in a plan, for building or for running (an IPluginV3 object is made for one of
    /// the two; those of other generations serve both).
    virtual std::unique_ptr<Plugin> deserialize(std::string const& node, PluginState const& state,
                                                PluginPhase phase = PluginPhase::Runtime) = 0;
    /// The names of the fields that it declares.
    virtual std::vector<std::string> fieldNames() const = 0;
    /// The user's creator.
    virtual void* userObject() const = 0;
};

/// The plugins that can be found by name. One is global; builders and runtimes may have their own, with the global one
/// as parent. Thread-safe.
///
/// A creator that was found stays valid while the returned object lives: another thread that removes it waits for that,
/// because the next step is often the destruction of the user's object and of its library.
class PluginRegistry {
public:
    explicit PluginRegistry(PluginRegistry* parent = nullptr) : parent_(parent) {}
    static PluginRegistry& global();

    /// False, with the reason in `why`, if the name is taken or empty.
    bool add(std::unique_ptr<PluginCreator> creator, std::string& why);
    /// Waits for other threads that use the creator; false if it is not registered here.
    bool removeByUserObject(void const* creator);
    using Found = std::shared_ptr<PluginCreator>;
    /// Null if there is none.
    Found find(PluginName const& name) const;
    Found findByUserObject(void const* creator) const;
    std::vector<Found> all() const;
    std::vector<Found> allWithParents() const;
    /// Those of this name, of any version and namespace, here and above.
    std::vector<Found> named(std::string const& name) const;
    PluginRegistry* parent() const { return searchParent_ ? parent_ : nullptr; }
    void searchParent(bool enabled) { searchParent_ = enabled; }
    bool searchesParent() const { return searchParent_; }

    /// A text for a `name` that is not found: the other versions and namespaces registered under that name, or the
    /// nearest name, and (if known) the library and build-id that it came from.
    std::string explainMissing(PluginName const& name, std::string const& library, std::string const& buildId) const;

    /// How a user of this application loads a plugin library, for explainMissing(): "--plugins LIB.so"; empty, the
    /// default: by loadLibrary. Thread-safe.
    static void setLoading(std::string how);

private:
    /// A creator and the threads that use it.
    struct Entry {
        std::unique_ptr<PluginCreator> creator;
        std::vector<std::thread::id> users;
    };
    /// Shared with the uses, which may outlive the registry.
    struct Entries {
        std::mutex mutex;
        std::condition_variable used; // signalled when a use ends
        std::vector<std::shared_ptr<Entry>> all;
    };
    class Use;

    /// The creator that already has the name; null if this one was added.
    Found addOrFind(std::unique_ptr<PluginCreator> creator);
    Found use(std::shared_ptr<Entry> const& entry) const;
    template <class Is> Found findOwn(Is const& is) const;

    std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
    PluginRegistry* parent_;
    std::atomic<bool> searchParent_ = true;
};

/// The file that holds this code or data address, and its build-id (hexadecimal, empty if it has none).
struct CodeOrigin {
    std::string library;
    std::string buildId;
};
CodeOrigin originOf(void const* address);
/// Whether the executable or library that holds this address also holds code for NVIDIA GPUs, as nvcc puts it into
/// objects (a section .nv_fatbin); false if its file cannot be read.
bool liesWithDeviceCode(void const* address);

} // namespace tenon
