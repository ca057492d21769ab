// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/step_kernels.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/integer_sum.h"
#include "base/text.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

/// Nanoseconds an element with AVX2, about.
double costOf(PointwiseOp op) {
    using enum PointwiseOp;
    switch (op) {
    case Pow: return 1.5;
    case Sin:
    case Cos:
    case Tan:
    case Sinh:
    case Cosh:
    case Asin:
    case Acos:
    case Atan:
    case Asinh:
    case Acosh:
    case Atanh:
    case Mod:
    case Fmod: return 8; // the C library's, one at a time
    case Sigmoid:
    case Tanh:
    case Elu:
    case Selu:
    case Celu:
    case Softplus:
    case ScaledTanh:
    case GeluErf:
    case GeluTanh:
    case Mish:
    case Swish:
    case Exp:
    case Log:
    case Erf: return 0.5;
    default: return 0.06;
    }
}

class VariantMaker {
public:
    VariantMaker(KernelQuery const& query, StepProgram const& program) : query_(query), program_(program) {}

    /// All tensors in one type and format, but for single numbers, which are linear.
    void add(DataType type, Format const& format, std::vector<Variant>& to) const {
        auto const label = [&](Tensor const&) { return Label{type, format, Device::Cpu}; };
        add(label, label, format, to);
    }

    /// Tensors that may be kept in integers of 8 bits are, on one side at least.
    void addIntegers(Format const& format, std::vector<Variant>& to) const {
        auto const real = [&](Tensor const&) { return Label{DataType::Float32, format, Device::Cpu}; };
        auto const whole = [&](Tensor const& tensor) {
            return query_.mayBeInt8(tensor) ? Label::of(tensor.quantum, format, Device::Cpu) : real(tensor);
        };
        Node const& node = query_.node;
        bool const reads = std::ranges::any_of(node.inputs(), [&](Tensor* x) { return x && query_.mayBeInt8(*x); });
        bool const writes = query_.mayBeInt8(*node.output());
        if (reads) add(whole, real, format, to);
        if (writes) add(real, whole, format, to);
        if (reads && writes) add(whole, whole, format, to);
    }

private:
    template <class OfInput, class OfOutput>
    void add(OfInput const& ofInput, OfOutput const& ofOutput, Format const& format, std::vector<Variant>& to) const {
        Variant variant{.inputs = {}, .outputs = {ofOutput(*query_.node.output())}};
        Dims const& result = query_.outputs[0];
        auto bytes = static_cast<double>(bytesOf(result, variant.outputs[0]));
        for (size_t i = 0; i < query_.inputs.size(); ++i) {
            Dims const& dims = query_.inputs[i];
            bool const single = query_.isSingle(i);
            if (!format.isLinear() && !single && dims.rank() != result.rank()) return;
            variant.inputs.push_back(ofInput(*query_.node.inputs()[i]));
            if (single) variant.inputs.back().format = Format::linear();
            bytes += static_cast<double>(bytesOf(dims, variant.inputs.back()));
        }
        variant.cost = 300 + memoryCost(bytes);
        for (PointwiseStep const& step : program_.steps)
            variant.cost += costOf(step.op) * static_cast<double>(paddedVolume(result, format));
        to.push_back(std::move(variant));
    }

    KernelQuery const& query_;
    StepProgram const& program_;
};

} // namespace

Offer TileKernel::offer(KernelQuery const& query) const {
    Tensor const& x = *query.node.input(0);
    Tensor const& y = *query.node.output();
    StepProgram const program = programOf(query.node, query.inputs);
    if (!isFloat(x.type) || program.hasBool())
        return Offer::refuse(text("computes floating point numbers, not ", y.type, " from ", x.type));
    if (!fitsTiles(program)) return Offer::refuse("has more results to keep at a time than tiles");
    VariantMaker const make(query, program);
    int const rank = query.outputs[0].rank();
    bool const takesChannels = hasChannels(rank) && program.readsAsTheyAre(query.inputs);
    auto const formats = formatsOf(takesChannels, {Format::nhwc(), Format::blocked(channelBlock())});
    Offer offer = offerTypes(query, x, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) make.add(type, format, offer.variants);
    });
    for (Format const& format : formats) {
        if (format.block == 1) make.addIntegers(format, offer.variants);
    }
    return offer;
}

std::unique_ptr<Executable> TileKernel::prepare(PrepareArgs const& args) const {
    StepProgram const program = programOf(args.node, args.inputs);
    if (auto sum = makeIntegerSum(program, args)) return sum;
    return makeTileExecutable(program, args);
}

} // namespace tenon::cpu
