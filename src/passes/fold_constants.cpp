// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fold_constants.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "layers/constant/constant.h"
#include "layers/dequantize/dequantize.h"
#include "layers/quantized_constant/quantized_constant.h"
#include "passes/weighted.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace tenon {
namespace {

constexpr size_t kSmallBytes = 65536; // always worth their room in the engine

/// Whether of an input is known what the reference reads.
bool isKnown(Node const& node, size_t input) {
    Tensor const* tensor = node.inputs()[input];
    if (tensor == nullptr || tensor->literal() != nullptr) return true;
    return node.layer->readsShapeOnly(static_cast<int>(input)) && isConstant(tensor->shape);
}

/// How many times as large as its inputs a result may be. Weights of 8 bits are folded to floats, because kernels pack
/// only weights that are known; those of 4 bits, of large models, stay small.
size_t mostGrowth(Node const& node) {
    return node.kind() == Dequantize::kKind && bitsOf(node.input(0)->type) == 8 ? 4 : 2;
}

/// The results of a node that reads constants only; empty for other nodes, and where they would be much larger.
std::vector<Literal> computed(Node const& node) {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (!isKnown(node, i)) return {};
    }
    if (!std::ranges::all_of(node.outputs(), [](Tensor const* output) { return isComputed(output->type); })) return {};
    return computeAhead(node, operandsOf(node), {kSmallBytes, mostGrowth(node)});
}

/// All of them as int8, when their zero points are taken away.
bool fitInt8(std::span<float const> values, std::span<float const> scales, int64_t inner) {
    for (size_t i = 0; i < values.size(); ++i) {
        size_t const place = scales.size() == 1 ? 0 : i / static_cast<size_t>(inner) % scales.size();
        float const whole = std::nearbyint(values[i] / scales[place]);
        if (!(whole >= -128 && whole <= 127)) return false;
    }
    return true;
}

/// What a Dequantize of 8 bits by one scale for each index of an axis gives, with these scales; null for other nodes.
std::unique_ptr<Layer> quantizedWeights(Node const& node, Literal const& value) {
    auto const* layer = as<Dequantize>(*node.layer);
    bool const isOfBytes = layer != nullptr && bitsOf(node.input(0)->type) == 8 && isComputed(node.input(0)->type);
    bool const isReal = value.type() == DataType::Float32 && value.dims().volume() != 0;
    if (!isOfBytes || !layer->blocks.empty() || !isReal || !node.input(1)->literal()) return nullptr;
    Literal const& scale = *node.input(1)->literal();
    int64_t const count = scale.dims().volume();
    bool const isListed = count != 1 && scale.dims().rank() == 1 && value.dims().rank() > 0; // of one there is no axis
    if (count != 1 && !isListed) return nullptr;
    auto made = std::make_unique<QuantizedConstant>();
    made->value = value;
    made->scales = Literal::of({count}, scale.toFloat());
    made->axis = isListed ? resolveAxis(layer->axis, value.dims().rank()) : 0;
    auto const scales = made->scales.as<float>();
    bool const isUsable = std::ranges::all_of(scales, [](float s) { return std::isnormal(s); });
    int64_t const inner = count == 1 ? 1 : value.dims().volume(static_cast<int>(made->axis) + 1, value.dims().rank());
    return isUsable && fitInt8(value.as<float>(), scales, inner) ? std::move(made) : nullptr;
}

/// A tensor without elements, whatever it is computed from.
std::optional<Literal> empty(Tensor const& tensor) {
    if (!isConstant(tensor.shape) || toDims(tensor.shape).volume() != 0) return std::nullopt;
    return Literal::copyOf(tensor.type, toDims(tensor.shape), nullptr);
}

class Folding {
public:
    explicit Folding(Graph& graph) : graph_(graph) {}

    void run() {
        for (Node* node : graph_.order()) {
            if (node->layer->constant() || node->outputs().empty() || node->kind() == "Plugin") continue;
            if (std::ranges::any_of(node->inputs(), [&](Tensor* t) { return changed_.contains(t); })) inferAgain(node);
            fold(node);
        }
    }

private:
    void inferAgain(Node* node) {
        std::vector<Shape> before;
        for (Tensor const* output : node->outputs()) before.push_back(output->shape);
        graph_.infer(node);
        for (size_t i = 0; i < before.size(); ++i) {
            Tensor* output = node->outputs()[i];
            if (output->shape != before[i] || output->values) changed_.insert(output);
        }
    }

    void fold(Node* node) {
        auto results = computed(*node);
        for (size_t i = 0; i < node->outputs().size(); ++i) {
            auto literal = results.empty() ? empty(*node->outputs()[i]) : results[i];
            if (!literal) literal = valuesOf(*node->outputs()[i]);
            if (literal) replace(node->outputs()[i], *literal);
        }
        bool const unread = std::ranges::all_of(
            node->outputs(), [&](Tensor* output) { return output->readers().empty() && !graph_.isOutput(output); });
        if (unread) graph_.remove(node);
    }

    void replace(Tensor* tensor, Literal const& literal) {
        auto layer = quantizedWeights(*tensor->producer(), literal);
        if (!layer) {
            auto plain = std::make_unique<Constant>(literal);
            plain->isOpen = std::ranges::any_of(tensor->producer()->inputs(),
                                                [](Tensor const* input) { return input && isOpen(*input); });
            layer = std::move(plain);
        }
        Tensor* constant = graph_.add(std::move(layer), {}, text(tensor->producer()->name, " folded"))->output();
        if (graph_.isOutput(tensor)) graph_.replaceOutput(tensor, constant);
        graph_.replaceUses(tensor, constant);
        changed_.insert(constant);
    }

    Graph& graph_;
    std::unordered_set<Tensor const*> changed_;
};

} // namespace

void foldConstants(Graph& graph) { Folding(graph).run(); }

} // namespace tenon
