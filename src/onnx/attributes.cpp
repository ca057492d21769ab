// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/attributes.h"

#include "base/error.h"

#include <algorithm>
#include <set>

namespace tenon::onnx {

namespace {

/// The number of set fields: one, unless the attribute is broken or has the default value of its type.
std::vector<AttributeType> valuesOf(pb::AttributeProto const& attribute) {
    using enum AttributeType;
    std::vector<AttributeType> found;
    auto const note = [&](bool isSet, AttributeType type) {
        if (isSet) found.push_back(type);
    };
    note(attribute.f.has_value(), Float);
    note(attribute.i.has_value(), Int);
    note(attribute.s.has_value(), String);
    note(attribute.t.has_value(), Tensor);
    note(attribute.g != nullptr, Graph);
    note(!attribute.floats.empty(), Floats);
    note(!attribute.ints.empty(), Ints);
    note(!attribute.strings.empty(), Strings);
    note(attribute.tensors, Tensors);
    note(attribute.graphs, Graphs);
    return found;
}

void expectOneValue(pb::AttributeProto const& attribute) {
    auto const found = valuesOf(attribute);
    if (found.size() > 1)
        fail(ErrorCode::InvalidModel, "attribute '", attribute.name,
             "' has values of several types: ", nameOf(found[0]), " and ", nameOf(found[1]), "; expected one value");
    if (found.empty()) return; // an empty list, or a number that is 0
    if (AttributeType const type = typeOf(attribute); found[0] != type)
        fail(ErrorCode::InvalidModel, "attribute '", attribute.name, " ' is declared as type ", nameOf(type),
             ", but its value is of type ", nameOf(found[0]));
    if (!attribute.refAttrName.empty())
        fail(ErrorCode::InvalidModel, "attribute '", attribute.name, "' refers to the attribute '",
             attribute.refAttrName, "' of a function and also has a value; expected one of them");
}

} // namespace

AttributeType typeOf(pb::AttributeProto const& attribute) {
    if (attribute.type < 0 || static_cast<size_t>(attribute.type) >= pb::kAttributeTypeNames.size())
        fail(ErrorCode::Unsupported, "attribute '", attribute.name, "': its field 'type' is ", attribute.type,
             ", which is not supported; save the model with an older version of ONNX");
    if (attribute.type != 0) return static_cast<AttributeType>(attribute.type);
    if (auto const found = valuesOf(attribute); !found.empty()) return found[0];
    fail(ErrorCode::InvalidModel, "attribute '", attribute.name, "' has neither a type nor a value");
}

std::string_view nameOf(AttributeType type) { return pb::kAttributeTypeNames[static_cast<size_t>(type)]; }

void expectSoundAttributes(pb::NodeProto const& node) {
    std::set<std::string_view> names;
    for (pb::AttributeProto const& attribute : node.attribute) {
        if (attribute.name.empty()) fail(ErrorCode::InvalidModel, "has an attribute without a name");
        if (!names.insert(attribute.name).second)
            fail(ErrorCode::InvalidModel, "attribute '", attribute.name, "' is duplicated");
        expectOneValue(attribute);
    }
}

pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name) {
    for (pb::AttributeProto const& attribute : node.attribute) {
        if (attribute.name == name) return &attribute;
    }
    return nullptr;
}

pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name, AttributeType type) {
    auto const* attribute = findAttribute(node, name);
    if (attribute == nullptr) return nullptr;
    if (!attribute->refAttrName.empty())
        fail(ErrorCode::InvalidModel, "attribute '", name, "' refers to the attribute '", attribute->refAttrName,
             "' of a function, but the node is not in one");
    AttributeType const found = typeOf(*attribute);
    if (found != type)
        fail(ErrorCode::InvalidModel, "attribute '", name, "' is of type ", nameOf(found), "; expected ", nameOf(type));
    return attribute;
}

namespace {

constexpr size_t kMostPrinted = 8; // elements of a list
constexpr size_t kMostLetters = 80;

template <class List> std::string printList(List const& list) {
    std::string printed;
    for (size_t i = 0; i < std::min(list.size(), kMostPrinted); ++i) printed += text(i == 0 ? "" : ", ", list[i]);
    return text('[', printed, list.size() > kMostPrinted ? ", …]" : "]");
}

std::string printString(std::string const& value) {
    bool const isShort = value.size() <= kMostLetters;
    return text('"', value.substr(0, kMostLetters), isShort ? "" : "…", '"');
}

} // namespace

std::string printValue(pb::AttributeProto const& attribute) {
    using enum AttributeType;
    switch (AttributeType const type = typeOf(attribute)) {
    case Int: return text(attribute.i.value_or(0));
    case Float: return text(attribute.f.value_or(0));
    case String: return printString(attribute.s.value_or(""));
    case Ints: return printList(attribute.ints);
    case Floats: return printList(attribute.floats);
    case Strings: return text(attribute.strings.size(), " strings");
    default: return text("of type ", nameOf(type));
    }
}

pb::TensorProto const& tensorOf(pb::AttributeProto const& attribute) {
    if (!attribute.t) fail(ErrorCode::InvalidModel, "attribute '", attribute.name, "' must be a tensor, but has none");
    return *attribute.t;
}

std::string stringAttribute(pb::NodeProto const& node, std::string_view name, std::string_view otherwise) {
    auto const* attribute = findAttribute(node, name, AttributeType::String);
    return attribute ? attribute->s.value_or("") : std::string(otherwise);
}

} // namespace tenon::onnx
