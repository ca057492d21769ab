// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin that computes on the host, in a library that looks as if it were partly compiled by nvcc.

#include "support/api_plugins.h"

#include <memory>

namespace {

[[gnu::section(".nv_fatbin"), gnu::used]] char const kCode[] = "code for GPUs";

class BesideDeviceCode final : public tenon::test::TimesV2 {
public:
    BesideDeviceCode() : TimesV2(3) {}
    char const* getPluginType() const override { return "BesideDeviceCode"; }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<BesideDeviceCode>().release(); }
};

class BesideDeviceCodeCreator final : public tenon::test::TimesV2Creator {
public:
    char const* getPluginName() const override { return "BesideDeviceCode"; }
    nvinfer1::IPluginV2* createPlugin(char const*, nvinfer1::PluginFieldCollection const*) override {
        return std::make_unique<BesideDeviceCode>().release();
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        return std::make_unique<BesideDeviceCode>().release();
    }
};
REGISTER_TENSORRT_PLUGIN(BesideDeviceCodeCreator);

} // namespace
