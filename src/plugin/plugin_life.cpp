// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_life.h"

#include "base/error.h"
#include "plugin/crash_report.h"
#include "plugin/plugin_devices.h"

#include <utility>

namespace tenon {

PluginPlace::PluginPlace(Backend const& backend, Device ofData)
    : data(ofData), engine(&backend), index(backend.current()) {}

/// Runs `body`, which calls the plugin, on the plugin's device.
template <class Body> decltype(auto) PluginLife::here(Body&& body) const {
    if (!place_) return body();
    CurrentDevice const current(*place_->engine, place_->index);
    PluginDevice const data(place_->data);
    return body();
}

PluginLife::PluginLife(std::unique_ptr<Plugin> plugin) : plugin_(std::move(plugin)) { installCrashReports(); }

PluginLife::~PluginLife() {
    try {
        here([&] { end(); });
    } catch (Error const&) { // the device no longer exists, as at the end of a process
        end();
    }
}

void PluginLife::detach() noexcept {
    if (std::exchange(attached_, false)) plugin_->detach();
}

void PluginLife::end() noexcept {
    detach();
    if (std::exchange(started_, false)) plugin_->stop();
    pattern_.reset();
    plugin_.reset();
}

/// `unused_` is locked.
std::unique_ptr<Plugin> PluginLife::cloned() const {
    auto copy = here([&] { return (pattern_ ? pattern_ : plugin_)->clone(); });
    copy->node = plugin_->node;
    copy->built = plugin_->built;
    return copy;
}

std::unique_ptr<PluginLife> PluginLife::alive(std::unique_ptr<Plugin> plugin) const {
    auto life = std::make_unique<PluginLife>(std::move(plugin));
    life->place_ = place_;
    return life;
}

std::unique_ptr<PluginLife> PluginLife::clone() const {
    std::lock_guard const lock(unused_);
    return alive(cloned());
}

std::unique_ptr<PluginLife> PluginLife::cloneToRun() const {
    auto copy = clone();
    if (!copy->plugin_->startsClones()) return copy;
    copy->here([&] { copy->plugin_->start(); }); // not PluginLife::start(): nothing is cloned from it
    copy->started_ = true;
    return copy;
}

std::shared_ptr<PluginLife> PluginLife::forContext(PluginResources const& resources) {
    std::shared_ptr<PluginLife> life = lend();
    if (!life) life = cloneToRun();
    life->attach(resources);
    return life;
}

/// Null if a context already has it.
std::shared_ptr<PluginLife> PluginLife::lend() {
    {
        std::lock_guard const lock(unused_);
        if (lent_ || !started_ || !plugin_->runsInContext()) return nullptr;
        if (!pattern_) pattern_ = cloned();
        lent_ = wasLent_ = true;
    }
    // not locked: if allocating the pointer fails, this is undone
    return {this, [](PluginLife* life) { life->takeBack(); }};
}

void PluginLife::takeBack() noexcept {
    try {
        here([&] { detach(); });
    } catch (Error const&) { // the device no longer exists
        detach();
    }
    std::lock_guard const lock(unused_);
    lent_ = false;
}

void PluginLife::shareAmongContexts() {
    if (started_) return;
    auto sharing = plugin_->sharedToRun();
    if (!sharing) return;
    sharing->node = plugin_->node;
    sharing->built = plugin_->built;
    plugin_ = std::move(sharing);
}

void PluginLife::configure(PortRanges const& io, Variant const& chosen) {
    plugin_->built.tactic = chosen.tactic;
    here([&] { plugin_->configure(io, chosen); });
    configuration_ = Configuration{io, chosen};
}

/// If clones are started too, they are made from one that is not.
void PluginLife::start() {
    if (started_) return;
    if (plugin_->startsClones()) {
        std::lock_guard const lock(unused_);
        if (!pattern_) pattern_ = cloned();
    }
    here([&] { plugin_->start(); });
    started_ = true;
}

void PluginLife::attach(PluginResources const& resources) {
    here([&] { plugin_->attach(resources); });
    attached_ = true;
}

void PluginLife::setShapes(PortDescs const& io) {
    here([&] { plugin_->shapesChanged(io); });
    if (reportsCrashes()) ports_ = RunPorts(io);
}

size_t PluginLife::workspace(PortRanges const& io) const {
    return here([&] { return plugin_->workspace(io); });
}

/// Contexts configure their object for shapes of their own, if its class has a method for that.
bool PluginLife::isAsConfigured() const {
    if (!wasLent_ || !configuration_) return true;
    return !plugin_->traits().hearsShapes && !plugin_->built.refits;
}

PluginState PluginLife::save() const {
    std::lock_guard const lock(unused_);
    if (isAsConfigured()) return here([&] { return plugin_->save(); });
    auto const copy = alive(cloned());
    copy->configure(configuration_->io, configuration_->chosen);
    copy->start();
    return copy->save();
}

void PluginLife::enqueue(Pointers const& pointers, size_t workspaceBytes) {
    PluginDevice const data(place_ ? place_->data : Device::Cpu);
    RunScope const run(*plugin_, ports_, pointers, workspaceBytes);
    plugin_->enqueue(pointers);
}

} // namespace tenon
