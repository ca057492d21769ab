// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/term.h"

#include "base/error.h"
#include "base/text.h"
#include "layers/activation/activation.h"
#include "layers/assertion/assertion.h"
#include "layers/cast/cast.h"
#include "layers/concatenation/concatenation.h"
#include "layers/elementwise/elementwise.h"
#include "layers/expand/expand.h"
#include "layers/fill/fill.h"
#include "layers/gather/gather.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/select/select.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/softmax/softmax.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unary/unary.h"
#include "layers/unsqueeze/unsqueeze.h"

namespace tenon::onnx {
namespace {

Literal numberOf(DataType type, double number) {
    return dispatch(type, [&]<class T>(TypeTag<T>) {
        if constexpr (std::is_integral_v<T>)
            return Literal::scalar(static_cast<T>(static_cast<int64_t>(number)));
        else
            return Literal::scalar(static_cast<T>(static_cast<float>(number)));
    });
}

Term takeBy(Gather::Mode mode, Term const& x, Term const& indices, int64_t axis) {
    Gather layer;
    layer.mode = mode;
    layer.axis = axis;
    return x.through(layer, {indices});
}

} // namespace

Term Term::constant(double number) const { return {*node_, node_->constant(numberOf(tensor_->type, number))}; }

Term input(NodeReader& node, int i) { return {node, node.input(i)}; }

Term list(NodeReader& node, std::vector<int64_t> const& numbers) {
    return {node, node.constant(Literal::of({static_cast<int64_t>(numbers.size())}, numbers))};
}

Term apply(PointwiseOp op, Term const& a) {
    Unary layer;
    layer.operation = op;
    return a.through(layer);
}

Term apply(PointwiseOp op, Term const& a, Term const& b) { return a.through(elementwise(op), {b}); }

Term swish(Term const& x, double alpha) {
    Activation layer;
    layer.operation = PointwiseOp::Swish;
    layer.alpha = alpha;
    return x.through(layer);
}

Term where(Term const& condition, Term const& a, Term const& b) { return condition.through(Select{}, {a, b}); }

Term cast(Term const& x, DataType to) {
    if (x->type == to) return x;
    Cast layer;
    layer.to = to;
    return x.through(layer);
}

Term reduce(ReduceOperation operation, Term const& x, std::vector<int64_t> axes) {
    Reduce layer;
    layer.operation = operation;
    layer.axes = std::move(axes);
    layer.keepDimensions = true;
    return x.through(layer);
}

Term total(Term const& x) { return x.through(Reduce{}); }

Term extents(Term const& x, int64_t from, int64_t to) { return x.through(ShapeOf::extents(from, to)); }

Term extent(Term const& x, int64_t axis) {
    int64_t const at = axis < 0 ? axis + x.rank() : axis;
    return x.through(ShapeOf::product(at, at + 1));
}

Term reshape(Term const& x, std::vector<int64_t> extents) { return x.through(Shuffle::reshaping(std::move(extents))); }

Term reshape(Term const& x, Term const& extents) { return x.through(Shuffle::reshapingToInput(), {extents}); }

Term transpose(Term const& x, std::vector<int64_t> permutation) {
    return x.through(Shuffle::transposing(std::move(permutation)));
}

Term unsqueeze(Term const& x, std::vector<int64_t> const& axes) {
    return x.through(Unsqueeze{}, {list(x.node(), axes)});
}

Term squeeze(Term const& x, std::vector<int64_t> const& axes) { return x.through(Squeeze{}, {list(x.node(), axes)}); }

Term concatenate(std::vector<Term> const& parts, int64_t axis) {
    return parts.front().through(Concatenation::along(axis), {parts.begin() + 1, parts.end()});
}

Term expand(Term const& x, Term const& extents) { return x.through(Expand{}, {extents}); }

Term counting(Term const& count, DataType type) {
    Fill layer;
    layer.type = type;
    return {count.node(), count.node().add(layer, {listOf(count)})};
}

Term listOf(Term const& number) { return reshape(cast(number, DataType::Int64), std::vector<int64_t>{1}); }

namespace {

void addAssertion(NodeReader& node, std::string message, std::vector<Tensor*> inputs) {
    Assertion layer;
    layer.message = std::move(message);
    node.addLayer(std::make_unique<Assertion>(std::move(layer)), std::move(inputs));
}

} // namespace

void require(Term const& condition, std::string message) {
    addAssertion(condition.node(), std::move(message), {condition});
}

void require(Term const& condition, std::string message, Term const& found) {
    addAssertion(condition.node(), std::move(message), {condition, found});
}

void requireOneForEachChannel(NodeReader& node, std::initializer_list<int> inputs) {
    Term const x = input(node, 0);
    for (int i : inputs) {
        Term const parameter = input(node, i);
        if (x.rank() < 2 || parameter.rank() < 1) continue; // there is no channel axis
        DimExpr const& found = parameter->shape[0];
        DimExpr const& channels = x->shape[1];
        if (found == channels) continue;
        if (found.isConstant() && channels.isConstant())
            fail(ErrorCode::InvalidModel, "input ", i, " '", parameter->name, "' has shape ", parameter->shape,
                 " and input 0 '", x->name, "' ", x->shape, "; expected one element for each channel");
        Term const here = extents(parameter);
        Term const there = extents(x, 1, 2);
        require(equal(here, there), text("input ", i, " has one element for each channel of input 0"),
                concatenate({here, there}, 0));
    }
}

Term slice(Term const& x, int64_t axis, int64_t from, int64_t to, int64_t stride) {
    Slice layer;
    layer.bounds = Slice::Bounds::End;
    layer.start = {from};
    layer.size = {to};
    layer.stride = {stride};
    layer.axes = {axis};
    return x.through(std::move(layer));
}

Term take(Term const& x, Term const& indices, int64_t axis) { return takeBy(Gather::Mode::Default, x, indices, axis); }

Term takeElements(Term const& x, Term const& indices, int64_t axis) {
    return takeBy(Gather::Mode::Element, x, indices, axis);
}

Term product(Term const& a, Term const& b) { return a.through(MatrixMultiply{}, {b}); }

Term logSoftmax(Term const& x, int64_t axis) {
    Softmax layer;
    layer.axis = axis;
    layer.log = true;
    return x.through(layer);
}

} // namespace tenon::onnx
