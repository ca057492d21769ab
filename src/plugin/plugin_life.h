// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/call_scope.h"

#include <memory>
#include <mutex>
#include <optional>

namespace tenon {

/// Where a plugin works: on which kind of device its data lie, and which device is current while its code runs.
struct PluginPlace {
    /// In an engine of this backend, whose device is the one that is current now.
    PluginPlace(Backend const& engine, Device ofData);

    Device data;
    Backend const* engine;
    int index;
};

/// One object of a plugin from its clone to its end, for builder, engine and context alike:
///
///   clone → place → configure → start → (of an engine) lend or clone → attach → shapes → enqueue …
///
/// Whatever has begun when this ends is ended in reverse, on the device where it began: detached, stopped, destroyed.
/// What did not begin (a start that fails) is not ended. One thread at a time, except for clone(), forContext(), ask()
/// and save(): once a context runs the engine's object, these use a clone of it, made before that.
class PluginLife {
public:
    explicit PluginLife(std::unique_ptr<Plugin> plugin);
    ~PluginLife();
    PluginLife(PluginLife const&) = delete;
    PluginLife& operator=(PluginLife const&) = delete;

    Plugin& plugin() const { return *plugin_; }
    /// `question` on an object that no context runs, for one thread at a time.
    template <class Question> auto ask(Question&& question) const {
        std::lock_guard const lock(unused_);
        Plugin& asked = pattern_ ? *pattern_ : *plugin_;
        asked.built = plugin_->built;
        return question(asked);
    }
    /// Where it is from now on. Without a place (a network's) it is not started.
    void setPlace(PluginPlace const& place) { place_ = place; }

    /// A clone of the plugin, for the same node in the same place. The clone is neither started nor attached.
    std::unique_ptr<PluginLife> clone() const;
    /// A clone that can run: started where its class wants that.
    std::unique_ptr<PluginLife> cloneToRun() const;
    /// What one context runs, attached: this object, if its class runs in contexts and no other context has it, else a
    /// clone. This object outlives what it gave.
    std::shared_ptr<PluginLife> forContext(PluginResources const& resources);
    /// From now on clones share the user's object, if its class does not promise that clones are configured. Does
    /// nothing once it is started.
    void shareAmongContexts();

    void configure(PortRanges const& io, Variant const& chosen);
    /// Once; later calls do nothing.
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
    RunPorts ports_;                             // of the shapes told last, where crashes are reported
    std::optional<Configuration> configuration_; // of this object; none where it was made from what it saved
    bool started_ = false;
    bool attached_ = false;
    mutable std::mutex unused_;       // guards what follows, and the calls of objects that no context runs
    std::unique_ptr<Plugin> pattern_; // what clones are made of; null: plugin_
    bool lent_ = false;               // a context runs plugin_
    bool wasLent_ = false;            // one did, for shapes of its own
};

} // namespace tenon
