// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/real_tensors.h"

#include "base/error.h"
#include "layers/constant/constant.h"
#include "layers/dequantize/dequantize.h"
#include "layers/quantize/quantize.h"
#include "plugin/plugin_layer.h"
#include "trt/plugin/plugin_networks.h"

#include <algorithm>

namespace tenon::trt {
namespace {

NameRealTensor namerOf(Node const& node) {
    auto const* const layer = as<PluginLayer>(*node.layer);
    return layer && layer->hasPlugin() ? realsOf(layer->plugin().userObject()) : nullptr;
}

/// The factor and the zero point of integers, as a Quantize or Dequantize has them.
struct Scale {
    Tensor* scale;
    Tensor* zero; // null: 0
    int64_t axis;
    std::vector<int64_t> blocks;

    /// Independent of the order of the elements.
    bool isOne() const { return scale->literal() && scale->literal()->dims().volume() == 1; }
    friend bool operator==(Scale const& a, Scale const& b) {
        return same(a.scale, b.scale) && same(a.zero, b.zero) && a.axis == b.axis && a.blocks == b.blocks;
    }

private:
    static bool same(Tensor const* a, Tensor const* b) {
        if (a == b) return true;
        return a && b && a->literal() && b->literal() && *a->literal() == *b->literal();
    }
};

template <class T> std::optional<Scale> scaleOf(Node const* node) {
    auto const* const layer = node ? as<T>(*node->layer) : nullptr;
    if (layer == nullptr) return std::nullopt;
    return Scale{node->input(1), node->input(2), layer->axis, layer->blocks};
}

std::span<Tensor* const> inputsMovedBy(Node const& node) {
    return std::span(node.inputs()).first(static_cast<size_t>(movedInputs(node).alone()));
}

/// The ones with which the integers of a tensor were quantized, before elements were moved.
std::optional<Scale> scaleBefore(Tensor const* tensor) {
    Node const* const producer = tensor ? tensor->producer() : nullptr;
    if (producer == nullptr || producer->kind() == Quantize::kKind) return scaleOf<Quantize>(producer);
    std::optional<Scale> common;
    for (Tensor const* input : inputsMovedBy(*producer)) {
        auto const scale = scaleBefore(input);
        if (!scale || !scale->isOne() || (common && !(*common == *scale))) return std::nullopt;
        common = scale;
    }
    return common;
}

/// Adds those with which the integers of a tensor are dequantized, also after elements were moved.
void addScalesBehind(Tensor const& tensor, std::vector<Scale>& scales) {
    for (Node const* reader : tensor.readers()) {
        if (reader->kind() == Dequantize::kKind && reader->input(0) == &tensor)
            scales.push_back(*scaleOf<Dequantize>(reader));
        auto const inputs = inputsMovedBy(*reader);
        if (std::ranges::find(inputs, &tensor) == inputs.end()) continue;
        std::vector<Scale> moved;
        addScalesBehind(*reader->output(), moved);
        std::ranges::copy_if(moved, std::back_inserter(scales), &Scale::isOne);
    }
}

/// A plugin whose tensors are converted to floating point.
class Restoring {
public:
    Restoring(Graph& graph, Node& node) : graph_(graph), node_(node), namer_(namerOf(node)) {}

    bool run() {
        auto const inputs = integersOf(node_.inputs(), 0), outputs = integersOf(node_.outputs(), node_.inputs().size());
        if (inputs.empty()) return false;
        std::vector<Scale> scalesBefore;
        for (size_t const input : inputs) scalesBefore.push_back(scaleOfInput(input));
        std::vector<std::optional<Scale>> scalesBehind; // readers of integers then read floating-point values
        for (size_t const output : outputs) scalesBehind.push_back(scaleOfOutput(output));
        std::vector<bool> const wereInt8 = outputsInInt8();
        for (size_t i = 0; i < inputs.size(); ++i) dequantize(inputs[i], scalesBefore[i]);
        graph_.infer(&node_);
        for (size_t i = 0; i < wereInt8.size(); ++i) {
            if (wereInt8[i] && !std::ranges::binary_search(outputs, i)) expectInt8(i);
        }
        for (size_t i = 0; i < outputs.size(); ++i) {
            Tensor& output = *node_.outputs()[outputs[i]];
            if (scalesBehind[i] && isFloat(output.type)) quantize(output, *scalesBehind[i]);
        }
        return true;
    }

private:
    char const* nameOf(size_t tensor) const {
        return namer_(as<PluginLayer>(*node_.layer)->plugin().userObject(), static_cast<int32_t>(tensor),
                      static_cast<int32_t>(node_.inputs().size()));
    }

    std::vector<bool> outputsInInt8() const {
        std::vector<bool> all;
        for (Tensor const* output : node_.outputs()) all.push_back(output->type == DataType::Int8);
        return all;
    }

    /// Readers of an output that is not declared take it for integers.
    void expectInt8(size_t output) const {
        Tensor const& found = *node_.outputs()[output];
        if (found.type != DataType::Int8)
            fail(ErrorCode::Plugin, "output ", output, " (", found.name, ") is int8 if the inputs are, and ",
                 found.type,
                 " for floating-point inputs; expected it among the names passed to setPluginReals(), or the same type "
                 "for both");
    }

    /// The integer tensors among these, starting with this number, that are declared, in ascending order.
    std::vector<size_t> integersOf(std::vector<Tensor*> const& tensors, size_t first) const {
        std::vector<size_t> found;
        for (size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i] && tensors[i]->type == DataType::Int8 && nameOf(first + i)) found.push_back(i);
        }
        return found;
    }

    /// The type of its other floating-point inputs, which all have the same.
    DataType realType() const {
        for (size_t i = 0; i < node_.inputs().size(); ++i) {
            Tensor const* const input = node_.inputs()[i];
            if (input && isFloat(input->type) && nameOf(i)) return input->type;
        }
        return DataType::Float32;
    }

    Scale scaleOfInput(size_t input) const {
        Tensor const* const integers = node_.inputs()[input];
        if (auto scale = scaleBefore(integers)) return *scale;
        fail(ErrorCode::InvalidModel, "input '", nameOf(input), "' (", integers->name, ") is int8 ", integers->shape,
             ", and its scale is not known; expected a quantize layer that produces it; insert one, or a dequantize "
             "layer, before the plugin");
    }

    void dequantize(size_t input, Scale const& scale) {
        Tensor* const integers = node_.inputs()[input];
        Dequantize layer;
        layer.to = realType();
        layer.axis = scale.axis;
        layer.blocks = scale.blocks;
        std::string const name = text(integers->name, " for ", node_.name);
        graph_.setInput(&node_, static_cast<int>(input), graph_.emit(layer, {integers, scale.scale, scale.zero}, name));
    }

    /// nullopt if it has no reader.
    std::optional<Scale> scaleOfOutput(size_t output) {
        Tensor const& integers = *node_.outputs()[output];
        std::vector<Scale> scales;
        addScalesBehind(integers, scales);
        if (scales.empty() && integers.quantum.scale != 0)
            scales.push_back({graph_.emit(Constant(Literal::scalar(integers.quantum.scale)), {}), nullptr, -1, {}});
        if (!scales.empty() && std::ranges::count(scales, scales.front()) == std::ssize(scales)) return scales.front();
        if (integers.readers().empty() && !graph_.isOutput(&integers)) return std::nullopt;
        fail(ErrorCode::InvalidModel, "output '", nameOf(node_.inputs().size() + output), "' (", integers.name,
             ") is int8 ", integers.shape,
             scales.size() > 1 ? ", and is dequantized with several scales" : ", and its scale is not known",
             "; expected a dequantize layer that reads it, or several with one scale; insert one after the plugin, or "
             "use floating-point inputs");
    }

    /// All readers of the tensor, and outputs of the network, get the integers.
    void quantize(Tensor& reals, Scale const& scale) {
        Quantize layer;
        layer.axis = scale.axis;
        layer.blocks = scale.blocks;
        Node* const made = graph_.add(std::make_unique<Quantize>(layer), {&reals, scale.scale, scale.zero},
                                      text(node_.name, " (quantization)"));
        graph_.setInputs(made, {});
        if (graph_.isOutput(&reals)) graph_.replaceOutput(&reals, made->output());
        graph_.replaceUses(&reals, made->output());
        graph_.setInputs(made, {&reals, scale.scale, scale.zero});
    }

    Graph& graph_;
    Node& node_;
    NameRealTensor namer_;
};

} // namespace

bool namesReals(Node const& node) { return namerOf(node) != nullptr; }

bool restoreReals(Graph& graph, Node& node) { return namesReals(node) && Restoring(graph, node).run(); }

} // namespace tenon::trt
