// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/through_float.h"

#include "backends/cpu/convert.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "base/parallel.h"

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 16384; // elements that one thread converts in about 10 µs

/// A tensor of 16-bit floats and its float32 copy in the workspace; an unconverted one has no copy.
struct Copy {
    DataType type = DataType::Float16;
    int64_t elements = 0; // padding included; 0: not converted
    size_t at = 0;        // byte offset in the workspace
};

void convertAll(DataType from, DataType to, void const* x, void* y, int64_t count) {
    Convert const convert = convertFor(from, to);
    auto const* source = static_cast<std::byte const*>(x);
    auto* target = static_cast<std::byte*>(y);
    parallelFor(count, kGrain, [&](int64_t begin, int64_t end) {
        convert(source + bytesOf(from, begin), target + bytesOf(to, begin), end - begin);
    });
}

class ThroughFloat final : public Executable {
public:
    ThroughFloat(PrepareArgs const& args, Variant const& inFloat, std::unique_ptr<Executable> inner)
        : inner_(std::move(inner)) {
        workspace_ = aligned(inner_->workspaceBytes());
        for (size_t i = 0; i < args.inputs.size(); ++i) {
            auto const input = static_cast<int>(i);
            bool const unread = args.variant.packs(i) || args.node.layer->readsShapeOnly(input);
            bool const there = !unread && args.node.input(input);
            bool const converts = there && args.variant.inputs[i] != inFloat.inputs[i];
            inputs_.push_back(converts ? copyOf(args.inputs[i], args.variant.inputs[i]) : Copy{});
        }
        for (size_t i = 0; i < args.outputs.size(); ++i) {
            bool const converts = args.variant.outputs[i] != inFloat.outputs[i];
            outputs_.push_back(converts ? copyOf(args.outputs[i], args.variant.outputs[i]) : Copy{});
        }
        inputPointers_.resize(inputs_.size());
        outputPointers_.resize(outputs_.size());
    }

    size_t workspaceBytes() const override { return workspace_; }

    void run(Pointers const& pointers) override {
        auto* const workspace = static_cast<std::byte*>(pointers.workspace);
        for (size_t i = 0; i < inputs_.size(); ++i) {
            inputPointers_[i] = pointers.inputs[i];
            if (inputs_[i].elements == 0) continue;
            inputPointers_[i] = workspace + inputs_[i].at;
            convertAll(inputs_[i].type, DataType::Float32, pointers.inputs[i], workspace + inputs_[i].at,
                       inputs_[i].elements);
        }
        for (size_t i = 0; i < outputs_.size(); ++i)
            outputPointers_[i] = outputs_[i].elements == 0 ? pointers.outputs[i] : workspace + outputs_[i].at;
        inner_->run({inputPointers_.data(), outputPointers_.data(), workspace, pointers.stream});
        for (size_t i = 0; i < outputs_.size(); ++i) {
            if (outputs_[i].elements != 0)
                convertAll(DataType::Float32, outputs_[i].type, outputPointers_[i], pointers.outputs[i],
                           outputs_[i].elements);
        }
    }

private:
    static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

    Copy copyOf(Dims const& dims, Label const& label) {
        Copy const copy{label.type, paddedVolume(dims, label.format), workspace_};
        workspace_ += aligned(bytesOf(DataType::Float32, copy.elements));
        return copy;
    }

    std::unique_ptr<Executable> inner_;
    size_t workspace_ = 0;
    std::vector<Copy> inputs_;
    std::vector<Copy> outputs_;
    std::vector<void const*> inputPointers_;
    std::vector<void*> outputPointers_;
};

template <class Change> void changeLabels(Variant& variant, Change const& change) {
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        if (!variant.packs(i)) change(variant.inputs[i]);
    }
    for (Label& label : variant.outputs) change(label);
}

} // namespace

DataType computeTypeOf(DataType type) {
    return type == DataType::BFloat16 && multipliesPairs() ? type : DataType::Float32;
}

Variant storedAs(DataType type, KernelQuery const& query, Variant variant) {
    if (type == variant.compute) return variant;
    changeLabels(variant, [&](Label& label) {
        if (label.type == DataType::Float32) label.type = type;
    });
    double bytes = 0;
    for (Dims const& dims : query.inputs) bytes += 6 * static_cast<double>(dims.volume());
    for (Dims const& dims : query.outputs) bytes += 6 * static_cast<double>(dims.volume());
    variant.cost += memoryCost(bytes);
    return variant;
}

Variant inFloat(Variant variant) {
    if (variant.compute != DataType::Float32) return variant;
    changeLabels(variant, [](Label& label) {
        if (isFloat(label.type)) label.type = DataType::Float32;
    });
    return variant;
}

std::unique_ptr<Executable> throughFloat(PrepareArgs const& args, Prepare const& prepare) {
    Variant const variant = inFloat(args.variant);
    bool const same = variant.inputs == args.variant.inputs && variant.outputs == args.variant.outputs;
    auto inner = prepare({args.node, variant, args.inputs, args.outputs, args.packed});
    if (same) return inner;
    return std::make_unique<ThroughFloat>(args, variant, std::move(inner));
}

} // namespace tenon::cpu
