// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log.h"
#include "plugin.h"

#include <string>

namespace tenon::plugins {

class ShapeBindings;

/// A plugin with what is the same for all of them, whatever class of the API it is seen as: what it accepts follows
/// from its signature, shapes are checked before it sees them, and HALF becomes float around it.
class HostedPlugin {
public:
    using Types = std::span<nvinfer1::DataType const>;

    /// Both throw std::invalid_argument with a sentence. What the plugin has no field for is logged as a warning.
    static HostedPlugin fromFields(Definition const& definition, nvinfer1::PluginFieldCollection const* given);
    static HostedPlugin fromBytes(Definition const& definition, std::span<std::byte const> bytes);
    HostedPlugin clone() const { return fromBytes(*definition_, save()); }

    Definition const& definition() const { return *definition_; }
    char const* name() const { return definition_->name; }
    std::vector<std::byte> save() const { return saveFields(*plugin_); }
    /// Valid as long as this object.
    std::vector<nvinfer1::PluginField> describe() const { return describeFields(*plugin_); }

    int32_t outputs() const { return int32_t(plugin_->signature().outputs.size()); }
    nvinfer1::DataType outputType(int32_t output, Types inputs) const;
    /// Throws std::invalid_argument where the inputs do not fit.
    std::vector<nvinfer1::DimsExprs> outputShapes(Shapes inputs, nvinfer1::IExprBuilder& builder) const;
    /// Whether tensor `pos` of inputs and outputs may be as described, given those before it.
    bool accepts(int32_t pos, nvinfer1::PluginTensorDesc const* tensors, int32_t inputs) const;
    void run(std::span<nvinfer1::PluginTensorDesc const> inputs, nvinfer1::PluginTensorDesc const* outputs,
             void const* const* inputData, void* const* outputData);

private:
    explicit HostedPlugin(Definition const& definition) : definition_(&definition), plugin_(definition.make()) {}

    ShapeBindings matchInputs(std::span<nvinfer1::Dims const> inputs) const;
    Tensor asFloat(nvinfer1::PluginTensorDesc const& desc, void* data);

    Definition const* definition_;
    std::unique_ptr<Plugin> plugin_;
    std::vector<nvinfer1::Dims> shapes_;     // of the inputs of the run
    std::vector<Tensor> inputs_, outputs_;   // of the run
    std::vector<std::vector<float>> floats_; // what is HALF outside, in the order of the tensors
    size_t floatsUsed_ = 0;
};

/// What a creator says of the fields: names, types and lengths, without data.
class FieldNames {
public:
    explicit FieldNames(Definition const& definition);
    FieldNames(FieldNames const&) = delete;
    FieldNames& operator=(FieldNames const&) = delete;

    nvinfer1::PluginFieldCollection const& collection() const { return collection_; }

private:
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_{};
};

} // namespace tenon::plugins
