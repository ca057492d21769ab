// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "base/error.h"
#include "layers/put_in_place.h"

#include <algorithm>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry conditionalLayer() { return entryOf<Conditional>(); }
} // namespace layers

namespace {

/// The outputs of a branch, and their shapes with data-dependent extents at the bound.
struct Branch {
    std::vector<Tensor> gives;
    std::vector<Shape> most;
};

/// Floats that determine shapes, such as the scales of a resize, are not among the values that shape rules follow: they
/// are replaced by constants.
void placeFloats(Graph& body, std::span<Operand const> operands) {
    constexpr int64_t kMost = 64; // no shape depends on a longer list
    std::vector<Tensor*> const inputs = body.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
        Literal const* const literal = operands[i].literal;
        if (literal && isFloat(literal->type()) && literal->dims().volume() <= kMost)
            putInPlace(body, inputs[i], *literal);
    }
}

/// The outputs of both branches for these operands. A branch that never runs, or cannot run, has those of the other
/// one.
struct Branches {
    Branch thens;
    Branch elses;
    std::optional<bool> taken; // if the condition is known

    Branches(Conditional const& layer, Operands const& in) {
        size_t const reads = layer.thenBody.inputs().size() + layer.elseBody.inputs().size();
        in.expectCount(static_cast<int>(1 + reads), static_cast<int>(1 + reads)).expectOneElement(0);
        if (in[0].type != DataType::Bool)
            fail(ErrorCode::InvalidArgument, "the condition, input 0, is ", in[0].type, "; expected bool (add a cast)");
        auto const known = knownNumber(in[0]);
        if (known && known->isConstant()) taken = known->constant() != 0;
        lookAt(layer, in);
        if (count() != elses.gives.size())
            fail(ErrorCode::InvalidModel, "its branches have ", count(), " and ", elses.gives.size(),
                 " outputs; expected the same number");
        for (size_t i = 0; i < count(); ++i) {
            if (thens.gives[i].type != elses.gives[i].type) failForKinds(i);
        }
    }

    size_t count() const { return thens.gives.size(); }
    bool hasOneRank(size_t i) const { return thens.gives[i].shape.size() == elses.gives[i].shape.size(); }
    [[noreturn]] void failForKinds(size_t i) const {
        bool const isRank = thens.gives[i].type == elses.gives[i].type;
        fail(ErrorCode::Unsupported, "output ", i, " is ", thens.gives[i].type, ' ', thens.gives[i].shape,
             " of the first branch and ", elses.gives[i].type, ' ', elses.gives[i].shape, " of the second",
             isRank ? ", and either may run; expected the same rank: reshape one, or build with profiles whose "
                      "shapes determine the condition"
                    : "; expected the same type (add a cast)");
    }

private:
    void lookAt(Conditional const& layer, Operands const& in) {
        std::vector<std::string> errors;
        int const second = 1 + static_cast<int>(layer.thenBody.inputs().size());
        auto first = taken == false ? std::nullopt : branch("its first branch", layer.thenBody, in, 1, errors);
        auto other = taken == true ? std::nullopt : branch("its second branch", layer.elseBody, in, second, errors);
        if (!first && !other)
            fail(ErrorCode::InvalidArgument,
                 taken ? "" : "neither branch can run with these shapes: ", joined(errors, "; "));
        thens = first ? *first : *other;
        elses = other ? std::move(*other) : thens;
    }

    /// nullopt if it cannot run with these shapes.
    static std::optional<Branch> branch(std::string_view what, Graph body, Operands const& in, int first,
                                        std::vector<std::string>& errors) {
        std::vector<Operand> operands;
        for (size_t i = 0; i < body.inputs().size(); ++i) operands.push_back(in[first + static_cast<int>(i)]);
        placeFloats(body, operands);
        try {
            locate([&] { return text(what); }, [&] { inferBody(body, operands); });
        } catch (Error const& error) {
            errors.emplace_back(error.what());
            return std::nullopt;
        }
        Branch made;
        for (Tensor const* output : body.outputs()) {
            made.gives.push_back(*output);
            made.most.push_back(atMost(body, output->shape));
        }
        return made;
    }
};

DimExpr openExtent(Operands const& in, size_t output, size_t axis) {
    return in.unknown(text("output", output, '.', axis));
}

/// 1 if the first branch runs, else 0.
DimExpr conditionOf(Operands const& in) { return knownNumber(in[0]).value_or(in.unknown("condition")); }

/// An extent that is one or the other, by the condition. Its bounds are those of the larger one.
DimExpr either(Operands const& in, DimExpr const& thens, DimExpr const& elses) {
    DimExpr const condition = conditionOf(in);
    return max(condition * thens, (1 - condition) * elses);
}

bool isOpen(Conditional const& layer, size_t output, size_t axis) {
    for (size_t i = 0; i < layer.openOutputs.size(); ++i) {
        if (layer.openOutputs[i] == static_cast<int64_t>(output) && layer.openAxes[i] == static_cast<int64_t>(axis))
            return true;
    }
    return false;
}

/// The shape of an output whichever branch runs. Symbols that may turn out to be equal are compared again when shapes
/// are set.
Shape commonShape(Conditional const& layer, Operands const& in, Branches const& branches, size_t output) {
    Shape shape = branches.thens.gives[output].shape;
    Shape const& other = branches.elses.gives[output].shape;
    if (!branches.hasOneRank(output)) { // expectOneRank() rejects that before shapes are used
        if (other.size() < shape.size()) shape = other;
        for (size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = openExtent(in, output, axis);
        return shape;
    }
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        bool const differs = !(shape[axis] == other[axis]);
        bool const mayDiffer = isOpen(layer, output, axis);
        if (differs && shape[axis].isConstant() && other[axis].isConstant() && !mayDiffer)
            fail(ErrorCode::InvalidModel, "output ", output, " is ", shape, " of the first branch and ", other,
                 " of the second, but these differ at the fixed axis ", axis);
        if (!differs && !mayDiffer) continue;
        bool const isInside = isDecidedInside(shape[axis], in) || isDecidedInside(other[axis], in);
        if (isInside || (!branches.taken && !layer.atShapes))
            shape[axis] = openExtent(in, output, axis);
        else if (!branches.taken)
            shape[axis] = either(in, shape[axis], other[axis]);
    }
    return shape;
}

void expectOpen(Conditional const& layer, Branches const& branches) {
    bool fits = layer.openOutputs.size() == layer.openAxes.size();
    for (size_t i = 0; fits && i < layer.openOutputs.size(); ++i) {
        auto const output = static_cast<uint64_t>(layer.openOutputs[i]);
        fits = output < branches.count() &&
               static_cast<uint64_t>(layer.openAxes[i]) < branches.thens.gives[output].shape.size();
    }
    if (!fits) fail(ErrorCode::InvalidModel, "its list of open extents names outputs or axes that do not exist");
}

} // namespace

Conditional Conditional::of(Graph thens, Graph elses) {
    Conditional made;
    for (size_t i = 0; i < std::min(thens.outputs().size(), elses.outputs().size()); ++i) {
        Shape const& a = thens.outputs()[i]->shape;
        Shape const& b = elses.outputs()[i]->shape;
        for (size_t axis = 0; axis < std::min(a.size(), b.size()); ++axis) {
            if (a[axis] == b[axis]) continue;
            made.openOutputs.push_back(static_cast<int64_t>(i));
            made.openAxes.push_back(static_cast<int64_t>(axis));
        }
    }
    made.thenBody = std::move(thens);
    made.elseBody = std::move(elses);
    return made;
}

std::string Conditional::inputName(int input) const {
    return input == 0 ? "the condition, input 0," : Layer::inputName(input);
}

std::vector<Result> Conditional::infer(Operands const& in) const {
    Branches const branches(*this, in);
    expectOpen(*this, branches);
    std::vector<Result> results;
    for (size_t i = 0; i < branches.count(); ++i)
        results.push_back({branches.thens.gives[i].type, commonShape(*this, in, branches, i)});
    if (!atShapes) results.resize(results.size() + openOutputs.size(), {DataType::Int64, {}});
    return results;
}

std::string Conditional::conditionSymbol(Operands const& in) const {
    bool const isNamed = atShapes && !openOutputs.empty() && !knownNumber(in[0]);
    return isNamed ? conditionOf(in).name() : std::string();
}

bool Conditional::isDecidedByData(Operands const& in) const {
    Branches const branches(*this, in);
    auto const decides = [&](Branch const& branch) {
        auto const isOpen = [&](DimExpr const& extent) { return isDecidedInside(extent, in); };
        return std::ranges::any_of(branch.gives,
                                   [&](Tensor const& one) { return std::ranges::any_of(one.shape, isOpen); });
    };
    return decides(branches.thens) || decides(branches.elses);
}

void Conditional::expectOneRank(Operands const& in) const {
    Branches const branches(*this, in);
    for (size_t i = 0; i < branches.count(); ++i) {
        if (!branches.hasOneRank(i)) branches.failForKinds(i);
    }
}

std::vector<SizeTensor> Conditional::sizes(Operands const& in) const {
    if (openOutputs.empty() || atShapes) return {};
    Branches const branches(*this, in);
    std::vector<SizeTensor> sizes;
    for (size_t i = 0; i < openOutputs.size(); ++i) {
        auto const output = static_cast<size_t>(openOutputs[i]);
        auto const axis = static_cast<size_t>(openAxes[i]);
        DimExpr const most = max(branches.thens.most[output][axis], branches.elses.most[output][axis]);
        sizes.push_back({openExtent(in, output, axis).name(), static_cast<int64_t>(branches.count() + i), most, most});
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
        if (found[i].bytes() > out[i].bytes() || found[i].dims().rank() != out[i].dims.rank())
            fail(ErrorCode::InvalidArgument, "output ", i, " has shape ", found[i].dims(), "; expected at most ",
                 out[i].dims);
        if (found[i].bytes() != 0) std::memcpy(out[i].data, found[i].data(), found[i].bytes());
    }
    for (size_t i = 0; i < openOutputs.size() && !atShapes; ++i)
        out[found.size() + i].as<int64_t>()[0] =
            found[static_cast<size_t>(openOutputs[i])].dims()[static_cast<int>(openAxes[i])];
}

} // namespace tenon
