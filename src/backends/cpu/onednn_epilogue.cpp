// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn_epilogue.h"

#include "layers/convolution/epilogue.h"
#include "layers/pointwise/tile_program_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using Algorithm = dnnl::algorithm;

class Builder {
public:
    Builder(PrepareArgs const& args, int firstExtra) : args_(args), firstExtra_(firstExtra) {}

    bool append(PointwiseStep const& step, int64_t operand) {
        return isElementwise(step.op) ? appendBinary(step, operand) : appendUnary(step);
    }

    DnnlEpilogue finish() && {
        epilogue_.attributes.set_post_ops(ops_);
        return std::move(epilogue_);
    }

private:
    bool eltwise(Algorithm algorithm, double alpha = 0, double beta = 0) {
        auto const a = static_cast<float>(alpha);
        auto const b = static_cast<float>(beta);
#if DNNL_VERSION_MAJOR >= 3
        ops_.append_eltwise(algorithm, a, b);
#else
        ops_.append_eltwise(1.0F, algorithm, a, b);
#endif
        return true;
    }

    bool hardSwish() {
#if DNNL_VERSION_MAJOR >= 3
        return eltwise(Algorithm::eltwise_hardswish, 1 / 6., 0.5);
#else
        return eltwise(Algorithm::eltwise_hardswish);
#endif
    }

    bool softRelu() {
#if DNNL_VERSION_MAJOR >= 3
        return eltwise(Algorithm::eltwise_soft_relu, 1);
#else
        return eltwise(Algorithm::eltwise_soft_relu);
#endif
    }

    bool appendUnary(PointwiseStep const& step) {
        using enum PointwiseOp;
        double const alpha = step.alpha;
        double const beta = step.beta;
        switch (step.op) {
        case Relu: return eltwise(Algorithm::eltwise_relu);
        case Sigmoid: return eltwise(Algorithm::eltwise_logistic);
        case Tanh: return eltwise(Algorithm::eltwise_tanh);
        case LeakyRelu: return eltwise(Algorithm::eltwise_relu, alpha);
        case Elu: return eltwise(Algorithm::eltwise_elu, alpha);
        case Softplus: return alpha == 1 && beta == 1 && softRelu();
        case Clip: return eltwise(Algorithm::eltwise_clip, alpha, beta);
        case HardSigmoid:
            return eltwise(Algorithm::eltwise_linear, alpha, beta) && eltwise(Algorithm::eltwise_clip, 0, 1);
        case ScaledTanh:
            return eltwise(Algorithm::eltwise_linear, beta) && eltwise(Algorithm::eltwise_tanh) &&
                   eltwise(Algorithm::eltwise_linear, alpha);
        case GeluErf: return eltwise(Algorithm::eltwise_gelu_erf);
        case GeluTanh: return eltwise(Algorithm::eltwise_gelu_tanh);
        case Mish: return eltwise(Algorithm::eltwise_mish);
        case HardSwish: return hardSwish();
        case Swish: return eltwise(Algorithm::eltwise_swish, alpha);
        case Exp: return eltwise(Algorithm::eltwise_exp);
        case Abs: return eltwise(Algorithm::eltwise_abs);
        case Sqrt: return eltwise(Algorithm::eltwise_sqrt);
        case Neg: return eltwise(Algorithm::eltwise_linear, -1);
        case Affine: return eltwise(Algorithm::eltwise_linear, alpha, beta);
        default: return false; // fitsEpilogue() lists what is above
        }
    }

    bool appendBinary(PointwiseStep const& step, int64_t operand) {
        using enum PointwiseOp;
        switch (step.op) {
        case Sum: return binary(Algorithm::binary_add, operand);
        case Prod: return binary(Algorithm::binary_mul, operand);
        case Max: return binary(Algorithm::binary_max, operand);
        case Min: return binary(Algorithm::binary_min, operand);
        case Sub: return binary(Algorithm::binary_sub, operand);
        case Div: return binary(Algorithm::binary_div, operand);
        default: return false;
        }
    }

    bool binary(Algorithm algorithm, int64_t operand) {
        auto const input = static_cast<size_t>(firstExtra_ + operand - 1);
        Dims dims = args_.inputs[input];
        int const rank = args_.outputs[0].rank();
        Dims aligned = Dims::filled(rank, 1);
        for (int axis = 0; axis < dims.rank(); ++axis) aligned[rank - dims.rank() + axis] = dims[axis];
        auto const desc = describe(aligned, args_.variant.inputs[input]);
        epilogue_.arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops_.len()) | DNNL_ARG_SRC_1,
                                       DnnlArgument::Source::Input, static_cast<int64_t>(input), desc});
        ops_.append_binary(algorithm, desc);
        return true;
    }

    PrepareArgs const& args_;
    int firstExtra_;
    DnnlEpilogue epilogue_;
    dnnl::post_ops ops_;
};

class FinishedInPlace final : public Executable {
public:
    FinishedInPlace(size_t inputs, std::unique_ptr<Executable> inner, std::unique_ptr<Executable> steps)
        : inner_(std::move(inner)), steps_(std::move(steps)), inputs_(inputs) {}

    size_t workspaceBytes() const override { return std::max(inner_->workspaceBytes(), steps_->workspaceBytes()); }

    void run(Pointers const& pointers) override {
        inner_->run(pointers);
        std::copy_n(pointers.inputs, inputs_.size(), inputs_.begin());
        inputs_[0] = pointers.outputs[0];
        steps_->run({inputs_.data(), pointers.outputs, pointers.workspace, pointers.stream});
    }

private:
    std::unique_ptr<Executable> inner_;
    std::unique_ptr<Executable> steps_;
    std::vector<void const*> inputs_;
};

} // namespace

std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<PointwiseStep const> steps,
                                            int firstExtra, std::unique_ptr<Executable> inner) {
    StepProgram program{{steps.begin(), steps.end()}, {0}, {args.outputs[0]}};
    for (size_t i = static_cast<size_t>(firstExtra); i < args.inputs.size(); ++i) {
        program.inputs.push_back(static_cast<int>(i));
        program.dims.push_back(args.inputs[i]);
    }
    Variant variant = args.variant;
    variant.inputs[0] = variant.outputs[0]; // the steps read what they write
    auto made = makeTileExecutable(program, {args.node, variant, args.inputs, args.outputs, nullptr});
    return std::make_unique<FinishedInPlace>(args.inputs.size(), std::move(inner), std::move(made));
}

Label operandLabel(Dims const& operand, Dims const& result, Label const& label) {
    return operand == result ? label : Label{label.type, Format::linear(), label.device};
}

std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<PointwiseStep const> steps,
                                         int firstExtra) {
    Builder builder(args, firstExtra);
    int const extras = std::max(0, static_cast<int>(args.inputs.size()) - firstExtra);
    for (size_t i = 0; i < steps.size(); ++i) {
        auto const operand = otherOperand(steps, i, extras);
        try {
            if (!operand || !builder.append(steps[i], *operand)) return std::nullopt;
        } catch (dnnl::error const&) { // numbers that it does not take, such as a clip whose bounds cross
            return std::nullopt;
        }
    }
    return std::move(builder).finish();
}

} // namespace tenon::cpu
