// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/elementwise/elementwise.h"
#include "layers/expand/expand.h"
#include "layers/scatter/scatter.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "onnx/reshapes.h"

namespace tenon::onnx {
namespace {

/// A list of one value per spatial axis, after others for N and C.
std::vector<int64_t> forAllAxes(std::vector<int64_t> const& spatial, int64_t others) {
    std::vector<int64_t> all{others, others};
    all.insert(all.end(), spatial.begin(), spatial.end());
    return all;
}

void expectLength(std::string_view what, std::vector<int64_t> const& numbers, size_t expected) {
    if (numbers.size() != expected)
        fail(ErrorCode::InvalidModel, what, " has ", numbers.size(), " numbers; expected ", expected);
}

/// The shape before pooling: (d - 1) · stride + kernel - pads along spatial axes.
Tensor* pooledShape(NodeReader& node, Tensor* x) {
    size_t const spatial = x->shape.size() - 2;
    auto const kernel = node.integers("kernel_shape", {});
    auto const strides = node.integers("strides", std::vector<int64_t>(spatial, 1));
    auto const pads = node.integers("pads", std::vector<int64_t>(2 * spatial, 0));
    expectLength("kernel_shape", kernel, spatial);
    expectLength("strides", strides, spatial);
    expectLength("pads", pads, 2 * spatial);
    std::vector<int64_t> more;
    for (size_t i = 0; i < spatial; ++i) more.push_back(kernel[i] - strides[i] - pads[i] - pads[spatial + i]);
    Tensor* const steps =
        node.add(elementwise(PointwiseOp::Prod), {node.add(ShapeOf{}, {x}), list(node, forAllAxes(strides, 1))});
    return node.add(elementwise(PointwiseOp::Sum), {steps, list(node, forAllAxes(more, 0))});
}

Tensor* flat(NodeReader& node, Tensor* x) { return node.add(Shuffle::reshaping({-1}), {x}); }

/// Each element goes to its index in the flattened input of the pooling; all others are 0. A larger requested shape has
/// more zeros at the end.
std::vector<Tensor*> importMaxUnpool(NodeReader& node) {
    Tensor* const x = node.input(0);
    if (x->shape.size() < 3)
        fail(ErrorCode::InvalidModel, "input 0 '", x->name, "' has shape ", x->shape,
             "; expected [N,C,…] with one spatial axis at least");
    Tensor* const shape = pooledShape(node, x);
    Literal const zero = dispatch(x->type, []<class T>(TypeTag<T>) { return Literal::scalar(T(0)); });
    Tensor* const zeros = node.add(Expand{}, {node.constant(zero), shape});
    Tensor* const row = node.add(Scatter{}, {flat(node, zeros), flat(node, node.input(1)), flat(node, x)});
    Tensor* const y = reshape(node, row, {shape});
    if (!node.hasInput(2)) return {y};
    Slice larger;
    larger.mode = Slice::Mode::Fill;
    larger.start.assign(x->shape.size(), 0);
    return {node.add(std::move(larger), {y, nullptr, node.input(2)})};
}

constexpr Importer kAll[]{{"MaxUnpool", importMaxUnpool}};

} // namespace

ImporterList maxUnpoolImporters() { return kAll; }

} // namespace tenon::onnx
