// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tenon::plugins {

class Plugin;

/// Is shown each field of a plugin by Plugin::fields(): its published name, and the member that holds it.
class FieldVisitor {
public:
    virtual void operator()(char const* name, int32_t& value) = 0;
    virtual void operator()(char const* name, float& value) = 0;
    virtual void operator()(char const* name, std::vector<int32_t>& values) = 0;
    virtual void operator()(char const* name, std::vector<float>& values) = 0;

protected:
    ~FieldVisitor() = default;
};

/// The fields as the API has them. They point into the plugin.
std::vector<nvinfer1::PluginField> describeFields(Plugin& plugin);

/// Takes over what was given; a field that is not given keeps its default. Numbers may be of another width than the
/// field. Throws std::invalid_argument with a sentence. \return the names that the plugin does not have
std::vector<std::string> readFields(Plugin& plugin, nvinfer1::PluginFieldCollection const& given);

/// The fields as bytes, in the order in which the plugin shows them, and back. The latter throws std::invalid_argument.
std::vector<std::byte> saveFields(Plugin& plugin);
void loadFields(Plugin& plugin, std::span<std::byte const> bytes);

} // namespace tenon::plugins
