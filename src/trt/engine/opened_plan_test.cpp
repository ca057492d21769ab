// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/file/plan_file.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "tenon/device.h"
#include "tenon/plan.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::Running;
using test::TimesV2Creator;

std::unique_ptr<IHostMemory> engineWithWeights() {
    Defining d;
    std::vector<float> const kernel(4 * 3 * 3 * 3, 0.5F);
    ITensor& x = d.input("x", {-1, 3, 8, 8});
    auto* conv = d.network->addConvolutionNd(x, 4, DimsHW{3, 3}, test::weights(kernel), Weights{});
    d.output(d.network->addSoftMax(*conv->getOutput(0))->getOutput(0));
    d.range("x", {1, 3, 8, 8}, {2, 3, 8, 8}, {4, 3, 8, 8});
    return d.build();
}

std::string errorOf(std::string const& bytes) {
    PlanView const view(bytes.data(), bytes.size());
    return view.error() ? view.error() : "";
}

std::string asText(IHostMemory const& file) { return {static_cast<char const*>(file.data()), file.size()}; }

TEST(PlanView, tellsWhatTheFileHolds) {
    auto const file = engineWithWeights();
    PlanView const view(file->data(), file->size());
    ASSERT_EQ(view.error(), nullptr);
    EXPECT_EQ(view.format(), 3U);
    EXPECT_EQ(view.apiVersion(), NV_TENSORRT_VERSION);
    EXPECT_STREQ(view.device(), "cpu");
    EXPECT_STREQ(view.builtOn(), describeDevice("cpu"));
    EXPECT_NE(std::string(view.description()).find("\"weighed\""), std::string::npos);
    EXPECT_EQ(view.pluginCount(), 0);
    EXPECT_EQ(view.verify(), nullptr);
}

// Applications read these bytes of the plans of any TensorRT, to build again when their own version differs.
TEST(PlanView, hasTheVersionOfTheApiWhereProgramsLookForIt) {
    auto const file = engineWithWeights();
    Running const r(*file);
    std::unique_ptr<IHostMemory> const again(r.engine->serialize());
    for (IHostMemory const* plan : {file.get(), again.get()}) {
        auto const* bytes = static_cast<uint8_t const*>(plan->data());
        EXPECT_EQ(bytes[24], NV_TENSORRT_MAJOR);
        EXPECT_EQ(bytes[25], NV_TENSORRT_MINOR);
        EXPECT_EQ(bytes[26], NV_TENSORRT_PATCH);
    }
}

TEST(PlanView, tellsTheMemoryThatAContextTakes) {
    auto const file = engineWithWeights();
    Running const r(*file);
    PlanView const view(file->data(), file->size());
    uint64_t bytes = 0;
    ASSERT_EQ(view.memory(0, bytes), nullptr);
    EXPECT_EQ(bytes, static_cast<uint64_t>(r.engine->getDeviceMemorySizeForProfileV2(0)));
    EXPECT_GE(bytes, 4U * 4 * 6 * 6 * sizeof(float)); // the tensor between the two layers, at the largest batch
    EXPECT_STREQ(view.memory(1, bytes), "profile 1 of 1");
}

TEST(PlanView, needsNoPluginThatThePlanNames) {
    std::string file;
    uint64_t expected = 0;
    {
        Registered<TimesV2Creator> creator;
        Defining d;
        test::TimesV2 plugin(3);
        ITensor* inputs[]{&d.input("x", {2, 2})};
        IPluginV2Layer* times = d.network->addPluginV2(inputs, 1, plugin);
        times->setName("times");
        d.output(times->getOutput(0));
        auto const built = d.build();
        expected = static_cast<uint64_t>(Running(*built).engine->getDeviceMemorySizeV2());
        file = asText(*built);
    }
    test::notes().calls.clear();
    PlanView const view(file.data(), file.size());
    ASSERT_EQ(view.error(), nullptr);
    ASSERT_EQ(view.pluginCount(), 1);
    EXPECT_STREQ(view.plugin(0).node, "times");
    EXPECT_STREQ(view.plugin(0).name, "TimesV2");
    EXPECT_STREQ(view.plugin(0).version, "1");
    EXPECT_STREQ(view.plugin(0).nameSpace, "");
    EXPECT_STREQ(view.plugin(0).generation, "IPluginV2DynamicExt");
    EXPECT_NE(std::string(view.plugin(0).library).find("trt_test"), std::string::npos); // this executable
    EXPECT_EQ(view.plugin(0).bytes, sizeof(float));
    uint64_t bytes = 0;
    ASSERT_EQ(view.memory(0, bytes), nullptr);
    EXPECT_EQ(bytes, expected);
    EXPECT_TRUE(test::notes().calls.empty());
}

TEST(PlanView, findsChangedWeightsOnlyWhenItVerifies) {
    std::string file = asText(*engineWithWeights());
    file[file.size() - 100] ^= 1;
    PlanView const view(file.data(), file.size());
    ASSERT_EQ(view.error(), nullptr);
    ASSERT_NE(view.verify(), nullptr);
    EXPECT_TRUE(std::string(view.verify()).starts_with("the engine was modified: the checksum of blob "));
}

TEST(PlanView, tellsWhetherAPlanKeepsItsNetwork) {
    auto const sizeOf = [](bool keep) {
        keepNetworks(keep);
        auto const file = engineWithWeights();
        keepNetworks(true);
        return file->size();
    };
    EXPECT_LT(sizeOf(false), sizeOf(true));
}

TEST(PlanView, opensAPlanForADeviceThatIsNotThere) {
    auto const file = engineWithWeights();
    Plan plan = readPlan({static_cast<std::byte const*>(file->data()), file->size()});
    plan.device = Device("cuda");
    plan.builtOn = "some GPU";
    auto const bytes = writePlan(plan);
    PlanView const view(bytes.data(), bytes.size());
    ASSERT_EQ(view.error(), nullptr);
    EXPECT_STREQ(view.device(), "cuda");
    EXPECT_STREQ(view.builtOn(), "some GPU");
    EXPECT_EQ(view.verify(), nullptr);
    if (describeDevice("cuda")) GTEST_SKIP() << "the device is there";
    uint64_t memory = 7;
    EXPECT_NE(std::string(view.memory(0, memory)).find("no cuda device can be used: "), std::string::npos);
    EXPECT_EQ(memory, 7U);
}

TEST(PlanView, saysWhyItCannotBeOpened) {
    std::string const file = asText(*engineWithWeights());
    EXPECT_EQ(errorOf(file.substr(0, file.size() - 1)), "the engine is truncated: it has " +
                                                            std::to_string(file.size() - 1) + " bytes of " +
                                                            std::to_string(file.size()));
    EXPECT_EQ(errorOf("hello"), "this is not a Tenon engine: 5 bytes that do not begin with its header");
    EXPECT_EQ(errorOf(""), "this is not a Tenon engine: 0 bytes that do not begin with its header");
    EXPECT_STREQ(PlanView(nullptr, 0).error(), "data is null");
    EXPECT_STREQ(PlanView("no/such.plan").error(), "no/such.plan: cannot be read: No such file or directory");
    EXPECT_STREQ(PlanView("src").error(), "src: is not a regular file");
}

TEST(PlanView, opensFiles) {
    std::string const path = (std::filesystem::temp_directory_path() / ("view" + std::to_string(getpid()))).string();
    std::ofstream(path, std::ios::binary) << asText(*engineWithWeights());
    PlanView const view(path.c_str());
    std::ofstream(path, std::ios::binary) << "short";
    PlanView const broken(path.c_str());
    std::remove(path.c_str());
    EXPECT_EQ(view.error(), nullptr);
    EXPECT_EQ(view.verify(), nullptr);
    ASSERT_NE(broken.error(), nullptr);
    EXPECT_EQ(broken.error(), path + ": this is not a Tenon engine: 5 bytes that do not begin with its header");
}

} // namespace
} // namespace tenon
