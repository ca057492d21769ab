// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "base/error.h"

namespace tenon::cpu {
namespace {

class ReferenceExecutable final : public Executable {
public:
    explicit ReferenceExecutable(PrepareArgs const& args) : layer_(*args.node.layer) {
        for (size_t i = 0; i < args.inputs.size(); ++i)
            inputs_.push_back({args.variant.inputs[i].type, args.inputs[i], nullptr});
        for (size_t i = 0; i < args.outputs.size(); ++i)
            outputs_.push_back({args.variant.outputs[i].type, args.outputs[i], nullptr});
    }

    void run(Pointers const& pointers) override {
        for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].data = const_cast<void*>(pointers.inputs[i]);
        for (size_t i = 0; i < outputs_.size(); ++i) outputs_[i].data = pointers.outputs[i];
        layer_.reference(inputs_, outputs_);
    }

private:
    Layer const& layer_; // owned by the engine's graph
    std::vector<HostTensor> inputs_;
    std::vector<HostTensor> outputs_;
};

/// The requested type instead of float32, if the layer's rule supports it for all of its tensors; else float32.
DataType floatTypeFor(KernelQuery const& query) {
    DataType const asked = query.floatTypes.front();
    if (asked == DataType::Float32) return asked;
    Operands const written = operandsOf(query.node);
    std::vector<Operand> operands;
    for (int i = 0; i < written.count(); ++i) {
        operands.push_back(written[i]);
        if (operands.back().type == DataType::Float32) operands.back().type = asked;
    }
    try {
        auto const results = query.node.layer->infer({std::move(operands), query.node.name, query.node.layer.get()});
        for (size_t i = 0; i < results.size(); ++i) {
            if (results[i].type != query.typesOf(*query.node.outputs()[i]).front()) return DataType::Float32;
        }
    } catch (Error const&) {
        return DataType::Float32;
    }
    return asked;
}

class ReferenceKernel final : public Kernel {
public:
    std::string_view name() const override { return "reference"; }
    bool takesEmpty() const override { return true; }

    Offer offer(KernelQuery const& query) const override {
        Variant variant;
        double elements = 0;
        DataType const floats = floatTypeFor(query);
        auto const labelOf = [&](DataType type) {
            return Label{type == DataType::Float32 ? floats : type, Format::linear(), Device::Cpu};
        };
        for (Tensor const* input : query.node.inputs())
            variant.inputs.push_back(labelOf(input ? input->type : DataType::Float32));
        for (Tensor const* output : query.node.outputs()) variant.outputs.push_back(labelOf(output->type));
        for (Dims const& dims : query.inputs) elements += static_cast<double>(dims.volume());
        for (Dims const& dims : query.outputs) elements += static_cast<double>(dims.volume());
        variant.cost = 1e6 + 100 * elements; // never chosen if another kernel is available
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<ReferenceExecutable>(args);
    }
};

} // namespace

Kernel const& referenceKernel() {
    static constexpr ReferenceKernel kernel;
    return kernel;
}

} // namespace tenon::cpu
