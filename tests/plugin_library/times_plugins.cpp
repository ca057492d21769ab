// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A library with a computing plugin: y = 3 * x. It lists its creator, or registers automatically if REGISTERS_ITSELF is
// defined.

#include "support/api_plugins.h"

#include <memory>

namespace {

#ifdef REGISTERS_ITSELF
constexpr char kName[] = "TimesThreeByItself";
#else
constexpr char kName[] = "TimesThree";
#endif

class TimesThree final : public tenon::test::TimesV2 {
public:
    TimesThree() : TimesV2(3) {}
    char const* getPluginType() const override { return kName; }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<TimesThree>().release(); }
};

class TimesThreeCreator final : public tenon::test::TimesV2Creator {
public:
    char const* getPluginName() const override { return kName; }
    nvinfer1::IPluginV2* createPlugin(char const*, nvinfer1::PluginFieldCollection const*) override {
        return std::make_unique<TimesThree>().release();
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        return std::make_unique<TimesThree>().release();
    }
};

} // namespace

#ifdef REGISTERS_ITSELF
REGISTER_TENSORRT_PLUGIN(TimesThreeCreator);
#else
extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const*
getCreators(int32_t& nbCreators) {
    static TimesThreeCreator creator;
    static nvinfer1::IPluginCreatorInterface* const all[]{&creator};
    nbCreators = 1;
    return all;
}
#endif
