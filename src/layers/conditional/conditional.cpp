// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry conditionalLayer() { return entryOf<Conditional>(); }
} // namespace layers

namespace {

/// What both branches give for these operands.
struct Branches {
    std::vector<Tensor> thens;
    std::vector<Tensor> elses;
    std::vector<std::vector<Shape>>
        most; // of each branch: the shapes of its outputs, with what data decide at the bound

    Branches(Conditional const& layer, Operands const& in) {
        size_t const reads = layer.thenBody.inputs().size() + layer.elseBody.inputs().size();
        in.expectCount(static_cast<int>(1 + reads), static_cast<int>(1 + reads)).expectOneElement(0);
        if (in[0].type != DataType::Bool)
            fail(ErrorCode::InvalidArgument, "the condition, input 0, is ", in[0].type, "; expected bool (add a cast)");
        thens = outputs("its first branch", layer.thenBody, in, 1);
        elses = outputs("its second branch", layer.elseBody, in, 1 + static_cast<int>(layer.thenBody.inputs().size()));
        if (thens.size() != elses.size())
            fail(ErrorCode::InvalidModel, "its branches have ", thens.size(), " and ", elses.size(),
                 " outputs; they must have as many");
        for (size_t i = 0; i < thens.size(); ++i) expectAlike(i);
    }

private:
    std::vector<Tensor> outputs(std::string_view what, Graph body, Operands const& in, int first) {
        std::vector<Operand> operands;
        for (size_t i = 0; i < body.inputs().size(); ++i) operands.push_back(in[first + static_cast<int>(i)]);
        locate([&] { return text(what); }, [&] { inferBody(body, operands); });
        std::vector<Tensor> tensors;
        std::vector<Shape>& bounds = most.emplace_back();
        for (Tensor const* output : body.outputs()) {
            tensors.push_back(*output);
            bounds.push_back(atMost(body, output->shape));
        }
        return tensors;
    }

    void expectAlike(size_t i) const {
        if (thens[i].type == elses[i].type && thens[i].shape.size() == elses[i].shape.size()) return;
        fail(ErrorCode::Unsupported, "output ", i, " is ", thens[i].type, ' ', thens[i].shape,
             " of the first branch and ", elses[i].type, ' ', elses[i].shape,
             " of the second; a tensor has one type and one rank (add a cast, or a reshape)");
    }
};

DimExpr openExtent(Operands const& in, size_t output, size_t axis) {
    return in.unknown(text("output", output, '.', axis));
}

bool isOpen(Conditional const& layer, size_t output, size_t axis) {
    for (size_t i = 0; i < layer.openOutputs.size(); ++i) {
        if (layer.openOutputs[i] == static_cast<int64_t>(output) && layer.openAxes[i] == static_cast<int64_t>(axis))
            return true;
    }
    return false;
}

/// The shape of an output whichever branch runs. Symbols that may yet turn out to be equal are looked at again when
/// shapes are set.
Shape commonShape(Conditional const& layer, Operands const& in, Branches const& branches, size_t output) {
    Shape shape = branches.thens[output].shape;
    Shape const& other = branches.elses[output].shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        bool const differs = !(shape[axis] == other[axis]);
        if (differs && shape[axis].isConstant() && other[axis].isConstant() && !isOpen(layer, output, axis))
            fail(ErrorCode::InvalidModel, "output ", output, " is ", shape, " of the first branch and ", other,
                 " of the second, which is not said of axis ", axis);
        if (differs || isOpen(layer, output, axis)) shape[axis] = openExtent(in, output, axis);
    }
    return shape;
}

void expectOpen(Conditional const& layer, Branches const& branches) {
    bool fits = layer.openOutputs.size() == layer.openAxes.size();
    for (size_t i = 0; fits && i < layer.openOutputs.size(); ++i) {
        auto const output = static_cast<uint64_t>(layer.openOutputs[i]);
        fits = output < branches.thens.size() &&
               static_cast<uint64_t>(layer.openAxes[i]) < branches.thens[output].shape.size();
    }
    if (!fits) fail(ErrorCode::InvalidModel, "extents are said to differ that it does not have");
}

} // namespace

std::string Conditional::inputName(int input) const {
    return input == 0 ? "the condition, input 0," : Layer::inputName(input);
}

std::vector<Result> Conditional::infer(Operands const& in) const {
    Branches const branches(*this, in);
    expectOpen(*this, branches);
    std::vector<Result> results;
    for (size_t i = 0; i < branches.thens.size(); ++i)
        results.push_back({branches.thens[i].type, commonShape(*this, in, branches, i)});
    results.resize(results.size() + openOutputs.size(), {DataType::Int64, {}});
    return results;
}

std::vector<SizeTensor> Conditional::sizes(Operands const& in) const {
    if (openOutputs.empty()) return {};
    Branches const branches(*this, in);
    std::vector<SizeTensor> sizes;
    for (size_t i = 0; i < openOutputs.size(); ++i) {
        auto const output = static_cast<size_t>(openOutputs[i]);
        auto const axis = static_cast<size_t>(openAxes[i]);
        DimExpr const most = max(branches.most[0][output][axis], branches.most[1][output][axis]);
        sizes.push_back(
            {openExtent(in, output, axis).name(), static_cast<int64_t>(branches.thens.size() + i), most, most});
    }
    return sizes;
}

std::vector<BodyInputs> Conditional::bodyInputs(Operands const& in) const {
    std::vector<BodyInputs> all;
    int input = 1;
    for (Graph const* body : {&thenBody, &elseBody}) {
        BodyInputs& one = all.emplace_back();
        for (size_t i = 0; i < body->inputs().size(); ++i) {
            one.least.push_back(in[input]);
            one.from.push_back(input++);
        }
        one.most = one.least;
    }
    return all;
}

void Conditional::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    bool const isTrue = in[0].as<bool>()[0];
    Graph const& body = isTrue ? thenBody : elseBody;
    std::vector<Literal> inputs;
    for (size_t i = 0; i < body.inputs().size(); ++i)
        inputs.push_back(lent(in[1 + (isTrue ? 0 : thenBody.inputs().size()) + i]));
    auto const found = locate([&] { return text("its ", isTrue ? "first" : "second", " branch"); },
                              [&] { return runByReference(body, inputs); });
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i].bytes() > out[i].bytes())
            fail(ErrorCode::InvalidArgument, "output ", i, " has shape ", found[i].dims(), "; the most is ",
                 out[i].dims);
        if (found[i].bytes() != 0) std::memcpy(out[i].data, found[i].data(), found[i].bytes());
    }
    for (size_t i = 0; i < openOutputs.size(); ++i)
        out[found.size() + i].as<int64_t>()[0] =
            found[static_cast<size_t>(openOutputs[i])].dims()[static_cast<int>(openAxes[i])];
}

} // namespace tenon
