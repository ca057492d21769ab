// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plugins/plugin_manifest.h"

#include "graph/body.h"
#include "plan/json/blob_store.h"
#include "plugin/plugin_layer.h"

namespace tenon {

Json manifestOf(Graph const& graph) {
    Json manifest = Json::array();
    forEachNode(graph, [&](Node const& node) {
        auto const* plugin = as<PluginLayer>(*node.layer);
        if (!plugin) return;
        size_t bytes = 0;
        std::string all;
        for (PluginValue const& value : plugin->state()) {
            bytes += value.bytes.size();
            all.append(reinterpret_cast<char const*>(value.bytes.data()), value.bytes.size());
        }
        manifest.push_back({{"node", node.name},
                            {"name", plugin->name().name},
                            {"version", plugin->name().version},
                            {"namespace", plugin->name().nameSpace},
                            {"generation", plugin->generation()},
                            {"library", plugin->library()},
                            {"build_id", plugin->buildId()},
                            {"bytes", bytes},
                            {"checksum", checksum(std::as_bytes(std::span(all)))}});
    });
    return manifest;
}

} // namespace tenon
