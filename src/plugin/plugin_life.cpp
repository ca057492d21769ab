// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin_life.h"

#include "base/error.h"
#include "plugin/plugin_devices.h"

#include <utility>

namespace tenon {

PluginPlace::PluginPlace(Backend const& backend, Device ofData)
    : data(ofData), engine(&backend), index(backend.current()) {}

/// Runs `body`, which calls the plugin, where it works.
template <class Body> decltype(auto) PluginLife::here(Body&& body) const {
    if (!place_) return body();
    CurrentDevice const current(*place_->engine, place_->index);
    PluginDevice const data(place_->data);
    return body();
}

PluginLife::~PluginLife() {
    try {
        here([&] { end(); });
    } catch (Error const&) { // the device is gone, as at the end of a process
        end();
    }
}

void PluginLife::end() noexcept {
    if (std::exchange(attached_, false)) plugin_->detach();
    if (std::exchange(started_, false)) plugin_->stop();
    plugin_.reset();
}

std::unique_ptr<PluginLife> PluginLife::clone() const {
    auto copy = std::make_unique<PluginLife>(here([&] { return plugin_->clone(); }));
    copy->plugin_->node = plugin_->node;
    copy->plugin_->built = plugin_->built;
    copy->place_ = place_;
    return copy;
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
}

void PluginLife::start() {
    if (started_) return;
    here([&] { plugin_->start(); });
    started_ = true;
}

void PluginLife::attach(PluginResources const& resources) {
    here([&] { plugin_->attach(resources); });
    attached_ = true;
}

void PluginLife::setShapes(PortDescs const& io) {
    here([&] { plugin_->shapesChanged(io); });
}

size_t PluginLife::workspace(PortRanges const& io) const {
    return here([&] { return plugin_->workspace(io); });
}

PluginState PluginLife::save() const {
    std::lock_guard const lock(saving_);
    return here([&] { return plugin_->save(); });
}

void PluginLife::enqueue(Pointers const& pointers) {
    PluginDevice const data(place_ ? place_->data : Device::Cpu);
    plugin_->enqueue(pointers);
}

} // namespace tenon
