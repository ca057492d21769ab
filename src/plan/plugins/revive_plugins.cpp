// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plugins/revive_plugins.h"

#include "base/error.h"
#include "graph/body.h"
#include "plugin/compiled_kernel.h"
#include "plugin/plugin_layer.h"

namespace tenon {
namespace {

/// Checks that each value that a plugin saved has the length that it states.
void verifyState(PluginLayer const& layer) {
    for (PluginValue const& value : layer.state()) {
        bool const isUnknown = value.type == PluginValue::Type::Unknown; // the length of such a value is in bytes
        bool const fits =
            value.length >= 0 && value.length <= INT32_MAX &&
            value.bytes.size() == (isUnknown ? static_cast<size_t>(value.length) : bytesOf(value.type, value.length));
        if (!fits)
            fail(ErrorCode::InvalidPlan, layer.name(), ": its saved field \"", value.name, "\" has ",
                 value.bytes.size(), " bytes; expected ", value.length, " elements of its type");
    }
}

std::unique_ptr<Plugin> makeRegistered(Node const& node, PluginLayer const& layer, PluginPhase phase,
                                       ReadOptions const& options) {
    PluginRegistry const& registry = options.registry ? *options.registry : PluginRegistry::global();
    auto const creator = registry.find(layer.name());
    if (!creator)
        fail(ErrorCode::Plugin, node.name, " (", layer.name(), "): not registered. ",
             registry.explainMissing(layer.name(), layer.library(), layer.buildId()));
    return locate([&] { return text(node); }, [&] { return creator->deserialize(node.name, layer.state(), phase); });
}

void revive(Node& node, PluginPhase phase, ReadOptions const& options) {
    auto* layer = as<PluginLayer>(*node.layer);
    if (!layer || !options.plugins) return;
    locate([&] { return text(node); }, [&] { verifyState(*layer); });
    auto plugin =
        options.source ? locate([&] { return text(node); }, [&] { return options.source(node, phase); }) : nullptr;
    if (!plugin && layer->kernel()) plugin = makeCompiledPlugin(layer->name(), layer->generation(), layer->kernel());
    if (!plugin) plugin = makeRegistered(node, *layer, phase, options);
    plugin->node = node.name;
    layer->revive(std::make_shared<PluginLife>(std::move(plugin)));
}

} // namespace

void revivePlugins(Graph const& graph, PluginPhase phase, ReadOptions const& options) {
    forEachNode(graph, [&](Node& node) { revive(node, phase, options); });
}

} // namespace tenon
