// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/onnx_node.h"

#include "onnx/parse.h"
#include "trt/network/network.h"
#include "trt/parser/registered_importers.h"
#include "trt/parser/registered_nodes.h"

namespace tenon::trt {
namespace {

namespace pb = onnx::pb;

std::string orEmpty(char const* text) { return text ? text : ""; }

template <class T> std::span<T const> listAt(T const* values, int32_t count, std::string_view what) {
    if (count < 0) fail(ErrorCode::InvalidArgument, "has ", count, ' ', what, "; expected 0 or more");
    if (count > 0 && values == nullptr)
        fail(ErrorCode::InvalidArgument, "has ", count, ' ', what, " at the address null; expected that of the first");
    return {values, static_cast<size_t>(count)};
}

/// The values of an attribute; one if it is not a list.
template <class T> std::vector<T> valuesOf(TenonOnnxAttribute const& attribute, bool isList) {
    if (!isList && attribute.count != 1)
        fail(ErrorCode::InvalidArgument, "has ", attribute.count, " values; expected one, or the type of a list");
    auto const values = listAt(static_cast<T const*>(attribute.values), attribute.count, "values");
    return {values.begin(), values.end()};
}

std::vector<std::string> textsOf(TenonOnnxAttribute const& attribute, bool isList) {
    std::vector<std::string> texts;
    for (char const* text : valuesOf<char const*>(attribute, isList)) texts.emplace_back(expectText(text, "a text"));
    return texts;
}

pb::AttributeProto attributeOf(TenonOnnxAttribute const& given) {
    using enum pb::AttributeType;
    pb::AttributeProto attribute;
    attribute.name = orEmpty(given.name);
    attribute.type = given.type;
    switch (static_cast<pb::AttributeType>(given.type)) {
    case Float: attribute.f = valuesOf<float>(given, false)[0]; break;
    case Int: attribute.i = valuesOf<int64_t>(given, false)[0]; break;
    case String: attribute.s = textsOf(given, false)[0]; break;
    case Floats: attribute.floats = valuesOf<float>(given, true); break;
    case Ints: attribute.ints = valuesOf<int64_t>(given, true); break;
    case Strings: attribute.strings = textsOf(given, true); break;
    default:
        fail(ErrorCode::InvalidArgument, "is of type ", given.type,
             "; expected 1 (FLOAT), 2 (INT), 3 (STRING), 6 (FLOATS), 7 (INTS) or 8 (STRINGS)");
    }
    return attribute;
}

pb::NodeProto protoOf(TenonOnnxNode const& given) {
    pb::NodeProto proto;
    proto.opType = given.op;
    proto.domain = orEmpty(given.domain);
    proto.name = orEmpty(given.name);
    for (TenonOnnxAttribute const& attribute : listAt(given.attributes, given.nbAttributes, "attributes")) {
        proto.attribute.push_back(locate([&] { return text("attribute '", orEmpty(attribute.name), '\''); },
                                         [&] { return attributeOf(attribute); }));
    }
    return proto;
}

std::vector<Tensor*> inputsOf(Network& network, TenonOnnxNode const& given) {
    std::vector<Tensor*> tensors;
    for (ITensor const* input : listAt(given.inputs, given.nbInputs, "inputs")) {
        auto const where = [&] { return text("input ", tensors.size()); };
        tensors.push_back(input ? &locate(where, [&]() -> Tensor& { return network.tensorOf(*input); }) : nullptr);
        network.refresh(tensors.back());
    }
    return tensors;
}

onnx::LoneNode nodeOf(Network& network, TenonOnnxNode const& given, int32_t outputs) {
    if (network.hasImplicitBatch())
        fail(ErrorCode::InvalidState, "the network has an implicit batch; ONNX operators require all axes; create the "
                                      "network with kEXPLICIT_BATCH");
    if (outputs < 1) fail(ErrorCode::InvalidArgument, "is requested with ", outputs, " outputs; expected 1 or more");
    onnx::LoneNode node{.proto = protoOf(given), .inputs = inputsOf(network, given), .outputs = outputs};
    if (given.opset != 0) node.opset = given.opset;
    return node;
}

void addOnnxNode(Network& network, TenonOnnxNode const& given, ITensor** outputs, int32_t count) {
    std::string const op = expectText(given.op, "the name of the operator");
    if (op.empty()) fail(ErrorCode::InvalidArgument, "the name of the operator is empty; expected one of ONNX");
    auto const where = [&] { return text(given.name && *given.name ? given.name : op, " (", op, ')'); };
    auto const node = locate(where, [&] { return nodeOf(network, given, count); });
    RegisteredNodes plugins(network);
    onnx::ParseOptions options;
    options.customNodes = &plugins;
    RegisteredImporters importers([&](Reporter const& to) { return network.another(to); }, network.reporter().logger(),
                                  false);
    options.userImporters = &importers;
    options.log = network.reporter().log();
    std::vector<Tensor*> const made = onnx::addNode(node, network.graph(), options);
    for (Tensor* output : made) *outputs++ = network.faceOf(output);
}

} // namespace
} // namespace tenon::trt

char const* tenonAddOnnxNode(nvinfer1::INetworkDefinition* network, TenonOnnxNode const* node,
                             nvinfer1::ITensor** outputs, int32_t nbOutputs) noexcept try {
    if (network == nullptr || node == nullptr || (outputs == nullptr && nbOutputs > 0))
        tenon::fail(tenon::ErrorCode::InvalidArgument, "tenonAddOnnxNode: network, node or outputs is null");
    tenon::trt::addOnnxNode(static_cast<tenon::trt::Network&>(*network), *node, outputs, nbOutputs);
    return nullptr;
} catch (std::exception const& error) {
    thread_local std::string kept;
    kept = error.what();
    return kept.c_str();
}
