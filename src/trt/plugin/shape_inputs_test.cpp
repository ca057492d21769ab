// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin whose output shape is the elements of a network's input.

#include "support/api.h"

#include <memory>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;

/// x [1], extents [2] → y [extents[0], extents[1]]: x + 0, x + 1, …; IPluginV3 with a shape input.
class CountUp final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return std::make_unique<CountUp>().release(); }
    char const* getPluginName() const noexcept override { return "CountUp"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs, int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const*, int32_t, DimsExprs const* shapeInputs, int32_t nbShapeInputs,
                            DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
        if (nbShapeInputs != 1 || shapeInputs[0].nbDims != 2) return 1;
        outputs[0] = shapeInputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const* outputs, void const* const* in, void* const* out,
                    void*, cudaStream_t) noexcept override {
        auto* const y = static_cast<float*>(out[0]);
        for (int64_t i = 0; i < outputs[0].dims.d[0] * outputs[0].dims.d[1]; ++i)
            y[i] = *static_cast<float const*>(in[0]) + static_cast<float>(i);
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields_; }

private:
    PluginFieldCollection fields_{};
};

class CountUpCreator final : public IPluginCreatorV3One {
public:
    CountUpCreator() { getPluginRegistry()->registerCreator(*this, ""); }
    ~CountUpCreator() override { getPluginRegistry()->deregisterCreator(*this); }

    char const* getPluginName() const noexcept override { return "CountUp"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override {
        return std::make_unique<CountUp>().release();
    }

private:
    PluginFieldCollection fields_{};
};

/// `extents`: the shape input's tensor, computed from the input s.
template <class Extents> std::unique_ptr<IHostMemory> fileOf(DataType type, Extents&& extents) {
    Defining d;
    ITensor* x = &d.input("x", {1});
    ITensor* shape = extents(d, d.input("s", {2}, type));
    CountUp plugin;
    IPluginV3Layer* const layer = d.network->addPluginV3(&x, 1, &shape, 1, plugin);
    layer->setName("count");
    d.output(layer->getOutput(0));
    IOptimizationProfile* const profile = d.builder->createOptimizationProfile();
    for (auto const select : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
        int64_t const extent = 1 + 2 * static_cast<int64_t>(select);
        int64_t const values[]{extent, extent};
        profile->setShapeValuesV2("s", select, values, 2);
    }
    d.config->addOptimizationProfile(profile);
    return d.build();
}

template <class T> void expectRuns(IHostMemory const& file, std::vector<T> const& s, std::vector<int64_t> const& dims) {
    test::Running r(file);
    float x = 0.5F;
    std::vector<float> y(static_cast<size_t>(dims[0] * dims[1]));
    ASSERT_TRUE(r.context->setInputTensorAddress("s", s.data()));
    r.context->setTensorAddress("x", &x);
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_EQ(test::extents(r.context->getTensorShape("y")), dims);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 0.5F + static_cast<float>(i));
}

TEST(ShapeInputs, mayBeInputsOfTheNetwork) {
    CountUpCreator const creator;
    auto const itself = [](Defining&, ITensor& s) { return &s; };
    auto const ofInt64 = fileOf(DataType::kINT64, itself);
    expectRuns<int64_t>(*ofInt64, {2, 3}, {2, 3});
    expectRuns<int64_t>(*ofInt64, {5, 1}, {5, 1});
    expectRuns<int32_t>(*fileOf(DataType::kINT32, itself), {3, 4}, {3, 4});
}

TEST(ShapeInputs, mayBeComputedFromInputsOfTheNetwork) {
    CountUpCreator const creator;
    auto const file = fileOf(DataType::kINT32, [](Defining& d, ITensor& s) {
        return d.network->addElementWise(s, d.integers({2}, {1, 2}), ElementWiseOperation::kSUM)->getOutput(0);
    });
    expectRuns<int32_t>(*file, {1, 2}, {2, 4});
}

} // namespace
} // namespace tenon
