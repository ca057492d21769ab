// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/call_scope.h"

#include <memory>
#include <mutex>
#include <optional>

namespace tenon {

/// Where a plugin works: the device kind of its data, and the current device while its code runs.
struct PluginPlace {
    /// In an engine of this backend, on the current device.
    PluginPlace(Backend const& engine, Device ofData);

    Device data;
    Backend const* engine;
    int index;
};

/// One object of a plugin from its clone to its end, for builder, engine and context alike:
///
///   clone → place → configure → start → (of an engine) lend or clone → attach → shapes → enqueue …
///
/// The destructor reverts the completed steps in reverse order, on their device: detach, stop, destroy. A failed step
/// (a start that fails) is not reverted. One thread at a time, except for clone(), forContext(), ask() and save(): once
/// a context runs the engine's object, these use a clone of it, made earlier.
class PluginLife {
public:
    explicit PluginLife(std::unique_ptr<Plugin> plugin);
    ~PluginLife();
    PluginLife(PluginLife const&) = delete;
    PluginLife& operator=(PluginLife const&) = delete;

    Plugin& plugin() const { return *plugin_; }
    /// Runs `question` on an object that no context runs, one thread at a time.
    template <class Question> auto ask(Question&& question) const {
        std::lock_guard const lock(unused_);
        Plugin& asked = pattern_ ? *pattern_ : *plugin_;
        asked.built = plugin_->built;
        return question(asked);
    }
    /// Sets its location. Without one (a network's object) it is not started.
    void setPlace(PluginPlace const& place) { place_ = place; }

    /// A clone of the plugin, for the same node and location. The clone is neither started nor attached.
    std::unique_ptr<PluginLife> clone() const;
    /// A clone that can run: started if its class requires it.
    std::unique_ptr<PluginLife> cloneToRun() const;
    /// The object that one context runs, attached: this object, if its class runs in contexts and no other context has
    /// it, else a clone. This object must outlive the result.
    std::shared_ptr<PluginLife> forContext(PluginResources const& resources);
    /// From now on clones share the user's object, if its class does not promise that clones are configured. No effect
    /// after start().
    void shareAmongContexts();

    void configure(PortRanges const& io, Variant const& chosen);
    /// Once; later calls have no effect.
    void start();
    void attach(PluginResources const& resources);
    void setShapes(PortDescs const& io);
    size_t workspace(PortRanges const& io) const;
    PluginState save() const;
    /// The caller has made the engine's device current. `workspaceBytes`: for reports of crashes.
    void enqueue(Pointers const& pointers, size_t workspaceBytes = 0);

private:
    template <class Body> decltype(auto) here(Body&& body) const;
    struct Configuration {
        PortRanges io;
        Variant chosen;
    };

    void detach() noexcept;
    void end() noexcept;
    std::unique_ptr<Plugin> cloned() const;
    std::unique_ptr<PluginLife> alive(std::unique_ptr<Plugin> plugin) const;
    std::shared_ptr<PluginLife> lend();
    void takeBack() noexcept;
    bool isAsConfigured() const;

    std::unique_ptr<Plugin> plugin_;
    std::optional<PluginPlace> place_;
    RunPorts ports_;                             // of the last shapes passed, if crashes are reported
    std::optional<Configuration> configuration_; // of this object; none if it was made from a saved state
    bool started_ = false;
    bool attached_ = false;
    mutable std::mutex unused_;       // guards the following, and the calls of objects that no context runs
    std::unique_ptr<Plugin> pattern_; // the source of clones; null: plugin_
    bool lent_ = false;               // a context runs plugin_
    bool wasLent_ = false;            // a context did, for shapes of its own
};

} // namespace tenon
