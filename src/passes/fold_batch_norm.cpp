// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fold_batch_norm.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/quanta.h"
#include "layers/quantized_constant/quantized_constant.h"
#include "layers/scale/scale.h"
#include "passes/weighted.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

using Numbers = std::vector<float>; // one a channel, or one for all

/// y = scale * x + shift
struct Line {
    Numbers scale{1};
    Numbers shift{0};
    // other numbers may take their place, so these do not decide
    bool opensScale = false;
    bool opensShift = false;

    float scaleAt(size_t channel) const { return scale.size() == 1 ? scale[0] : scale[channel]; }
    float shiftAt(size_t channel) const { return shift.size() == 1 ? shift[0] : shift[channel]; }
    bool scales() const {
        return opensScale || std::ranges::any_of(scale, [](float s) { return s != 1; });
    }
    bool shifts() const {
        return opensShift || std::ranges::any_of(shift, [](float s) { return s != 0; });
    }
};

template <class F> Numbers mapped(Numbers numbers, F const& f) {
    std::ranges::transform(numbers, numbers.begin(), f);
    return numbers;
}

bool isFloats(Tensor const* tensor) {
    return tensor != nullptr && tensor->literal() != nullptr && tensor->type == DataType::Float32;
}

std::optional<Line> lineOf(Scale const& layer, Node const& node, int axis) {
    auto const rank = static_cast<int>(node.input(0)->shape.size());
    bool const fits = layer.mode == Scale::Mode::Uniform ||
                      (layer.mode == Scale::Mode::Channel && resolveAxis(layer.channelAxis, rank) == axis);
    if (!fits || node.input(3) != nullptr) return std::nullopt;
    Line line;
    for (int i : {1, 2}) {
        if (node.input(i) == nullptr) continue;
        if (!isFloats(node.input(i))) return std::nullopt;
        (i == 1 ? line.shift : line.scale) = node.input(i)->literal()->toFloat();
        (i == 1 ? line.opensShift : line.opensScale) = isOpen(*node.input(i));
    }
    return line;
}

/// x stands first or second; the other operand is `numbers`.
std::optional<Line> lineOf(PointwiseOp op, bool first, Numbers const& numbers) {
    Numbers const negative = mapped(numbers, [](float x) { return -x; });
    if (op == PointwiseOp::Sum) return Line{{1}, numbers};
    if (op == PointwiseOp::Prod) return Line{numbers, {0}};
    if (op == PointwiseOp::Sub) return first ? Line{{1}, negative} : Line{{-1}, numbers};
    if (op == PointwiseOp::Div && first) return Line{mapped(numbers, [](float x) { return 1 / x; }), {0}};
    return std::nullopt;
}

/// What the node does to its input x, channel by channel, when that is a line with constant numbers.
std::optional<Line> lineOf(Node const& node, Tensor const* x, int axis) {
    if (auto const* scale = as<Scale>(*node.layer))
        return node.input(0) == x ? lineOf(*scale, node, axis) : std::nullopt;
    auto const steps = stepsOf(node);
    if (!steps || steps->size() != 1) return std::nullopt;
    PointwiseStep const& step = steps->front();
    if (step.op == PointwiseOp::Affine) return Line{{static_cast<float>(step.alpha)}, {static_cast<float>(step.beta)}};
    if (step.op == PointwiseOp::Neg) return Line{{-1}, {0}};
    if (operandCount(step.op) != 2) return std::nullopt;
    bool const first = node.input(static_cast<int>(step.a)) == x;
    Tensor const* other = node.input(static_cast<int>(first ? step.b : step.a));
    if (other == x || !isFloats(other) || !isPerChannel(*other, x->shape, axis)) return std::nullopt;
    auto line = lineOf(step.op, first, other->literal()->toFloat());
    bool const scales = step.op == PointwiseOp::Prod || step.op == PointwiseOp::Div;
    if (line && isOpen(*other)) (scales ? line->opensScale : line->opensShift) = true;
    return line;
}

/// The output channel that each weight belongs to.
size_t outputChannel(Node const& node, Dims const& w, size_t element) {
    auto const at = static_cast<int64_t>(element);
    if (as<Convolution>(*node.layer)) return static_cast<size_t>(at / w.volume(1, w.rank()));
    if (auto const* layer = as<MatrixMultiply>(*node.layer))
        return static_cast<size_t>(layer->b == MatrixOperation::Transpose ? at / w[1] : at % w[1]);
    int64_t const group = at / w.volume(1, w.rank()) / (w[0] / as<Deconvolution>(*node.layer)->groups);
    return static_cast<size_t>(group * w[1] + at / w.volume(2, w.rank()) % w[1]);
}

void setConstant(Graph& graph, Node* node, int input, std::unique_ptr<Layer> constant) {
    Tensor* const before = node->input(input);
    graph.setInput(node, input, graph.add(std::move(constant), {})->output());
    if (before != nullptr && before->readers().empty() && before->producer() != nullptr && !graph.isOutput(before))
        graph.remove(before->producer());
}

std::unique_ptr<Layer> constantOf(Dims const& dims, Numbers const& numbers) {
    return std::make_unique<Constant>(Literal::of(dims, numbers));
}

int outputChannelAxis(Node const& node) {
    if (auto const* layer = as<MatrixMultiply>(*node.layer)) return layer->b == MatrixOperation::Transpose ? 0 : 1;
    return node.kind() == Deconvolution::kKind ? 1 : 0;
}

/// The weights of a node with each output channel scaled; those that were quantized still are, by scales that grow with
/// them.
std::unique_ptr<Layer> scaledWeights(Node const& node, Line const& line) {
    Literal const& weights = *node.input(1)->literal();
    Numbers w = weights.toFloat();
    for (size_t i = 0; i < w.size(); ++i) w[i] *= line.scaleAt(outputChannel(node, weights.dims(), i));
    int const axis = outputChannelAxis(node);
    auto const* deconvolution = as<Deconvolution>(*node.layer);
    Numbers scales =
        deconvolution && deconvolution->groups != 1 ? Numbers{} : weightScales(*node.input(1), axis, false);
    for (size_t k = 0; k < scales.size(); ++k) scales[k] *= line.scaleAt(k);
    bool const isQuantized = !scales.empty() && std::ranges::all_of(scales, [](float s) { return std::isnormal(s); });
    if (!isQuantized) return constantOf(weights.dims(), w);
    QuantizedConstant quantized;
    quantized.value = Literal::of(weights.dims(), w);
    quantized.scales = Literal::of({weights.dims()[axis]}, scales);
    quantized.axis = axis;
    return quantized.clone();
}

/// Constant float32 weights (and bias), and nothing that is applied to the result already.
bool isFoldable(Node& node) {
    if (!epilogueOf(node).steps->empty() || !isFloats(node.input(1))) return false;
    if (auto const* layer = as<MatrixMultiply>(*node.layer))
        return layer->a != MatrixOperation::Vector && layer->b != MatrixOperation::Vector &&
               node.input(1)->shape.size() == 2;
    return node.input(2) == nullptr || isFloats(node.input(2));
}

Numbers biasOf(Node const& node, size_t channels) {
    Tensor const* bias = node.input(Convolution::kBias);
    return bias == nullptr ? Numbers(channels, 0) : bias->literal()->toFloat();
}

/// line(W x + b) = (scale W) x + (scale b + shift)
bool foldAfter(Graph& graph, Node* node) {
    Node* const reader = onlyReader(graph, *node);
    int const axis = channelAxisOf(*node);
    auto const line = reader == nullptr ? std::nullopt : lineOf(*reader, node->output(), axis);
    bool const product = node->kind() == MatrixMultiply::kKind; // has no bias
    if (!line || (product && line->shifts())) return false;
    if (!product && (node->input(Convolution::kBias) != nullptr || line->shifts())) {
        auto const channels = node->output()->shape[1].constant();
        Numbers bias = biasOf(*node, static_cast<size_t>(channels));
        for (size_t k = 0; k < bias.size(); ++k) bias[k] = bias[k] * line->scaleAt(k) + line->shiftAt(k);
        setConstant(graph, node, Convolution::kBias, constantOf({channels}, bias));
    }
    if (line->scales()) setConstant(graph, node, 1, scaledWeights(*node, *line)); // else weights stay as they are
    absorb(graph, node, reader);
    return true;
}

bool pads(Window const& window) {
    auto const isZero = [](int64_t padding) { return padding == 0; };
    return !window.outputs.empty() ||
           (window.paddingMode != PaddingMode::ExplicitRoundDown &&
            window.paddingMode != PaddingMode::CaffeRoundDown) ||
           !std::ranges::all_of(window.prePadding, isZero) || !std::ranges::all_of(window.postPadding, isZero);
}

/// The line that a convolution's input goes through before it, and what it starts from.
struct Before {
    Node* node;
    Tensor* x;
    Line line;
};

std::optional<Before> lineBefore(Graph const& graph, Node const& node) {
    Node* const before = node.input(0)->producer();
    if (before == nullptr || onlyReader(graph, *before) != &node) return std::nullopt;
    for (Tensor* x : before->inputs()) {
        if (x == nullptr || x->literal() != nullptr || !(x->shape == before->output()->shape)) continue;
        if (auto const line = lineOf(*before, x, 1)) return Before{before, x, *line};
    }
    return std::nullopt;
}

/// W (scale x + shift) + b = (W scale) x + (W shift + b), where no padding stands in for x
bool foldBefore(Graph& graph, Node* node) {
    auto const* layer = as<Convolution>(*node->layer);
    auto const before = layer == nullptr ? std::nullopt : lineBefore(graph, *node);
    if (!before || (before->line.shifts() && pads(layer->window))) return false;
    Literal const weights = *node->input(1)->literal();
    Dims const& dims = weights.dims();
    Numbers w = weights.toFloat();
    Numbers bias = biasOf(*node, static_cast<size_t>(dims[0]));
    auto const taps = static_cast<size_t>(dims.volume(2, dims.rank()));
    auto const perOutput = taps * static_cast<size_t>(dims[1]);
    for (size_t i = 0; i < w.size(); ++i) {
        size_t const k = i / perOutput;
        size_t const group = k / static_cast<size_t>(dims[0] / layer->groups);
        size_t const c = group * static_cast<size_t>(dims[1]) + i / taps % static_cast<size_t>(dims[1]);
        bias[k] += w[i] * before->line.shiftAt(c);
        w[i] *= before->line.scaleAt(c);
    }
    if (before->line.shifts()) setConstant(graph, node, Convolution::kBias, constantOf({dims[0]}, bias));
    setConstant(graph, node, 1, constantOf(dims, w));
    graph.setInput(node, 0, before->x);
    graph.remove(before->node);
    return true;
}

} // namespace

void foldBatchNorm(Graph& graph) {
    for (Node* node : weightedNodes(graph)) {
        while (isFoldable(*node) && (foldAfter(graph, node) || foldBefore(graph, node))) {
        }
    }
}

} // namespace tenon
