// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin_call.h"

#include "trt/edge.h"

namespace tenon::trt {

PluginName pluginName(std::string_view method, char const* type, char const* version, char const* nameSpace) {
    auto const isEmpty = [](char const* text) { return text == nullptr || *text == '\0'; };
    if (isEmpty(type) || version == nullptr)
        fail(ErrorCode::Plugin, "a plugin: ", method, " returned ", type ? text('"', type, '"') : "null",
             ", getPluginVersion ", version ? text('"', version, '"') : "null",
             "; expected texts that live as long as the plugin, the first of them not empty");
    return {type, version, nameSpace ? nameSpace : ""};
}

} // namespace tenon::trt
