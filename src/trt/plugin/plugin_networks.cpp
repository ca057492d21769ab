// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_networks.h"

#include <mutex>
#include <unordered_map>

namespace {

/// The functions set by plugins, while these live.
template <class Function> class Named {
public:
    static Named& all() {
        static auto& named = *new Named; // plugins may be destroyed after the statics of this library
        return named;
    }

    void set(void const* plugin, Function function) {
        std::scoped_lock const lock(mutex_);
        if (function == nullptr)
            functions_.erase(plugin);
        else
            functions_[plugin] = function;
    }

    Function of(void const* plugin) {
        std::scoped_lock const lock(mutex_);
        auto const found = functions_.find(plugin);
        return found == functions_.end() ? nullptr : found->second;
    }

private:
    std::mutex mutex_;
    std::unordered_map<void const*, Function> functions_;
};

using Networks = Named<tenon::AddPluginLayers>;
using Reals = Named<tenon::NameRealTensor>;

} // namespace

// Without memory for it, it stays a plugin.
void tenonSetPluginNetwork(void const* plugin, tenon::AddPluginLayers addLayers) noexcept try {
    Networks::all().set(plugin, addLayers);
} catch (std::bad_alloc const&) {
}

// Without memory for it, the plugin is queried with the types of the network.
void tenonSetPluginReals(void const* plugin, tenon::NameRealTensor nameOf) noexcept try {
    Reals::all().set(plugin, nameOf);
} catch (std::bad_alloc const&) {
}

tenon::AddPluginLayers tenon::trt::networkOf(void const* plugin) { return Networks::all().of(plugin); }
tenon::NameRealTensor tenon::trt::realsOf(void const* plugin) { return Reals::all().of(plugin); }
