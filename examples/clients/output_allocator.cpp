// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A custom layer that outputs the positive elements of its input: a data-dependent size, for which the application
// allocates memory during the run.

#include "client.h"

#include <algorithm>
#include <tenon/plugin_base.h>

using namespace nvinfer1;

namespace {

/// The positive elements of x, in order, and their number.
class KeepPositive final : public tenon::PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature()
            .input("x", "[N]", Kind::kFloat)
            .output("kept", "[?]", Kind::kFloat)
            .output("count", "[]", Kind::kInt32);
    }
    void outputShapes(Shapes inputs, DimsExprs* outputs, IExprBuilder& builder) const override {
        IDimensionExpr const& most = *inputs[0].d[0];
        IDimensionExpr const* half = builder.operation(DimensionOperation::kFLOOR_DIV, most, *builder.constant(2));
        outputs[0].d[0] = builder.declareSizeTensor(1, *half, most);
    }
    void run(Tensors inputs, Tensors outputs) override {
        float const* const x = inputs[0].floats();
        float* const kept = outputs[0].floats();
        float* const end = std::copy_if(x, x + inputs[0].count(), kept, [](float value) { return value > 0; });
        *outputs[1].ints() = static_cast<int32_t>(end - kept);
    }
};

tenon::RegisterPlugin<KeepPositive> const keepPositive("KeepPositive");

/// Receives an output of any size.
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
    auto* const creator = static_cast<IPluginCreatorV3One*>(getPluginRegistry()->getCreator("KeepPositive", "1", ""));
    PluginFieldCollection const noFields{0, nullptr};
    std::unique_ptr<IPluginV3> const plugin(creator->createPlugin("keep", &noFields, TensorRTPhase::kBUILD));
    IPluginV3Layer* layer = d.network->addPluginV3(&x, 1, nullptr, 0, *plugin);
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
