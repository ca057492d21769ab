// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/model_node.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "layers/constant/constant.h"
#include "trt/edge/convert.h"

using namespace tenon;
using onnx::AttributeType;

namespace {

/// Values of these types that a C function receives.
template <class T> TenonOnnxAttribute listOf(onnx::pb::AttributeProto const& attribute, std::vector<T> const& values) {
    return {attribute.name.c_str(), attribute.type, static_cast<int32_t>(values.size()), values.data()};
}

TenonOnnxAttribute oneOf(onnx::pb::AttributeProto const& attribute, void const* value) {
    return {attribute.name.c_str(), attribute.type, 1, value};
}

/// Literals that shapes may depend on are at most this long.
constexpr int64_t kMostFolded = 4096;

/// The known elements of a tensor that a layer may need before a run.
std::optional<Literal> smallConstant(Tensor const& tensor) {
    bool const isSmall = isConstant(tensor.shape) && toDims(tensor.shape).volume() <= kMostFolded;
    return isSmall ? constantValue(tensor) : std::nullopt;
}

} // namespace

nvinfer1::ITensor* TenonOnnxModelNode::input(int32_t index) {
    if (index < 0) fail(ErrorCode::InvalidArgument, "there is no input ", index);
    return reader.hasInput(index) ? network.faceOf(standInFor(*reader.input(index))) : nullptr;
}

/// A constant of the model is a constant in the network, and stays the model's when layers that read it are inserted.
/// So is a result computed from constants, as far as layers may need it.
Tensor* TenonOnnxModelNode::standInFor(Tensor& outside) {
    auto const [known, isNew] = inputs_.emplace(&outside, nullptr);
    if (!isNew) return known->second;
    Graph& graph = network.graph();
    Tensor* inside = nullptr;
    if (Literal const* const literal = outside.literal()) {
        inside = graph.emit(Constant(*literal), {}, outside.name);
        standIns[inside] = &outside;
    } else if (auto const folded = smallConstant(outside)) {
        inside = graph.emit(Constant(*folded), {}, outside.name);
    } else {
        inside = graph.addInput(outside.name, outside.type, outside.shape);
        inside->values = outside.values;
        standIns[inside] = &outside;
    }
    return known->second = inside;
}

TenonOnnxTensor TenonOnnxModelNode::kept(Literal const& literal, int64_t elementType) {
    Literal const& held = literals_.emplace_back(literal);
    auto const dims = held.dims().span();
    auto const& extents = extents_.emplace_back(dims.begin(), dims.end());
    return {trt::toApi(&held), extents.data(), static_cast<int32_t>(extents.size()), static_cast<int32_t>(elementType)};
}

TenonOnnxTensor TenonOnnxModelNode::constant(int32_t index, bool isNeeded) {
    Tensor const& tensor = *reader.input(index);
    bool const isKnown = isNeeded || tensor.literal() || constantValue(tensor);
    return isKnown ? kept(reader.constantInput(index), reader.elementType(index)) : TenonOnnxTensor{};
}

TenonOnnxAttribute TenonOnnxModelNode::attribute(char const* wanted, int32_t type) {
    onnx::pb::AttributeProto const* const found = reader.attribute(wanted, static_cast<AttributeType>(type));
    if (found == nullptr) return {};
    onnx::pb::AttributeProto const& given = *found;
    static int64_t const kZero = 0; // the value of a number that the file omits
    static float const kNothing = 0;
    TenonOnnxAttribute made{};
    switch (static_cast<AttributeType>(type)) {
    case AttributeType::Int: made = oneOf(given, given.i ? &*given.i : &kZero); break;
    case AttributeType::Float: made = oneOf(given, given.f ? &*given.f : &kNothing); break;
    case AttributeType::Ints: made = listOf(given, given.ints); break;
    case AttributeType::Floats: made = listOf(given, given.floats); break;
    case AttributeType::String: made = listOf(given, texts_.emplace_back(1, given.s ? given.s->c_str() : "")); break;
    case AttributeType::Strings: {
        auto& texts = texts_.emplace_back();
        for (std::string const& one : given.strings) texts.push_back(one.c_str());
        made = listOf(given, texts);
        break;
    }
    case AttributeType::Tensor:
        made = oneOf(given, &tensors_.emplace_back(kept(reader.tensor(wanted), onnx::tensorOf(given).dataType)));
        break;
    default:
        fail(ErrorCode::InvalidArgument, "attribute '", std::string_view(wanted), "' is requested with type ", type,
             ", which importers do not receive");
    }
    made.type = type;
    return made;
}

TenonOnnxAttribute TenonOnnxModelNode::attributeAt(int32_t index) {
    auto const& all = reader.attributes();
    if (index < 0 || static_cast<size_t>(index) >= all.size())
        fail(ErrorCode::InvalidArgument, "attribute ", index, " of a node with ", all.size());
    auto const& one = all[static_cast<size_t>(index)];
    return {one.name.c_str(), static_cast<int32_t>(onnx::typeOf(one)), 0, nullptr};
}

// ---- the functions of tenon/onnx.h

namespace {

template <class Call> char const* answer(Call const& call) noexcept {
    thread_local std::string kept;
    try {
        call();
        return nullptr;
    } catch (std::exception const& error) {
        kept = error.what();
    } catch (...) {
        kept = "an exception of unknown type";
    }
    return kept.c_str();
}

Literal literalOf(nvinfer1::Weights const& weights) { return trt::fromApi(weights, Dims({weights.count})); }

} // namespace

void tenonOnnxNodeFacts(TenonOnnxModelNode const* node, TenonOnnxNodeFacts* facts) noexcept {
    *facts = {node->op.c_str(),
              node->domain.c_str(),
              node->name.c_str(),
              node->reader.opset(),
              node->reader.inputCount(),
              node->reader.outputCount(),
              static_cast<int32_t>(node->reader.attributes().size())};
}

char const* tenonOnnxInput(TenonOnnxModelNode* node, int32_t index, nvinfer1::ITensor** input) noexcept {
    return answer([&] { *input = node->input(index); });
}

char const* tenonOnnxConstant(TenonOnnxModelNode* node, int32_t index, bool isNeeded,
                              TenonOnnxTensor* constant) noexcept {
    return answer([&] { *constant = node->constant(index, isNeeded); });
}

char const* tenonOnnxInputType(TenonOnnxModelNode* node, int32_t index, int32_t* elementType) noexcept {
    return answer([&] { *elementType = static_cast<int32_t>(node->reader.elementType(index)); });
}

char const* tenonSetOnnxElementType(TenonOnnxModelNode* node, nvinfer1::ITensor const* output,
                                    int32_t elementType) noexcept {
    return answer([&] {
        if (output == nullptr) fail(ErrorCode::InvalidArgument, "setElementType: the tensor is null");
        DataType const expected = onnx::dataTypeOf(elementType);
        Tensor const& tensor = node->network.tensorOf(*output);
        node->network.refresh(&tensor);
        if (tensor.type != expected)
            fail(ErrorCode::InvalidArgument, "setElementType: tensor ", tensor.name, " is ", tensor.type,
                 "; ONNX's element type ", elementType, " is stored in ", expected);
        node->elementTypes[output] = elementType;
    });
}

bool tenonHasOnnxOutput(TenonOnnxModelNode const* node, int32_t index) noexcept {
    return index >= 0 && node->reader.hasOutput(index);
}

char const* tenonOnnxAttribute(TenonOnnxModelNode* node, char const* name, int32_t type,
                               TenonOnnxAttribute* found) noexcept {
    return answer([&] { *found = node->attribute(trt::expectText(name, "the name of an attribute"), type); });
}

char const* tenonOnnxAttributeAt(TenonOnnxModelNode* node, int32_t index, TenonOnnxAttribute* found) noexcept {
    return answer([&] { *found = node->attributeAt(index); });
}

void tenonIgnoreOnnxAttribute(TenonOnnxModelNode* node, char const* name) noexcept {
    (void)answer([&] { node->reader.ignore({trt::expectText(name, "the name of an attribute")}); });
}

void tenonGiveOnnxOutputs(TenonOnnxModelNode* node, nvinfer1::ITensor* const* outputs, int32_t nbOutputs) noexcept {
    (void)answer([&] { node->outputs.emplace(outputs, outputs + nbOutputs); });
}

void tenonRefuseOnnxNode(TenonOnnxModelNode* node, char const* why) noexcept {
    (void)answer([&] { node->refusal = why ? why : "threw something that is not a std::exception"; });
}

char const* tenonWeightsAsIntegers(nvinfer1::Weights const* weights, int64_t* elements) noexcept {
    return answer([&] {
        Literal const literal = literalOf(*weights);
        if (!isInteger(literal.type()) && literal.type() != DataType::Bool)
            fail(ErrorCode::InvalidArgument, "the tensor is ", literal.type(), "; expected one of integers");
        auto const values = literal.toInt64();
        std::copy(values.begin(), values.end(), elements);
    });
}

char const* tenonWeightsAsReals(nvinfer1::Weights const* weights, float* elements) noexcept {
    return answer([&] {
        auto const values = literalOf(*weights).toFloat();
        std::copy(values.begin(), values.end(), elements);
    });
}
