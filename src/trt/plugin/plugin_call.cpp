// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_call.h"

#include "trt/edge/edge.h"

namespace tenon::trt {

PluginName pluginName(std::string_view method, char const* type, char const* version, char const* nameSpace) {
    auto const isEmpty = [](char const* text) { return text == nullptr || *text == '\0'; };
    if (isEmpty(type) || version == nullptr)
        fail(ErrorCode::Plugin, "a plugin: ", method, " returned ", type ? text('"', type, '"') : "null",
             ", getPluginVersion ", version ? text('"', version, '"') : "null",
             "; expected texts that live as long as the plugin, the first of them not empty");
    return {type, version, nameSpace ? nameSpace : ""};
}

int expectOutputs(Plugin const& plugin, int count) {
    constexpr int kMost = 4096; // a larger value is an uninitialized number
    if (count < 1 || count > kMost)
        fail(ErrorCode::Plugin, plugin.name(), ": getNbOutputs returned ", count, "; expected at least 1, at most ",
             kMost);
    return count;
}

} // namespace tenon::trt
