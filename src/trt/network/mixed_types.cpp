// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the builder chooses the types of a network, a program may mix floating point tensors and weights of 16 and 32
// bits in one layer, though the layer's rule does not: the narrow ones are widened before it, which no program sees.

#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "plugin/plugin_layer.h"
#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {
namespace {

bool isNarrow(Tensor const* tensor) {
    return tensor && (tensor->type == DataType::Float16 || tensor->type == DataType::BFloat16);
}

/// Floating point tensors of several types.
bool isMixed(std::vector<Tensor*> const& tensors) {
    auto const other = [&](Tensor const* tensor) {
        return tensor && isFloat(tensor->type) && std::ranges::any_of(tensors, [&](Tensor const* narrow) {
                   return isNarrow(narrow) && narrow->type != tensor->type;
               });
    };
    return std::ranges::any_of(tensors, other);
}

/// Whether a layer that does not fit its inputs may fit after they are widened.
bool mayWiden(Network const& network, Layer const& layer, std::vector<Tensor*> const& inputs) {
    return !network.getFlag(api::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED) && isMixed(inputs) &&
           layer.kind() != PluginLayer::kKind;
}

} // namespace

Tensor* Network::widened(Tensor& tensor) {
    if (Literal const* const weights = isWeights(tensor) ? tensor.literal() : nullptr)
        return hide(graph_.add(std::make_unique<Constant>(Literal::of(weights->dims(), weights->toFloat())), {}))
            ->output();
    Cast cast;
    cast.to = DataType::Float32;
    Node* const node = hide(graph_.add(std::make_unique<Cast>(cast), {&tensor}, text(tensor.name, " (widened)")));
    widenings_.insert(node);
    return node->output();
}

std::vector<Tensor*> Network::fittedTo(Layer const& layer, std::vector<Tensor*> inputs) {
    if (!mayWiden(*this, layer, inputs)) return inputs;
    try {
        graph_.remove(graph_.add(layer.clone(), inputs, "mixed types"));
    } catch (Error const&) {
        for (Tensor*& input : inputs) {
            if (isNarrow(input)) input = widened(*input);
        }
    }
    return inputs;
}

void Network::inferFitting(Node& node) {
    try {
        return graph_.infer(&node);
    } catch (Error const&) {
        if (!mayWiden(*this, *node.layer, node.inputs())) throw;
    }
    for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
        if (isNarrow(node.input(i))) putWeights(node, i, widened(*node.input(i)));
    }
    graph_.infer(&node);
}

} // namespace tenon::trt
