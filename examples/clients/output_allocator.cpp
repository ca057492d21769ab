// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A custom layer whose output has as many elements as the input has positive ones: a data-dependent size, for which the
// program gives memory during the run.

#include "client.h"

#include <cstring>

using namespace nvinfer1;

namespace {

/// x [n] → the positive elements of x, in order, and how many they are. Computes where host memory is.
class KeepPositive final : public IPluginV3,
                           public IPluginV3OneCore,
                           public IPluginV3OneBuild,
                           public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        if (type == PluginCapabilityType::kCORE) return static_cast<IPluginV3OneCore*>(this);
        if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
        return static_cast<IPluginV3OneRuntime*>(this);
    }
    IPluginV3* clone() noexcept override { return new KeepPositive; }

    AsciiChar const* getPluginName() const noexcept override { return "KeepPositive"; }
    AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
    AsciiChar const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 2; }
    int32_t getOutputDataTypes(DataType* types, int32_t, DataType const*, int32_t) const noexcept override {
        types[0] = DataType::kFLOAT;
        types[1] = DataType::kINT32;
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* in, int32_t, DimsExprs const*, int32_t, DimsExprs* out, int32_t,
                            IExprBuilder& expr) noexcept override {
        IDimensionExpr const* const half =
            expr.operation(DimensionOperation::kFLOOR_DIV, *in[0].d[0], *expr.constant(2));
        out[0].nbDims = 1;
        out[0].d[0] = expr.declareSizeTensor(1, *half, *in[0].d[0]);
        out[1].nbDims = 0;
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* io, int32_t, int32_t) noexcept override {
        DataType const wanted = pos == 2 ? DataType::kINT32 : DataType::kFLOAT;
        return io[pos].desc.type == wanted && io[pos].desc.format == PluginFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) noexcept override {
        auto const* x = static_cast<float const*>(inputs[0]);
        auto* y = static_cast<float*>(outputs[0]);
        int32_t count = 0;
        for (int64_t i = 0; i < in[0].dims.d[0]; ++i) {
            if (x[i] > 0) y[count++] = x[i];
        }
        std::memcpy(outputs[1], &count, sizeof(count));
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &none_; }

private:
    PluginFieldCollection none_{0, nullptr};
};

class KeepPositiveCreator final : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const*, TensorRTPhase) noexcept override {
        return new KeepPositive;
    }
    PluginFieldCollection const* getFieldNames() noexcept override { return &none_; }
    AsciiChar const* getPluginName() const noexcept override { return "KeepPositive"; }
    AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
    AsciiChar const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginFieldCollection none_{0, nullptr};
};

REGISTER_TENSORRT_PLUGIN(KeepPositiveCreator);

/// Takes an output of any size.
class Receiver final : public IOutputAllocator {
public:
    ~Receiver() override { cudaFree(memory_); }
    void* reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t, cudaStream_t) noexcept override {
        if (size > size_) {
            cudaFree(memory_);
            memory_ = nullptr;
            size_ = cudaMalloc(&memory_, size) == cudaSuccess ? size : 0;
        }
        return memory_;
    }
    void notifyShape(char const*, Dims const& dims) noexcept override { dims_ = dims; }

    Dims const& dims() const { return dims_; }
    std::vector<float> get(cudaStream_t stream) const {
        std::vector<float> values(static_cast<size_t>(dims_.d[0]));
        size_t const bytes = values.size() * sizeof(float);
        client::check(cudaMemcpyAsync(values.data(), memory_, bytes, cudaMemcpyDeviceToHost, stream));
        client::check(cudaStreamSynchronize(stream));
        return values;
    }

private:
    void* memory_ = nullptr;
    uint64_t size_ = 0;
    Dims dims_{};
};

} // namespace

int main() {
    client::Logger logger;
    client::Definition d(logger);
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims{1, {6}});
    KeepPositive plugin;
    IPluginV3Layer* layer = d.network->addPluginV3(&x, 1, nullptr, 0, plugin);
    client::require(layer != nullptr, "a plugin layer");
    d.output(layer->getOutput(0), "y");
    client::Loaded const loaded(logger, *d.build());
    auto const context = loaded.context();
    Receiver receiver;
    client::require(context->setOutputAllocator("y", &receiver), "an allocator");

    client::Stream stream;
    client::DeviceFloats in(6);
    context->setTensorAddress("x", in.data());
    in.set({1, -1, 2, -2, 3, 0}, stream);
    client::require(context->enqueueV3(stream), "a run");
    client::require(receiver.dims().nbDims == 1 && receiver.dims().d[0] == 3, "three elements");
    client::requireNear(receiver.get(stream), {1, 2, 3});
    in.set({-1, -1, -2, -2, -3, 5}, stream);
    client::require(context->enqueueV3(stream), "another run");
    client::requireNear(receiver.get(stream), {5});
    std::puts("ok");
}
