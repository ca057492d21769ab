// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/reduce/reduce.h"
#include "onnx/importer.h"
#include "steps/pointwise_op.h"

namespace tenon::onnx {

/// A tensor as a term of a formula. Operators and the functions below add layers to the graph of the node, so the
/// importer of a composed operator reads like its definition:
///
///     Term const x = input(node, 0);
///     Term const centered = x - mean(x, axes);
///     return {centered / sqrt(mean(centered * centered, axes))};
///
/// Terms broadcast as in numpy and must have the same type; a number gets the type of the term beside it. Refers to the
/// node's reader, so it does not outlive the importer's call.
class Term {
public:
    Term(NodeReader& node, Tensor* tensor) : node_(&node), tensor_(tensor) {}

    operator Tensor*() const { return tensor_; }
    Tensor* operator->() const { return tensor_; } // its type, shape, values
    NodeReader& node() const { return *node_; }
    int rank() const { return static_cast<int>(tensor_->shape.size()); }

    /// A number as a constant of this term's type.
    Term constant(double number) const;
    /// The result of a layer on this term, followed by others.
    template <class T> Term through(T layer, std::vector<Tensor*> others = {}) const {
        others.insert(others.begin(), tensor_);
        return {*node_, node_->add(std::move(layer), std::move(others))};
    }

private:
    NodeReader* node_;
    Tensor* tensor_;
};

/// An input of the node.
Term input(NodeReader& node, int i);
/// int64 numbers [n], as axes and shapes are given.
Term list(NodeReader& node, std::vector<int64_t> const& numbers);

Term apply(PointwiseOp op, Term const& a); // of one operand
Term apply(PointwiseOp op, Term const& a, Term const& b);

inline Term operator+(Term const& a, Term const& b) { return apply(PointwiseOp::Sum, a, b); }
inline Term operator-(Term const& a, Term const& b) { return apply(PointwiseOp::Sub, a, b); }
inline Term operator*(Term const& a, Term const& b) { return apply(PointwiseOp::Prod, a, b); }
inline Term operator/(Term const& a, Term const& b) { return apply(PointwiseOp::Div, a, b); }
inline Term operator<(Term const& a, Term const& b) { return apply(PointwiseOp::Less, a, b); }
inline Term operator>(Term const& a, Term const& b) { return apply(PointwiseOp::Greater, a, b); }
inline Term operator+(Term const& a, double b) { return a + a.constant(b); }
inline Term operator-(Term const& a, double b) { return a - a.constant(b); }
inline Term operator*(Term const& a, double b) { return a * a.constant(b); }
inline Term operator/(Term const& a, double b) { return a / a.constant(b); }
inline Term operator<(Term const& a, double b) { return a < a.constant(b); }
inline Term operator>(Term const& a, double b) { return a > a.constant(b); }
inline Term operator+(double a, Term const& b) { return b.constant(a) + b; }
inline Term operator-(double a, Term const& b) { return b.constant(a) - b; }
inline Term operator*(double a, Term const& b) { return b.constant(a) * b; }
inline Term operator/(double a, Term const& b) { return b.constant(a) / b; }
inline Term operator-(Term const& a) { return apply(PointwiseOp::Neg, a); }
inline Term equal(Term const& a, Term const& b) { return apply(PointwiseOp::Equal, a, b); }
inline Term equal(Term const& a, double b) { return equal(a, a.constant(b)); }
inline Term floorDiv(Term const& a, double b) { return apply(PointwiseOp::FloorDiv, a, a.constant(b)); }
inline Term max(Term const& a, Term const& b) { return apply(PointwiseOp::Max, a, b); }
inline Term min(Term const& a, Term const& b) { return apply(PointwiseOp::Min, a, b); }
inline Term exp(Term const& a) { return apply(PointwiseOp::Exp, a); }
inline Term log(Term const& a) { return apply(PointwiseOp::Log, a); }
inline Term sqrt(Term const& a) { return apply(PointwiseOp::Sqrt, a); }
inline Term sin(Term const& a) { return apply(PointwiseOp::Sin, a); }
inline Term cos(Term const& a) { return apply(PointwiseOp::Cos, a); }
inline Term floor(Term const& a) { return apply(PointwiseOp::Floor, a); }
/// x / (1 + exp(-alpha · x))
Term swish(Term const& x, double alpha = 1);
/// condition ? a : b
Term where(Term const& condition, Term const& a, Term const& b);
Term cast(Term const& x, DataType to); // x itself if it has the type

/// Along axes, which are kept with extent 1; all axes if `axes` is empty.
Term reduce(ReduceOperation operation, Term const& x, std::vector<int64_t> axes);
inline Term sum(Term const& x, std::vector<int64_t> axes) { return reduce(ReduceOperation::Sum, x, std::move(axes)); }
inline Term mean(Term const& x, std::vector<int64_t> axes) { return reduce(ReduceOperation::Avg, x, std::move(axes)); }
/// Of all elements: a scalar.
Term total(Term const& x);

/// The extents of axes [from, to), as a list; negative: counted from the end.
Term extents(Term const& x, int64_t from = 0, int64_t to = INT64_MAX);
/// That of one axis, a scalar.
Term extent(Term const& x, int64_t axis);
Term reshape(Term const& x, std::vector<int64_t> extents); // 0: unchanged; -1: inferred
Term reshape(Term const& x, Term const& extents);          // a list; 0 is 0, -1 is inferred
Term transpose(Term const& x, std::vector<int64_t> permutation);
Term unsqueeze(Term const& x, std::vector<int64_t> const& axes);
Term squeeze(Term const& x, std::vector<int64_t> const& axes);
Term concatenate(std::vector<Term> const& parts, int64_t axis);
Term expand(Term const& x, Term const& extents);
/// 0, 1, 2, … of this type; `count`, one integer, is their number.
Term counting(Term const& count, DataType type);
/// One integer as a list, int64 [1].
Term listOf(Term const& number);
/// An Error with this message if an element of the condition is false: when the model is read if it is known then, else
/// in the run. The message says what must hold, and what to do.
void require(Term const& condition, std::string message);
/// The same. The message ends with the integers of a shape tensor, as the values found.
void require(Term const& condition, std::string message, Term const& found);
/// require() for a list of the node's inputs [C] that are parameters of the channels of its input 0 [N,C,…]: a single
/// element would be broadcast to all channels.
void requireOneForEachChannel(NodeReader& node, std::initializer_list<int> inputs);
/// Elements [from, to) of an axis, `stride` apart, as in Python.
Term slice(Term const& x, int64_t axis, int64_t from, int64_t to = INT64_MAX, int64_t stride = 1);
/// X[…, indices, …] at an axis.
Term take(Term const& x, Term const& indices, int64_t axis);
/// Y[o,i,j] = X[o, indices[o,i,j], j] at an axis.
Term takeElements(Term const& x, Term const& indices, int64_t axis);
Term product(Term const& a, Term const& b); // of matrices, in the last two axes
Term logSoftmax(Term const& x, int64_t axis);

} // namespace tenon::onnx
