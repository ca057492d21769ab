// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/integer_sum.h"

#include "backends/cpu/quantize_loops.h"
#include "base/parallel.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024; // elements that are worth a thread

class IntegerSum final : public Executable {
public:
    IntegerSum(StepProgram const& program, PrepareArgs const& args)
        : a_(program.inputs[0]), b_(program.inputs[1]), count_(args.outputs[0].volume()) {
        Label const& a = args.variant.inputs[static_cast<size_t>(a_)];
        Label const& b = args.variant.inputs[static_cast<size_t>(b_)];
        Label const& y = args.variant.outputs[0];
        sum_ = bestLoops<QuantizeLoops>().sum[indexOf(y)][indexOf(a)][indexOf(b)];
        auto const zeroOfY = static_cast<float>(y.zero);
        of_ = {.factorOfA = a.scale / y.scale,
               .factorOfB = b.scale / y.scale,
               .shift = 0,
               .least = (y.type == DataType::Int8 ? -128.0F : 0.0F) - zeroOfY,
               .most = (y.type == DataType::Int8 ? 127.0F : 255.0F) - zeroOfY,
               .zero = y.zero};
        of_.shift = -(of_.factorOfA * static_cast<float>(a.zero) + of_.factorOfB * static_cast<float>(b.zero));
        if (program.steps.size() == 2) of_.least = std::clamp(0.0F, of_.least, of_.most);
    }

    void run(Pointers const& pointers) override {
        auto const* a = static_cast<std::byte const*>(pointers.inputs[a_]);
        auto const* b = static_cast<std::byte const*>(pointers.inputs[b_]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        parallelFor(count_, kGrain,
                    [&](int64_t begin, int64_t end) { sum_(y + begin, a + begin, b + begin, end - begin, of_); });
    }

private:
    static size_t indexOf(Label const& label) { return label.type == DataType::UInt8 ? 1 : 0; }

    int a_, b_;
    int64_t count_;
    SumOfIntegers of_{};
    void (*sum_)(void*, void const*, void const*, int64_t, SumOfIntegers const&);
};

} // namespace

bool isIntegers(Label const& label, Label const& like) {
    bool const isByte = label.type == DataType::Int8 || label.type == DataType::UInt8;
    return isByte && label.scale != 0 && label.format == like.format && label.format.block == 1;
}

std::unique_ptr<Executable> makeIntegerSum(StepProgram const& program, PrepareArgs const& args) {
    auto const& steps = program.steps;
    bool const sums = program.inputs.size() == 2 && !steps.empty() && steps.size() <= 2 &&
                      steps[0].op == PointwiseOp::Sum && steps[0].a + steps[0].b == 1;
    bool const finishes = steps.size() < 2 || (steps[1].op == PointwiseOp::Relu && steps[1].a == 2);
    if (!sums || !finishes) return nullptr;
    Label const& y = args.variant.outputs[0];
    for (size_t i = 0; i < 2; ++i) {
        Label const& x = args.variant.inputs[static_cast<size_t>(program.inputs[i])];
        if (!isIntegers(x, y) || !(program.dims[i] == args.outputs[0])) return nullptr;
    }
    return isIntegers(y, y) ? std::make_unique<IntegerSum>(program, args) : nullptr;
}

} // namespace tenon::cpu
