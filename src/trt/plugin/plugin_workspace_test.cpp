// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// For which shapes an IPluginV3 is asked for its workspace: an engine that was loaded cannot ask it again.

#include "support/api.h"
#include "support/api_plugins.h"

#include <cstring>
#include <functional>
#include <numeric>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::Running;

struct Seen {
    DynamicPluginTensorDesc configured{};
    std::vector<int64_t> askedAt; // the maximum at the last call of getWorkspaceSize
    size_t asked = 0;
    size_t needed = 0; // by the last run
};

Seen& seen() {
    static Seen seen;
    return seen;
}

int64_t volume(Dims const& dims) {
    return std::accumulate(dims.d, dims.d + dims.nbDims, int64_t{1}, std::multiplies());
}

/// y = x, through the workspace.
class Detour final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) override {
        if (type == PluginCapabilityType::kCORE) return static_cast<IPluginV3OneCore*>(this);
        if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
        return static_cast<IPluginV3OneRuntime*>(this);
    }
    IPluginV3* clone() override { return new Detour(*this); }
    char const* getPluginName() const override { return "Detour"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

    int32_t getNbOutputs() const override { return 1; }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes, int32_t) const override {
        outputTypes[0] = inputTypes[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                            IExprBuilder&) override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) override {
        return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) override {
        seen().configured = in[0];
        return 0;
    }
    size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) const override {
        seen().askedAt = test::extents(inputs[0].max);
        seen().asked = static_cast<size_t>(volume(inputs[0].max)) * sizeof(float);
        return seen().asked;
    }

    int32_t setTactic(int32_t) override { return 0; }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) override { return 0; }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void* workspace, cudaStream_t) override {
        seen().needed = static_cast<size_t>(volume(inputDesc[0].dims)) * sizeof(float);
        if (seen().needed > seen().asked) return -1;
        std::memcpy(workspace, inputs[0], seen().needed);
        std::memcpy(outputs[0], workspace, seen().needed);
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() override { return &noFields_; }

private:
    PluginFieldCollection noFields_{};
};

class DetourCreator final : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) override { return new Detour; }
    PluginFieldCollection const* getFieldNames() override { return &noFields_; }
    char const* getPluginName() const override { return "Detour"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

private:
    PluginFieldCollection noFields_{};
};

struct PluginWorkspace : testing::Test {
    Registered<DetourCreator> creator;
    Defining d;

    PluginWorkspace() { seen() = {}; }

    ITensor& combined(ITensor& a, ITensor& b, ElementWiseOperation operation) {
        return *d.network->addElementWise(a, b, operation)->getOutput(0);
    }
    /// y [1] = the sum of the first elements of 64 ones after the plugin, as many as `size` [1] contains.
    void sumFirst(ITensor& size) {
        ISliceLayer* slice = d.network->addSlice(d.floats({64}, std::vector<float>(64, 1)), test::dims({0}),
                                                 test::dims({1}), test::dims({1}));
        slice->setInput(2, size);
        Detour plugin;
        ITensor* const x = slice->getOutput(0);
        IPluginV3Layer* layer = d.network->addPluginV3(&x, 1, nullptr, 0, plugin);
        layer->setName("detour");
        d.output(d.network->addReduce(*layer->getOutput(0), ReduceOperation::kSUM, 1, true)->getOutput(0));
    }
    ITensor& cast(ITensor& x, DataType type) { return *d.network->addCast(x, type)->getOutput(0); }
};

/// The engine's result for x [n]; -1 if it does not run.
float sumOf(Running& r, int64_t n) {
    std::vector<float> x(static_cast<size_t>(n));
    float y = -1;
    EXPECT_TRUE(r.context->setInputShape("x", test::dims({n})));
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", &y);
    return r.context->enqueueV3(nullptr) ? y : -1;
}

TEST_F(PluginWorkspace, isAskedForBoundsOfWhatShrinksWhileTheInputGrows) {
    ITensor& n = *d.network->addShape(d.input("x", {-1}))->getOutput(0);
    sumFirst(combined(cast(d.integers({1}, {64}), DataType::kINT64), n, ElementWiseOperation::kSUB));
    d.range("x", {1}, {32}, {63});
    Running r(*d.build());
    EXPECT_EQ(test::extents(seen().configured.min), (std::vector<int64_t>{1})); // 64 - n
    EXPECT_EQ(test::extents(seen().configured.opt), (std::vector<int64_t>{32}));
    EXPECT_EQ(test::extents(seen().configured.max), (std::vector<int64_t>{63}));
    EXPECT_EQ(seen().askedAt, (std::vector<int64_t>{63}));
    EXPECT_EQ(sumOf(r, 63), 1);
    EXPECT_EQ(sumOf(r, 32), 32);
    EXPECT_EQ(sumOf(r, 1), 63);
    EXPECT_EQ(seen().needed, 63 * sizeof(float));
}

TEST_F(PluginWorkspace, isNotExceededWhereNoBoundWasKnown) {
    ITensor& n = cast(*d.network->addShape(d.input("x", {-1}))->getOutput(0), DataType::kFLOAT);
    ITensor& rest = combined(d.floats({1}, {10}), n, ElementWiseOperation::kSUB);
    sumFirst(cast(combined(n, rest, ElementWiseOperation::kPROD), DataType::kINT64)); // n * (10 - n), in floats
    d.range("x", {1}, {2}, {9});
    Running r(*d.build());
    EXPECT_EQ(seen().askedAt, (std::vector<int64_t>{16}));
    EXPECT_EQ(sumOf(r, 2), 16);
    EXPECT_EQ(sumOf(r, 5), -1);
    EXPECT_EQ(r.messages.lastError(),
              "enqueueV3: detour (Plugin): runs with inputs [25], outputs [25]; the engine holds 64 bytes of workspace "
              "for it, which getWorkspaceSize asked for at most inputs [16], outputs [16]: build the engine with a "
              "profile whose points reach these shapes");
    EXPECT_EQ(sumOf(r, 9), 9);
}

TEST_F(PluginWorkspace, isThatOfTheProfileWithTheLargestShapes) {
    ITensor& n = *d.network->addShape(d.input("x", {-1}))->getOutput(0);
    sumFirst(n);
    d.range("x", {1}, {2}, {4});
    d.range("x", {5}, {6}, {8});
    Running r(*d.build());
    seen().asked = 8 * sizeof(float); // by one of the profiles
    EXPECT_EQ(sumOf(r, 4), 4);
    EXPECT_TRUE(r.context->setOptimizationProfileAsync(1, nullptr));
    EXPECT_EQ(sumOf(r, 8), 8);
}

} // namespace
} // namespace tenon
