// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The overhead of a plugin without work: the time of enqueueV3 for a chain of 1000 of them, divided by 1000, on the
// device in TENON_DEVICE, else the best one.

#include <NvInfer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <tenon/memory.h>
#include <vector>

using namespace nvinfer1;

namespace {

struct Logger final : ILogger {
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING) std::fprintf(stderr, "%s\n", message);
    }
} logger;

// x [any shape] FLOAT, any format → y [the same]; its elements are not written
class Nothing final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return new Nothing(*this); }
    char const* getPluginName() const noexcept override { return "Nothing"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs, int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                            IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* io, int32_t, int32_t) noexcept override {
        return io[pos].desc.type == DataType::kFLOAT && io[pos].desc.format == io[0].desc.format;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) noexcept override {
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields_; }

private:
    PluginFieldCollection fields_{};
};

class NothingCreator final : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return "Nothing"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override {
        return new Nothing;
    }

private:
    PluginFieldCollection fields_{};
};
REGISTER_TENSORRT_PLUGIN(NothingCreator);

std::unique_ptr<ICudaEngine> chain(int plugins) {
    std::unique_ptr<IBuilder> builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> network(builder->createNetworkV2(0));
    ITensor* tensor = network->addInput("x", DataType::kFLOAT, Dims{2, {1, 64}});
    Nothing nothing;
    for (int i = 0; i < plugins; ++i) tensor = network->addPluginV3(&tensor, 1, nullptr, 0, nothing)->getOutput(0);
    tensor->setName("y");
    network->markOutput(*tensor);
    std::unique_ptr<IBuilderConfig> config(builder->createBuilderConfig());
    std::unique_ptr<IHostMemory> file(builder->buildSerializedNetwork(*network, *config));
    static std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    return std::unique_ptr<ICudaEngine>(runtime->deserializeCudaEngine(file->data(), file->size()));
}

double microseconds(int plugins) {
    auto const engine = chain(plugins);
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    tenon::Stream stream;
    tenon::DeviceMemory const x(nullptr, 64 * sizeof(float)), y(nullptr, 64 * sizeof(float));
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    std::vector<double> times;
    for (int i = 0; i < 200; ++i) {
        auto const start = std::chrono::steady_clock::now();
        if (!context->enqueueV3(stream.get())) std::abort();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        stream.wait();
    }
    std::nth_element(times.begin(), times.begin() + 100, times.end());
    return times[100];
}

} // namespace

int main() {
    double const one = microseconds(1);
    double const thousand = microseconds(1001);
    std::printf("a run with one plugin takes %.3f us; each further plugin %.3f us\n", one, (thousand - one) / 1000);
}
