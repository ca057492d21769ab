// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_networks.h"

#include <mutex>
#include <unordered_map>

namespace {

/// The plugins that are networks, while they live.
class Networks {
public:
    static Networks& all() {
        static auto& networks = *new Networks; // plugins may be destroyed after the statics of this library
        return networks;
    }

    void set(void const* plugin, tenon::AddPluginLayers addLayers) {
        std::scoped_lock const lock(mutex_);
        if (addLayers == nullptr)
            adders_.erase(plugin);
        else
            adders_[plugin] = addLayers;
    }

    tenon::AddPluginLayers of(void const* plugin) {
        std::scoped_lock const lock(mutex_);
        auto const found = adders_.find(plugin);
        return found == adders_.end() ? nullptr : found->second;
    }

private:
    std::mutex mutex_;
    std::unordered_map<void const*, tenon::AddPluginLayers> adders_;
};

} // namespace

// Without memory for it, it stays a plugin.
void tenonSetPluginNetwork(void const* plugin, tenon::AddPluginLayers addLayers) noexcept try {
    Networks::all().set(plugin, addLayers);
} catch (std::bad_alloc const&) {
}

tenon::AddPluginLayers tenon::trt::networkOf(void const* plugin) { return Networks::all().of(plugin); }
