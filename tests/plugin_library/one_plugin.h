// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"

/// A creator that is only looked up, never called for a plugin.
template <char const* const& kName> class Creator final : public nvinfer1::IPluginCreator {
public:
    char const* getPluginName() const override { return kName; }
    char const* getPluginVersion() const override { return "1"; }
    nvinfer1::PluginFieldCollection const* getFieldNames() override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*, nvinfer1::PluginFieldCollection const*) override { return nullptr; }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*, size_t) override { return nullptr; }
    void setPluginNamespace(char const*) override {}
    char const* getPluginNamespace() const override { return ""; }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};
