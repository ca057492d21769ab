// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/asked_types.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/dequantize/dequantize.h"
#include "plan/kernels/engine_step.h"

#include <algorithm>

namespace tenon {
namespace {

/// Of those whose elements it computes with.
template <class Test> bool anyTensor(Node const& node, Test const& test) {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        Tensor const* const input = node.inputs()[i];
        if (input && !node.layer->readsShapeOnly(static_cast<int>(i)) && test(*input)) return true;
    }
    return std::ranges::any_of(node.outputs(), [&](Tensor const* output) { return test(*output); });
}

bool hasFractions(Node const& node) {
    return anyTensor(node, [](Tensor const& tensor) { return isFloat(tensor.type); });
}

/// A type in which a build stores float32 tensors if a flag allows it.
struct Narrow {
    DataType type;
    bool Precision::*isAllowed;
    std::string_view flag;
};
constexpr Narrow kNarrow[]{{DataType::Float16, &Precision::float16, "BuilderFlag::kFP16"},
                           {DataType::BFloat16, &Precision::bfloat16, "BuilderFlag::kBF16"},
                           {DataType::Int8, &Precision::int8, "BuilderFlag::kINT8"}};

/// Whether the application requests a floating-point type, which a layer may not have.
bool isOfReals(DataType type) { return isFloat(type) || type == DataType::Int8; }

class Settler {
public:
    Settler(Graph& graph, BuildConfig const& config)
        : graph_(graph), allowed_(config.settings.precision), log_(config.log),
          mayBeNarrow_(
              std::ranges::any_of(kNarrow, [&](Narrow const& narrow) { return allowed_.*narrow.isAllowed; }) ||
              std::ranges::any_of(graph.nodes(), [](auto const& node) { return node->kind() == Dequantize::kKind; })) {}

    void run() {
        for (Node* node : graph_.order()) {
            bool const counts = allowed_.asked != AskedTypes::Ignored || node->isFirm;
            if (!counts || node->layer->constant()) { // constants are stored as they are read
                forgetAskedTypes(*node);
                continue;
            }
            settleNode(*node);
            for (Tensor* output : std::vector(node->outputs())) {
                if (output->askedType) settleOutput(*node, *output);
            }
        }
    }

private:
    /// The type, if the build does not allow it.
    Narrow const* forbidden(DataType type) const {
        auto const* const narrow = std::ranges::find(kNarrow, type, &Narrow::type);
        return narrow == std::end(kNarrow) || allowed_.*narrow->isAllowed ? nullptr : narrow;
    }

    void unmet(Node const& node, std::string const& what, std::string const& why) const {
        if (allowed_.asked == AskedTypes::Obeyed) fail(ErrorCode::Unsupported, node, ": ", what, ", and ", why);
        say(log_, Severity::Warning, text(node, ": ", what, ", which is ignored: ", why));
    }

    void settleNode(Node& node) {
        if (!node.askedType) return;
        DataType const type = *node.askedType;
        if (isOfReals(type) && !hasFractions(node)) return node.askedType.reset(); // integers are exact in every build
        auto const isOfIt = [&](Tensor const& tensor) { return tensor.type == type; };
        auto const isOther = [&](Tensor const& tensor) { return isFloat(tensor.type) && tensor.type != type; };
        bool const isMet = isFloat(type) ? !anyTensor(node, isOther) : anyTensor(node, isOfIt);
        std::string const why = isMet ? "" : refusal(node, type);
        if (!why.empty()) unmet(node, askedOf(node), why);
        if (!why.empty() || (isMet && (type != DataType::Float32 || !mayBeNarrow_ || !isEngineStep(node))))
            node.askedType.reset();
        else if (isFloat(type))
            widen(node);
    }

    std::string refusal(Node const& node, DataType type) const {
        if (!isEngineStep(node)) return "it is computed on the host when shapes are set, in the types of its tensors";
        if (!isOfReals(type)) return text("none of its tensors is ", type);
        bool const isQuantized = type == DataType::Int8 && mayBeNarrow_; // possibly by layers, which need no flag
        return isQuantized ? "" : notAllowed(type);
    }

    /// Empty if it is.
    std::string notAllowed(DataType type) const {
        Narrow const* const narrow = forbidden(type);
        return narrow ? text("the build does not allow that type; set ", narrow->flag) : "";
    }

    /// Types are requested of kernels for float32 tensors only: other inputs of the node are cast, and its outputs are
    /// cast back.
    void widen(Node& node) {
        bool changed = false;
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            Tensor* const input = node.inputs()[i];
            if (!input || !isFloat(input->type) || input->type == DataType::Float32) continue;
            std::string const name = text(input->name, " for ", node.name);
            graph_.setInput(&node, static_cast<int>(i), conversionOf(*input, DataType::Float32, name)->output());
            changed = true;
        }
        if (!changed) return;
        std::vector<DataType> before;
        for (Tensor const* output : node.outputs()) before.push_back(output->type);
        graph_.infer(&node);
        for (size_t i = 0; i < before.size(); ++i) {
            if (node.outputs()[i]->type != before[i]) convertBehind(*node.outputs()[i], before[i]);
        }
    }

    Node* conversionOf(Tensor& tensor, DataType to, std::string name) {
        Cast cast;
        cast.to = to;
        return graph_.add(std::make_unique<Cast>(cast), {&tensor}, std::move(name));
    }

    /// Inserts a cast after a node's output: all readers, and outputs of the network, get the result.
    Tensor* convertBehind(Tensor& tensor, DataType to) {
        Node* const conversion = conversionOf(tensor, to, text(tensor.producer()->name, " (conversion)"));
        graph_.setInputs(conversion, {});
        if (graph_.isOutput(&tensor)) graph_.replaceOutput(&tensor, conversion->output());
        graph_.replaceUses(&tensor, conversion->output());
        graph_.setInputs(conversion, {&tensor});
        return conversion->output();
    }

    void settleOutput(Node const& node, Tensor& output) {
        DataType const type = *output.askedType;
        bool const isMet = output.type != DataType::Float32 || (type == DataType::Float32 && !mayBeNarrow_) ||
                           (graph_.isOutput(&output) && forbidden(type)); // it is cast at the output
        std::string const why = isMet ? "" : refusal(output, type);
        if (!why.empty()) unmet(node, text("requested to produce ", output.name, " in ", type), why);
        if (isMet || !why.empty() || !isEngineStep(node)) {
            output.askedType.reset();
        } else if (node.askedType && isFloat(*node.askedType) && isFloat(type) && type != *node.askedType) {
            output.askedType.reset();
            convertBehind(output, DataType::Float32)->askedType = type;
        }
    }

    std::string refusal(Tensor const& output, DataType type) const {
        if (type == DataType::Int8 && output.quantum.scale == 0) return "it has no range; set one with setDynamicRange";
        if (forbidden(type)) return notAllowed(type);
        if (output.onHost && type != DataType::Float32)
            return "it is computed on the host when shapes are set, in the types of its tensors";
        return {};
    }

    Graph& graph_;
    Precision const& allowed_;
    Log const& log_;
    bool mayBeNarrow_; // float32 tensors may be stored in other types
};

/// A float32 tensor with something to keep.
bool isKept(Tensor const& tensor) {
    return tensor.type == DataType::Float32 && !tensor.onHost && std::ranges::count(tensor.shape, DimExpr(0)) == 0;
}

bool isRead(Node const& node, size_t input, Variant const& variant) {
    Tensor const* const tensor = node.inputs()[input];
    return tensor && isKept(*tensor) && !variant.packs(input) && !node.layer->readsShapeOnly(static_cast<int>(input));
}

/// The type that an input is to be read in. Constants may be read wider; only the first input is computed with in
/// integers.
std::optional<DataType> askedOfInput(Node const& node, size_t input) {
    DataType const type = *node.askedType;
    bool const isLiteral = node.inputs()[input]->literal() != nullptr;
    if (type == DataType::Int8 ? input != 0 : isLiteral && type != DataType::Float32) return std::nullopt;
    return type;
}

std::optional<DataType> askedOfOutput(Node const& node, Tensor const& output) {
    if (!isKept(output)) return std::nullopt;
    if (output.askedType) return output.askedType;
    return node.askedType == DataType::Int8 ? std::nullopt : node.askedType;
}

} // namespace

void settleAskedTypes(Graph& graph, BuildConfig const& config) { Settler(graph, config).run(); }

void forgetAskedTypes(Node& node) {
    node.askedType.reset();
    node.isFirm = false;
    for (Tensor* output : node.outputs()) output->askedType.reset();
}

std::string askedOf(Node const& node) {
    std::string asked = node.askedType ? text("requested to compute in ", *node.askedType) : "";
    for (Tensor const* output : node.outputs()) {
        if (output->askedType && output->askedType != node.askedType)
            asked +=
                text(asked.empty() ? "requested" : " and", " to produce ", output->name, " in ", *output->askedType);
    }
    return asked;
}

std::string unaskedBy(Node const& node, Variant const& variant) {
    for (size_t i = 0; node.askedType && i < node.inputs().size(); ++i) {
        if (!isRead(node, i, variant)) continue;
        auto const type = askedOfInput(node, i);
        if (type && variant.inputs[i].type != *type)
            return text("reads ", node.inputs()[i]->name, " as ", variant.inputs[i].type);
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) {
        auto const type = askedOfOutput(node, *node.outputs()[i]);
        if (type && variant.outputs[i].type != *type)
            return text("makes ", node.outputs()[i]->name, " as ", variant.outputs[i].type);
    }
    return {};
}

} // namespace tenon
