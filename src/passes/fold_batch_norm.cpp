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
#include "passes/joined_constants.h"
#include "passes/matchers.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

using Numbers = std::vector<float>; // one per channel, or one for all

/// y = scale * x + shift
struct Line {
    Numbers scale{1};
    Numbers shift{0};
    // they may be exchanged, so their present values do not decide
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

/// x is first or second; the other operand is `numbers`.
std::optional<Line> lineOf(PointwiseOp op, bool first, Numbers const& numbers) {
    Numbers const negative = mapped(numbers, [](float x) { return -x; });
    if (op == PointwiseOp::Sum) return Line{{1}, numbers};
    if (op == PointwiseOp::Prod) return Line{numbers, {0}};
    if (op == PointwiseOp::Sub) return first ? Line{{1}, negative} : Line{{-1}, numbers};
    return std::nullopt;
}

/// x / divisors, if these are not refittable and their reciprocals are exact.
std::optional<Line> quotientBy(Tensor const& divisors) {
    Line line{divisors.literal()->toFloat(), {0}};
    for (float& number : line.scale) {
        auto const reciprocal = isOpen(divisors) ? std::nullopt : exactReciprocal(number);
        if (!reciprocal) return std::nullopt;
        number = static_cast<float>(*reciprocal);
    }
    return line;
}

/// The per-channel line that the node computes of its input x, if its numbers are constant.
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
    if (step.op == PointwiseOp::Div) return first ? quotientBy(*other) : std::nullopt;
    auto line = lineOf(step.op, first, other->literal()->toFloat());
    if (line && isOpen(*other)) (step.op == PointwiseOp::Prod ? line->opensScale : line->opensShift) = true;
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

/// The weights, each with a factor of its own; nullopt if one of them may not be joined.
template <class FactorOf> std::optional<Numbers> multiplied(Numbers w, FactorOf const& factorOf) {
    for (size_t i = 0; i < w.size(); ++i) {
        auto const scaled = scaledWeight(w[i], factorOf(i));
        if (!scaled) return std::nullopt;
        w[i] = *scaled;
    }
    return w;
}

/// The weights of a node with each output channel scaled; quantized ones stay quantized, with scaled scales. Null if
/// they may not be scaled.
std::unique_ptr<Layer> scaledWeights(Node const& node, Line const& line) {
    Literal const& weights = *node.input(1)->literal();
    auto const w =
        multiplied(weights.toFloat(), [&](size_t i) { return line.scaleAt(outputChannel(node, weights.dims(), i)); });
    if (!w) return nullptr;
    int const axis = outputChannelAxis(node);
    auto const* deconvolution = as<Deconvolution>(*node.layer);
    Numbers scales =
        deconvolution && deconvolution->groups != 1 ? Numbers{} : weightScales(*node.input(1), axis, false);
    for (size_t k = 0; k < scales.size(); ++k) scales[k] *= line.scaleAt(k);
    bool const isQuantized = !scales.empty() && std::ranges::all_of(scales, [](float s) { return std::isnormal(s); });
    if (!isQuantized) return constantOf(weights.dims(), *w);
    QuantizedConstant quantized;
    quantized.value = Literal::of(weights.dims(), *w);
    quantized.scales = Literal::of({weights.dims()[axis]}, scales);
    quantized.axis = axis;
    return quantized.clone();
}

/// Constant float32 weights (and bias), and no epilogue yet.
bool isFoldable(Node const& node) {
    if (!hasEpilogue(*node.layer)->epilogue.empty() || !isFloats(node.input(1))) return false;
    if (auto const* layer = as<MatrixMultiply>(*node.layer))
        return layer->a != MatrixOperation::Vector && layer->b != MatrixOperation::Vector &&
               node.input(1)->shape.size() == 2;
    return node.input(2) == nullptr || isFloats(node.input(2));
}

Numbers biasOf(Node const& node, size_t channels) {
    Tensor const* bias = node.input(Convolution::kBias);
    return bias == nullptr ? Numbers(channels, 0) : bias->literal()->toFloat();
}

/// For each channel, the scaled sum of its weights' absolute values.
std::vector<double> sizesOfWeights(Node const& node, Line const& line, size_t channels) {
    Literal const& weights = *node.input(1)->literal();
    Numbers const w = weights.toFloat();
    std::vector<double> sizes(channels, 0);
    for (size_t i = 0; i < w.size(); ++i) {
        size_t const k = outputChannel(node, weights.dims(), i);
        sizes[k] += std::abs(double{w[i]} * double{line.scaleAt(k)});
    }
    return sizes;
}

/// The bias that takes over the line; nullopt if it may not.
std::optional<Numbers> biasAfter(Node const& node, Line const& line) {
    auto const channels = static_cast<size_t>(node.output()->shape[1].constant());
    Numbers bias = biasOf(node, channels);
    std::vector<double> sizes;
    for (size_t k = 0; k < channels; ++k) {
        auto const sizeOfWeights = [&] {
            if (sizes.empty()) sizes = sizesOfWeights(node, line, channels);
            return sizes[k];
        };
        auto const joined = joinedBias(bias[k], line.scaleAt(k), line.shiftAt(k), sizeOfWeights);
        if (!joined) return std::nullopt;
        bias[k] = *joined;
    }
    return bias;
}

/// line(W x + b) = (scale W) x + (scale b + shift)
bool foldAfter(Graph& graph, Node* node) {
    Node* const reader = onlyReader(graph, *node);
    int const axis = channelAxisOf(*node);
    auto const line = reader == nullptr ? std::nullopt : lineOf(*reader, node->output(), axis);
    bool const product = node->kind() == MatrixMultiply::kKind; // without a bias
    if (!line || (product && line->shifts())) return false;
    bool const hasBias = !product && (node->input(Convolution::kBias) != nullptr || line->shifts());
    auto const bias = hasBias ? biasAfter(*node, *line) : std::nullopt;
    auto weights = line->scales() ? scaledWeights(*node, *line) : nullptr; // else they stay unchanged
    if (hasBias != bias.has_value() || line->scales() != (weights != nullptr)) return false;
    if (bias) setConstant(graph, node, Convolution::kBias, constantOf({std::ssize(*bias)}, *bias));
    if (weights) setConstant(graph, node, 1, std::move(weights));
    absorb(graph, node, reader);
    return true;
}

/// The line that is applied to a convolution's input, and the input of that line.
struct InputLine {
    Node* node;
    Tensor* x;
    Line line;
};

std::optional<InputLine> lineBefore(Graph const& graph, Node const& node) {
    Node* const before = node.input(0)->producer();
    if (before == nullptr || onlyReader(graph, *before) != &node) return std::nullopt;
    for (Tensor* x : before->inputs()) {
        if (x == nullptr || x->literal() != nullptr || !(x->shape == before->output()->shape)) continue;
        if (auto const line = lineOf(*before, x, 1)) return InputLine{before, x, *line};
    }
    return std::nullopt;
}

/// W (scale x) + b = (W scale) x + b. A shift of x stays: it may cancel x, and W would amplify the rounding.
bool foldBefore(Graph& graph, Node* node) {
    auto const* layer = as<Convolution>(*node->layer);
    auto const before = layer == nullptr ? std::nullopt : lineBefore(graph, *node);
    if (!before || before->line.shifts()) return false;
    Literal const weights = *node->input(1)->literal();
    Dims const& dims = weights.dims();
    auto const taps = static_cast<size_t>(dims.volume(2, dims.rank()));
    auto const perOutput = taps * static_cast<size_t>(dims[1]);
    auto const w = multiplied(weights.toFloat(), [&](size_t i) {
        size_t const group = i / perOutput / static_cast<size_t>(dims[0] / layer->groups);
        return before->line.scaleAt(group * static_cast<size_t>(dims[1]) + i / taps % static_cast<size_t>(dims[1]));
    });
    if (!w) return false;
    setConstant(graph, node, 1, constantOf(dims, *w));
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
