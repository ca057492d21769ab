// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/launch.h"
#include "backends/cuda/nvrtc.h"
#include "backends/cuda/step_kernels.h"

#include <bit>

namespace tenon::cuda {
namespace {

constexpr int kPackBytes = 16; // that a thread loads and stores at once, of the widest type

std::string_view elementName(DataType type) {
    switch (type) {
    case DataType::Float16: return "Float16";
    case DataType::BFloat16: return "BFloat16";
    case DataType::Int8: return "int8_t";
    default: return "float";
    }
}

/// Labels of a variant as a program's operands have them.
struct StepTypes {
    std::vector<Label> inputs;
    Label output;

    StepTypes(StepProgram const& program, Variant const& variant) : output(variant.outputs[0]) {
        for (int input : program.inputs) inputs.push_back(variant.inputs[static_cast<size_t>(input)]);
    }

    int packWidth() const {
        int64_t bits = bitsOf(output.type);
        for (Label const& input : inputs) bits = std::max<int64_t>(bits, bitsOf(input.type));
        return static_cast<int>(kPackBytes * 8 / bits);
    }
    /// The packs for which there are kernels.
    std::vector<int> widths() const { return {packWidth(), packWidth() / 2, 1}; }
};

std::string kernelName(int width) { return text("computePacksOf", width); }

/// A number exactly, infinities included.
std::string exactly(double value) {
    return text("__int_as_float(", std::bit_cast<int32_t>(static_cast<float>(value)), ')');
}

/// The text of a result in its stored form.
std::string storedText(Label const& y) {
    std::string const value = y.scale == 0 ? text("static_cast<Output>(y)")
                                           : text("quantize<Output>(y, ", exactly(y.scale), ", ", y.zero, ')');
    return text("    static __device__ Output stored(float y) { return ", value, "; }\n");
}

/// struct Steps: how its inputs are loaded, and its steps on the elements `x` at one index.
std::string stepsText(StepProgram const& program, StepTypes const& types) {
    size_t const inputs = types.inputs.size();
    std::string code = text("struct Steps {\n    static constexpr int kInputs = ", inputs,
                            ";\n    using Output = ", elementName(types.output.type),
                            ";\n\n    template <int width>\n    static __device__ void load("
                            "StepSpace const& space, StepPointers const& at, int64_t const* offsets,\n"
                            "                                float (&values)[width][kInputs]) {\n");
    for (size_t k = 0; k < inputs; ++k) {
        Label const& x = types.inputs[k];
        code += text("        loadInput<", elementName(x.type), ", ", k, ">(space, at, offsets[", k, "], values);\n");
        if (x.scale != 0)
            code += text("        dequantizeInput<", k, ">(values, ", exactly(x.scale), ", ", x.zero, ");\n");
    }
    code += "    }\n" + storedText(types.output);
    code += "    static __device__ float compute(float const (&x)[kInputs]) {\n";
    auto const operand = [&](int64_t number) {
        if (number < 0) return std::string("0");
        auto const i = static_cast<size_t>(number);
        return i < inputs ? text("x[", i, ']') : text('y', i - inputs);
    };
    for (size_t i = 0; i < program.steps.size(); ++i) {
        PointwiseStep const& step = program.steps[i];
        code += text("        float const y", i, " = computeStep(PointwiseOp::", step.op, ", ", operand(step.a), ", ",
                     operand(step.b), ", ", exactly(step.alpha), ", ", exactly(step.beta), ");\n");
    }
    return code + text("        return y", program.steps.size() - 1, ";\n    }\n};\n\n");
}

std::string kernelText(StepProgram const& program, StepTypes const& types) {
    std::string code = "#include \"backends/cuda/step_kernel.cuh\"\n\nusing namespace tenon;\n"
                       "using namespace tenon::cuda;\n\n";
    code += stepsText(program, types);
    for (int width : types.widths())
        code += text("extern \"C\" __global__ void ", kernelName(width),
                     "(__grid_constant__ StepSpace const space, __grid_constant__ StepPointers const at) {\n"
                     "    computePacks<Steps, ",
                     width, ">(space, at);\n}\n");
    return code;
}

/// A kernel that processes packs, at fixed shapes.
struct PackKernel {
    int width = 1;
    CUfunction kernel = nullptr;
    StepSpace space;

    void launch(StepPointers const& pointers, cudaStream_t stream) const {
        launchKernel(kernel, Launch{blocksFor(space.packs), kThreads, stream}, space, pointers);
    }
};

class RunCompiledSteps final : public Executable {
public:
    RunCompiledSteps(StepProgram const& program, PrepareArgs const& args)
        : layout_(program, args), types_(program, args.variant), inputs_(program.inputs.size()) {
        auto const bytes = args.packed->bytes.as<uint8_t>();
        std::string_view const code(reinterpret_cast<char const*>(bytes.data()), bytes.size());
        int const widest = layout_.widestPack(types_.packWidth());
        for (int width : types_.widths()) {
            if (width == 1) single_ = {1, loadKernel(code, kernelName(1)), layout_.space(1)};
            if (width <= widest && packs_.kernel == nullptr)
                packs_ = {width, loadKernel(code, kernelName(width)), layout_.space(width)};
        }
    }

    void run(Pointers const& pointers) override {
        if (single_.space.packs == 0) return;
        StepPointers const at = layout_.pointersOf(pointers);
        (isAligned(at) ? packs_ : single_).launch(at, streamOf(pointers.stream));
    }

private:
    /// Memory of the application may have any alignment.
    bool isAligned(StepPointers const& at) const {
        auto const lies = [&](void const* data, Label const& label) {
            return reinterpret_cast<uintptr_t>(data) % (bytesOf(label.type, 1) * static_cast<size_t>(packs_.width)) ==
                   0;
        };
        for (size_t k = 0; k < inputs_; ++k) {
            if (!lies(at.inputs[k], types_.inputs[k])) return false;
        }
        return lies(at.output, types_.output);
    }

    StepLayout layout_;
    StepTypes types_;
    size_t inputs_;
    PackKernel packs_;
    PackKernel single_;
};

} // namespace

Offer CompiledSteps::offer(KernelQuery const& query) const {
    constexpr double kOperations = 4; // of a step, approximately
    if (std::string why = absenceOfKernelCompiler(); !why.empty()) return Offer::refuse(std::move(why));
    Offer offer = offerSteps(programOf(query.node, query.inputs), query, kOperations);
    for (Variant& variant : offer.variants) variant.code = true;
    return offer;
}

Packed CompiledSteps::pack(PrepareArgs const& args) const {
    StepProgram const program = programOf(args.node, args.inputs);
    std::string code;
    std::string key = "no compiler"; // so that a machine with a compiler compiles it
    if (absenceOfKernelCompiler().empty()) {
        code = compileKernels(kernelText(program, StepTypes(program, args.variant)));
        key = packKey(args.variant);
    }
    return {key, Literal::copyOf(DataType::UInt8, {static_cast<int64_t>(code.size())}, code.data())};
}

std::string CompiledSteps::packKey(Variant const&) const { return codeKey(); }

std::unique_ptr<Executable> CompiledSteps::prepare(PrepareArgs const& args) const {
    if (args.packed->bytes.bytes() == 0)
        return InterpretedSteps().prepare(args); // a plan from another machine, and no compiler
    return std::make_unique<RunCompiledSteps>(programOf(args.node, args.inputs), args);
}

} // namespace tenon::cuda
