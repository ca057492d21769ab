// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"
#include "support/api_plugins.h"
#include "tenon/plugin.h"

namespace tenon {
namespace {

using test::Defining;

/// Records where its data are when it runs.
class Placed final : public test::TimesV2 {
public:
    using TimesV2::TimesV2;
    static inline PluginDevices seen = PluginDevices::kNONE;

    char const* getPluginType() const noexcept override { return "Placed"; }
    IPluginV2DynamicExt* clone() const noexcept override { return std::make_unique<Placed>(factor()).release(); }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) override {
        seen = currentDevice();
        return TimesV2::enqueue(inputDesc, outputDesc, inputs, outputs, workspace, stream);
    }
};

class PlacedCreator final : public test::TimesV2Creator {
public:
    char const* getPluginName() const noexcept override { return "Placed"; }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const* data, size_t) noexcept override {
        return std::make_unique<Placed>(*static_cast<float const*>(data)).release();
    }
};

void addPlaced(Defining& d) {
    Placed plugin(2);
    nvinfer1::ITensor* x = &d.input("x", {2});
    d.output(d.network->addPluginV2(&x, 1, plugin)->getOutput(0));
}

struct PluginDevicesTest : testing::Test {
    PluginDevicesTest() { getPluginRegistry()->registerCreator(creator, ""); }
    ~PluginDevicesTest() override {
        getPluginRegistry()->deregisterCreator(creator);
        setPluginDevices("Placed", "1", "", PluginDevices::kBOTH);
    }
    PlacedCreator creator;
};

TEST_F(PluginDevicesTest, onTheCpuAPluginIsToldThatItIsThere) {
    EXPECT_EQ(setPluginDevices("Placed", "1", "", PluginDevices::kBOTH), nullptr);
    Defining d;
    addPlaced(d);
    test::Running running(*d.build());
    EXPECT_EQ(running.run({1, 2}, 2), (std::vector<float>{2, 4}));
    EXPECT_EQ(Placed::seen, PluginDevices::kCPU);
    EXPECT_EQ(currentDevice(), PluginDevices::kNONE);
}

TEST_F(PluginDevicesTest, oneForGpusOnlyIsRefusedByAnEngineForTheCpu) {
    EXPECT_EQ(setPluginDevices("Placed", "1", "", PluginDevices::kCUDA), nullptr);
    Defining d;
    addPlaced(d);
    std::unique_ptr<nvinfer1::IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_FALSE(file);
    EXPECT_NE(d.messages.lastError().find(
                  "the plugin is declared for CUDA devices only, and this engine's plugins run on the "
                  "CPU; build it with TENON_DEVICE=cuda"),
              std::string::npos)
        << d.messages.lastError();
}

TEST_F(PluginDevicesTest, whatWasSaidCanBeAskedFor) {
    EXPECT_EQ(pluginDevices("Unsaid", "1", ""), PluginDevices::kNONE);
    EXPECT_EQ(pluginDevices(nullptr, nullptr, nullptr), PluginDevices::kNONE);
    for (PluginDevices const said : {PluginDevices::kCPU, PluginDevices::kCUDA, PluginDevices::kBOTH}) {
        EXPECT_EQ(setPluginDevices("Placed", "1", nullptr, said), nullptr);
        EXPECT_EQ(pluginDevices("Placed", "1", ""), said);
        EXPECT_EQ(pluginDevices("Placed", "2", ""), PluginDevices::kNONE);
    }
}

TEST_F(PluginDevicesTest, nonsenseIsRefused) {
    EXPECT_STREQ(setPluginDevices(nullptr, "1", "", PluginDevices::kCPU), "the plugin has no name");
    EXPECT_STREQ(setPluginDevices("Placed", "1", "", static_cast<PluginDevices>(4)),
                 "plugin Placed: no PluginDevices has the number 4; expected kCPU, kCUDA or kBOTH");
    EXPECT_STREQ(setPluginDevices("Placed", "1", "", PluginDevices::kNONE),
                 "plugin Placed: no PluginDevices has the number 0; expected kCPU, kCUDA or kBOTH");
}

} // namespace
} // namespace tenon
