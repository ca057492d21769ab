// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "base/error.h"

namespace tenon {

namespace layers {
LayerEntry scaleLayer() { return entryOf<Scale>(); }
} // namespace layers

namespace {

constexpr std::string_view kModes[] = {"Uniform", "Channel", "Elementwise"};

} // namespace

std::span<std::string_view const> names(Scale::Mode) { return kModes; }

Shape Scale::weightShape(Shape const& x) const {
    if (mode == Mode::Uniform) return {};
    auto const axis = static_cast<size_t>(resolveAxis(channelAxis, static_cast<int>(x.size())));
    Shape shape(x.begin() + static_cast<std::ptrdiff_t>(axis), x.end());
    if (mode == Mode::Channel) std::fill(shape.begin() + 1, shape.end(), 1);
    return shape;
}

std::vector<PointwiseStep> Scale::steps(bool shift, bool scale, bool power) {
    int64_t const shiftInput = 1;
    int64_t const scaleInput = shiftInput + shift;
    int64_t const powerInput = scaleInput + scale;
    int64_t const inputs = powerInput + power;
    std::vector<PointwiseStep> steps;
    auto const add = [&](PointwiseOp op, int64_t operand) {
        int64_t const before = steps.empty() ? 0 : inputs + static_cast<int64_t>(steps.size()) - 1;
        steps.push_back({op, before, operand});
    };
    if (scale) add(PointwiseOp::Prod, scaleInput);
    if (shift) add(PointwiseOp::Sum, shiftInput);
    if (power) add(PointwiseOp::Pow, powerInput);
    if (steps.empty()) steps.push_back({PointwiseOp::Affine, 0, -1, 1, 0});
    return steps;
}

StepProgram Scale::program(Node const& node, std::span<Dims const> inputs) const {
    Dims const weights = toDims(weightShape(toShape(inputs[0])));
    StepProgram program{steps(node.input(1), node.input(2), node.input(3)), {0}, {inputs[0]}};
    for (int i = 1; i < static_cast<int>(inputs.size()); ++i) {
        if (node.input(i) == nullptr) continue;
        program.inputs.push_back(i);
        program.dims.push_back(weights);
    }
    return program;
}

// X [N…,C,…], weights [as many elements as weightShape] → Y [the shape of X]
std::vector<Result> Scale::infer(Operands const& in) const {
    in.expectCount(1, 4).expectFloat(0);
    constexpr std::string_view kWeights[] = {"", "shift", "scale", "power"};
    Shape const expected = weightShape(in[0].shape);
    for (int i = 1; i < in.count(); ++i) {
        if (!in.has(i)) continue;
        in.expectSameType(0, i);
        DimExpr const count = volume(in[i].shape);
        DimExpr const wanted = volume(expected);
        if (count.isConstant() && wanted.isConstant() && !(count == wanted))
            fail(ErrorCode::InvalidArgument, kWeights[i], " has ", count, " elements; a scale of mode ",
                 names(mode)[static_cast<size_t>(mode)], " on ", in[0].shape, " expects ", wanted);
    }
    return {{in[0].type, in[0].shape}};
}

void Scale::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<HostTensor> there;
    Dims const dims = toDims(weightShape(toShape(in[0].dims)));
    for (size_t i = 0; i < in.size(); ++i) {
        if (in[i].data != nullptr) there.push_back({in[i].type, i == 0 ? in[i].dims : dims, in[i].data});
    }
    auto const has = [&](size_t i) { return i < in.size() && in[i].data != nullptr; };
    computeSteps(steps(has(1), has(2), has(3)), there, out[0]);
}

std::optional<WeightsRole> Scale::weightsRole(int input) const {
    if (input == 1) return WeightsRole::Shift;
    return input == 2 ? std::optional(WeightsRole::Scale) : std::nullopt;
}

} // namespace tenon
