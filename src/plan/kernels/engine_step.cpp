// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/engine_step.h"

#include "plugin/plugin_layer.h"

namespace tenon {

bool isEngineStep(Node const& node) {
    if (node.outputs().empty()) return node.kind() == PluginLayer::kKind;
    return !node.layer->constant() && !node.output()->onHost;
}

} // namespace tenon
