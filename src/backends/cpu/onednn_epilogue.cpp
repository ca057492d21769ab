// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn_epilogue.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/tile_program.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace tenon::cpu {
namespace {

using Algorithm = dnnl::algorithm;

/// One eltwise post-op: scale * algorithm(x).
struct Eltwise {
    Algorithm algorithm;
    float alpha = 0;
    float beta = 0;
    float scale = 1; // oneDNN 3 has no scale
    bool operator==(Eltwise const&) const = default;
};

std::vector<Eltwise> scaledTanh(float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
    return {{Algorithm::eltwise_linear, beta}, {Algorithm::eltwise_tanh}, {Algorithm::eltwise_linear, alpha}};
#else
    return {{Algorithm::eltwise_linear, beta}, {Algorithm::eltwise_tanh, 0, 0, alpha}};
#endif
}

#if DNNL_VERSION_MAJOR >= 3
constexpr Eltwise kHardSwish{Algorithm::eltwise_hardswish, 1 / 6.0F, 0.5F};
constexpr Eltwise kSoftRelu{Algorithm::eltwise_soft_relu, 1};
#else
constexpr Eltwise kHardSwish{Algorithm::eltwise_hardswish};
constexpr Eltwise kSoftRelu{Algorithm::eltwise_soft_relu};
#endif

/// The post-ops that compute a step of one operand, in order; nullopt if oneDNN has none for it.
std::vector<Eltwise> eltwisesOf(EpilogueStep const& step) {
    using enum PointwiseOp;
    auto const alpha = static_cast<float>(step.alpha);
    auto const beta = static_cast<float>(step.beta);
    switch (step.op) {
    case Relu: return {{Algorithm::eltwise_relu}};
    case Sigmoid: return {{Algorithm::eltwise_logistic}};
    case Tanh: return {{Algorithm::eltwise_tanh}};
    case LeakyRelu: return {{Algorithm::eltwise_relu, alpha}};
    case Elu: return {{Algorithm::eltwise_elu, alpha}};
    case Softplus: return alpha == 1 && beta == 1 ? std::vector{kSoftRelu} : std::vector<Eltwise>{};
    case Clip: return {{Algorithm::eltwise_clip, alpha, beta}};
    case HardSigmoid: return {{Algorithm::eltwise_linear, alpha, beta}, {Algorithm::eltwise_clip, 0, 1}};
    case ScaledTanh: return scaledTanh(alpha, beta);
    case GeluErf: return {{Algorithm::eltwise_gelu_erf}};
    case GeluTanh: return {{Algorithm::eltwise_gelu_tanh}};
    case Mish: return {{Algorithm::eltwise_mish}};
    case HardSwish: return {kHardSwish};
    case Swish: return {{Algorithm::eltwise_swish, alpha}};
    case Exp: return {{Algorithm::eltwise_exp}};
    case Abs: return {{Algorithm::eltwise_abs}};
    case Sqrt: return {{Algorithm::eltwise_sqrt}};
    case Neg: return {{Algorithm::eltwise_linear, -1}};
    case Affine: return {{Algorithm::eltwise_linear, alpha, beta}};
    default: return {};
    }
}

std::optional<Algorithm> binaryOf(PointwiseOp op) {
    using enum PointwiseOp;
    switch (op) {
    case Sum: return Algorithm::binary_add;
    case Prod: return Algorithm::binary_mul;
    case Max: return Algorithm::binary_max;
    case Min: return Algorithm::binary_min;
    case Sub: return Algorithm::binary_sub;
    case Div: return Algorithm::binary_div;
    default: return std::nullopt;
    }
}

/// Before 3.1 oneDNN caches the code of eltwise post-ops by algorithm: a second one of the same algorithm is computed
/// with the parameters of the first.
bool oneComputesTheOther(Eltwise const& a, Eltwise const& b) {
    static bool const byAlgorithm =
        dnnl_version()->major < 3 || (dnnl_version()->major == 3 && dnnl_version()->minor < 1);
    return byAlgorithm && a.algorithm == b.algorithm && !(a == b);
}

/// [1,…,1,extents of the operand], of the result's rank.
Dims aligned(Dims const& operand, Dims const& result) {
    Dims dims = Dims::filled(result.rank(), 1);
    for (int axis = 0; axis < operand.rank(); ++axis) dims[result.rank() - operand.rank() + axis] = operand[axis];
    return dims;
}

class Builder {
public:
    explicit Builder(PrepareArgs const& args) : args_(args) {}

    bool append(EpilogueStep const& step) {
        bool const appended = step.input < 0 ? appendUnary(step) : appendBinary(step);
        epilogue_.steps += appended ? 1 : 0;
        return appended;
    }

    /// The same for real values that are divided by `unit` on the way; an integer operand is read unscaled.
    bool append(EpilogueStep step, float unit) {
        if (step.op == PointwiseOp::Clip) {
            step.alpha /= double{unit};
            step.beta /= double{unit};
        }
        return append(step);
    }

    /// x = op(x, numbers), one per index of `axis` or one for all.
    void appendNumbers(Algorithm algorithm, int axis, std::vector<float> const& numbers) {
        Dims dims = Dims::filled(std::max(args_.outputs[0].rank(), 1), 1);
        if (numbers.size() != 1) dims[axis] = static_cast<int64_t>(numbers.size());
        auto const desc = describe(dims, {DataType::Float32, {}, Device::Cpu});
        int const argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops_.len()) | DNNL_ARG_SRC_1;
        ops_.append_binary(algorithm, desc);
        epilogue_.constants.push_back({argument, desc, Literal::of(dims, numbers)});
    }

    /// x = factor * x + number. Only the last step may be eltwise, which is faster: elsewhere it would exclude later
    /// ones.
    void appendLinear(float factor, float number, bool isLast) {
        if (factor == 1 && number == 0) return;
        if (isLast && appendEltwises({{Algorithm::eltwise_linear, factor, number}})) return;
        if (factor != 1) appendNumbers(Algorithm::binary_mul, 0, {factor});
        if (number != 0) appendNumbers(Algorithm::binary_add, 0, {number});
    }

    /// Multiplies the sums, before all other steps; one factor per channel or one for all.
    void multiplySums(std::vector<float> const& factors, IntegerSums const& sums) {
#if DNNL_VERSION_MAJOR >= 3
        epilogue_.attributes.set_scales_mask(DNNL_ARG_WEIGHTS, factors.size() == 1 ? 0 : sums.channelsOfWeights);
        epilogue_.constants.push_back(constantOf(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, factors));
#else
        epilogue_.attributes.set_output_scales(factors.size() == 1 ? 0 : 1 << sums.channelAxis, factors);
#endif
    }

    /// Adds to the sums that are multiplied by these factors.
    void addBias(std::vector<float> const& bias, [[maybe_unused]] std::vector<float> const& factors,
                 IntegerSums const& sums) {
        std::vector<float> own = bias;
#if DNNL_VERSION_MAJOR < 3 // adds it before it multiplies
        for (size_t i = 0; i < own.size(); ++i) own[i] /= factors[factors.size() == 1 ? 0 : i];
#endif
        if (!std::ranges::all_of(own, [](float number) { return std::isfinite(number); }))
            return appendNumbers(Algorithm::binary_add, sums.channelAxis, bias);
        epilogue_.hasBias = true;
        epilogue_.constants.push_back(constantOf(DNNL_ARG_BIAS, own));
    }

    void subtractFromX(int32_t zero) {
        if (zero == 0) return;
#if DNNL_VERSION_MAJOR >= 3
        epilogue_.attributes.set_zero_points_mask(DNNL_ARG_SRC, 0);
        dnnl::memory::desc const desc({1}, dnnl::memory::data_type::s32, dnnl::memory::format_tag::a);
        epilogue_.constants.push_back(
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, desc, Literal::of<int32_t>({1}, {zero})});
#else
        epilogue_.attributes.set_zero_points(DNNL_ARG_SRC, 0, {zero});
#endif
    }

    DnnlEpilogue finish() && {
        epilogue_.attributes.set_post_ops(ops_);
        return std::move(epilogue_);
    }

private:
    static DnnlConstant constantOf(int argument, std::vector<float> const& numbers) {
        auto const count = static_cast<int64_t>(numbers.size());
        return {argument, listOf(count), Literal::of({count}, numbers)};
    }

    bool appendUnary(EpilogueStep const& step) { return appendEltwises(eltwisesOf(step)); }

    bool appendEltwises(std::vector<Eltwise> const& added) {
        size_t const before = eltwises_.size();
        for (Eltwise const& one : added) {
            if (std::ranges::any_of(eltwises_, [&](auto const& other) { return oneComputesTheOther(one, other); })) {
                eltwises_.resize(before, one);
                return false;
            }
            eltwises_.push_back(one);
        }
        for (Eltwise const& one : added) append(one);
        return !added.empty();
    }

    void append(Eltwise const& one) {
#if DNNL_VERSION_MAJOR >= 3
        ops_.append_eltwise(one.algorithm, one.alpha, one.beta);
#else
        ops_.append_eltwise(one.scale, one.algorithm, one.alpha, one.beta);
#endif
    }

    bool appendBinary(EpilogueStep const& step) {
        auto const algorithm = binaryOf(step.op);
        if (!algorithm) return false;
        auto const input = static_cast<size_t>(step.input);
        auto const desc = describe(aligned(args_.inputs[input], args_.outputs[0]), args_.variant.inputs[input]);
        int const argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops_.len()) | DNNL_ARG_SRC_1;
        ops_.append_binary(*algorithm, desc);
        epilogue_.arguments.push_back({argument, DnnlArgument::Source::Input, step.input, desc});
        return true;
    }

    PrepareArgs const& args_;
    DnnlEpilogue epilogue_;
    dnnl::post_ops ops_;
    std::vector<Eltwise> eltwises_; // among them
};

/// Whether oneDNN accepts the parameters of a step: not those of a clip whose bounds cross, for example.
bool takes(Builder& builder, EpilogueStep const& step, float unit = 1) {
    try {
        return builder.append(step, unit);
    } catch (dnnl::error const&) {
        return false;
    }
}

/// The post-ops after sums of integers. Between them, values are real value / unit, and the unit changes as rarely as
/// possible: an integer operand is added in its own unit, and the last unit is that of the output.
class IntegerChain {
public:
    IntegerChain(PrepareArgs const& args, std::span<EpilogueStep const> steps, IntegerSums const& sums)
        : args_(args), steps_(steps), sums_(sums), builder_(args) {}

    std::optional<DnnlEpilogue> build() && {
        builder_.subtractFromX(sums_.zeroOfX);
        unit_ = outputUnit();
        for (EpilogueStep const& step : steps_ | std::views::reverse) unit_ = unitFor(step).value_or(unit_);
        appendReal();
        size_t done = 0;
        while (done < steps_.size() && take(steps_[done])) ++done;
        Label const& y = args_.variant.outputs[0];
        bool const isWhole = done == steps_.size();
        if (!isWhole && (y.scale != 0 || readsIntegers(steps_.subspan(done)))) return std::nullopt;
        builder_.appendLinear(unit_ / (isWhole ? outputUnit() : 1), static_cast<float>(y.zero), true);
        return std::move(builder_).finish();
    }

private:
    float outputUnit() const {
        float const scale = args_.variant.outputs[0].scale;
        return scale == 0 ? 1 : scale;
    }

    Label const& labelOf(EpilogueStep const& step) const {
        return args_.variant.inputs[static_cast<size_t>(step.input)];
    }
    bool readsInteger(EpilogueStep const& step) const { return step.input >= 0 && labelOf(step).scale != 0; }
    bool readsIntegers(std::span<EpilogueStep const> steps) const {
        return std::ranges::any_of(steps, [&](EpilogueStep const& step) { return readsInteger(step); });
    }

    /// The unit that a step requires; nullopt if any will do.
    std::optional<float> unitFor(EpilogueStep const& step) const {
        using enum PointwiseOp;
        if (readsInteger(step)) return labelOf(step).scale;
        bool const takesAny = step.op == Relu || step.op == LeakyRelu || step.op == Abs || step.op == Neg ||
                              step.op == Clip || step.op == Prod || step.op == Div;
        return takesAny ? std::nullopt : std::optional(1.0F);
    }

    /// The factors and the bias, both divided by the first unit: oneDNN's own arguments, since as post-ops they take as
    /// long as short products.
    void appendReal() {
        auto const divided = [&](std::vector<float> numbers) {
            for (float& number : numbers) number /= unit_;
            return numbers;
        };
        auto const factors = divided(sums_.factors);
        builder_.multiplySums(factors, sums_);
        if (!sums_.bias.empty()) builder_.addBias(divided(sums_.bias), factors, sums_);
    }

    bool take(EpilogueStep const& step) {
        bool const isInteger = readsInteger(step);
        bool const adds = step.op == PointwiseOp::Sum || step.op == PointwiseOp::Sub;
        if (isInteger && !adds) return false;
        auto const zero = isInteger ? static_cast<float>(labelOf(step).zero) : 0.0F;
        float const unit = unitFor(step).value_or(unit_);
        builder_.appendLinear(unit_ / unit, step.op == PointwiseOp::Sum ? -zero : zero, false);
        unit_ = unit;
        return takes(builder_, step, unit_);
    }

    PrepareArgs const& args_;
    std::span<EpilogueStep const> steps_;
    IntegerSums const& sums_;
    Builder builder_;
    float unit_ = 1;
};

/// Whether loops that process a result in place can read an operand: it is stored like the result, or in the result's
/// order, or has one value per channel or one in all. Operands without padding to a block would be read past their end.
bool isReadInPlace(Dims const& operand, Format const& operandFormat, Dims const& result, Format const& format) {
    if (format.isLinear() || operand.volume() == 1) return true;
    if (operand == result && operandFormat == format) return true;
    Dims const dims = aligned(operand, result);
    return dims.volume() == dims[format.axis] && result[format.axis] % format.block == 0;
}

/// The steps from `done` on, as a program whose operand 0 is the output of the previous ones.
StepProgram remaining(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done) {
    StepProgram program = programOf(steps.subspan(done), args.inputs, args.outputs[0]);
    for (Dims& dims : program.dims) dims = aligned(dims, args.outputs[0]);
    return program;
}

bool finishesInPlace(PrepareArgs const& args, StepProgram const& program) {
    Label const& result = args.variant.outputs[0];
    for (size_t i = 1; i < program.inputs.size(); ++i) {
        Format const& format = args.variant.inputs[static_cast<size_t>(program.inputs[i])].format;
        if (!isReadInPlace(program.dims[i], format, args.outputs[0], result.format)) return false;
    }
    return fitsTiles(program);
}

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

bool finishesInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done) {
    return done == steps.size() || finishesInPlace(args, remaining(args, steps, done));
}

std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done,
                                            std::unique_ptr<Executable> inner) {
    if (done == steps.size()) return inner;
    Variant variant = args.variant;
    variant.inputs[0] = variant.outputs[0]; // the steps run in place
    auto made =
        makeTileExecutable(remaining(args, steps, done), {args.node, variant, args.inputs, args.outputs, nullptr});
    return std::make_unique<FinishedInPlace>(args.inputs.size(), std::move(inner), std::move(made));
}

DnnlStep stepOf(DnnlProduct const& made, DnnlProgram& program) {
    using Source = DnnlArgument::Source;
    dnnl::primitive_desc const& description = made.description;
    DnnlStep step{makePrimitive(description), made.epilogue.arguments};
    for (DnnlConstant const& constant : made.epilogue.constants) step.arguments.push_back(program.own(constant));
    step.arguments.push_back({DNNL_ARG_SRC, Source::Input, 0, description.query_md(dnnl::query::src_md, 0)});
    step.arguments.push_back({DNNL_ARG_DST, Source::Output, 0, description.query_md(dnnl::query::dst_md, 0)});
    return step;
}

std::unique_ptr<Executable> prepareProduct(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                           DnnlProduct const& made, std::span<DnnlWanted const> weights) {
    DnnlProgram program(args.packed);
    DnnlStep step = stepOf(made, program);
    for (DnnlWanted const& wanted : weights) step.arguments.push_back(program.reordered(wanted.from, wanted.desc));
    step.arguments.push_back(program.scratchpad(made.description.scratchpad_desc()));
    program.add(std::move(step));
    return finishedInPlace(args, steps, made.epilogue.steps, std::move(program).finish());
}

double finishingCost(PrepareArgs const& args, size_t stepsLeft) {
    if (stepsLeft == 0) return 0;
    return 300 + memoryCost(2 * static_cast<double>(bytesOf(args.outputs[0], args.variant.outputs[0])));
}

std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t most) {
    Builder builder(args);
    for (size_t i = 0; i < std::min(most, steps.size()); ++i) {
        if (!takes(builder, steps[i])) break;
    }
    DnnlEpilogue epilogue = std::move(builder).finish();
    if (!finishesInPlace(args, steps, epilogue.steps)) return std::nullopt;
    return epilogue;
}

Label operandLabel(KernelQuery const& query, size_t input, Label const& result, bool wantsIntegers) {
    Tensor const& operand = *query.node.inputs()[input];
    bool const isWhole = operand.shape == query.node.output()->shape;
    if (wantsIntegers && isWhole && query.mayBeInt8(operand))
        return Label::of(operand.quantum, result.format, result.device);
    return operandLabel(query.node, input, {DataType::Float32, result.format, result.device});
}

bool readsIntegers(Variant const& variant, size_t first) {
    auto const rest = std::span(variant.inputs).subspan(std::min(first, variant.inputs.size()));
    return std::ranges::any_of(rest, [](Label const& label) { return label.scale != 0; });
}

std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         IntegerSums const& sums) {
    auto epilogue = IntegerChain(args, steps, sums).build();
    if (epilogue && !finishesInPlace(args, steps, epilogue->steps)) return std::nullopt;
    return epilogue;
}

} // namespace tenon::cpu
