// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/step_kernels.h"

#include "backends/cpu/cpu_backend.h"
#include "base/text.h"

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
        Variant variant;
        Dims const& result = query_.outputs[0];
        double bytes = static_cast<double>(bytesOf(result, {type, format, Device::Cpu}));
        for (size_t i = 0; i < query_.inputs.size(); ++i) {
            Dims const& dims = query_.inputs[i];
            bool const single = query_.isSingle(i);
            if (!format.isLinear() && !single && dims.rank() != result.rank()) return;
            variant.inputs.push_back({type, single ? Format::linear() : format, Device::Cpu});
            bytes += static_cast<double>(bytesOf(dims, variant.inputs.back()));
        }
        variant.outputs = {{type, format, Device::Cpu}};
        variant.cost = 300 + memoryCost(bytes);
        for (PointwiseStep const& step : program_.steps)
            variant.cost += costOf(step.op) * static_cast<double>(paddedVolume(result, format));
        to.push_back(std::move(variant));
    }

private:
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
    return offerTypes(query, x, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) make.add(type, format, offer.variants);
    });
}

std::unique_ptr<Executable> TileKernel::prepare(PrepareArgs const& args) const {
    return makeTileExecutable(programOf(args.node, args.inputs), args);
}

} // namespace tenon::cpu
