// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/attributes.h"

#include "base/error.h"
#include "onnx/unknown_fields.h"

#include <algorithm>

namespace tenon::onnx {

AttributeType typeOf(pb::AttributeProto const& attribute) {
    using A = pb::AttributeProto;
    locate([&] { return text("attribute '", attribute.name(), '\''); }, [&] { checkUnknownFields(attribute, {}); });
    if (attribute.type() != A::UNDEFINED) return attribute.type();
    if (attribute.has_f()) return A::FLOAT;
    if (attribute.has_i()) return A::INT;
    if (attribute.has_s()) return A::STRING;
    if (attribute.has_t()) return A::TENSOR;
    if (attribute.has_g()) return A::GRAPH;
    if (attribute.floats_size() > 0) return A::FLOATS;
    if (attribute.ints_size() > 0) return A::INTS;
    if (attribute.strings_size() > 0) return A::STRINGS;
    if (attribute.tensors_size() > 0) return A::TENSORS;
    if (attribute.graphs_size() > 0) return A::GRAPHS;
    fail(ErrorCode::InvalidModel, "attribute '", attribute.name(), "' has neither a type nor a value");
}

pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name) {
    for (pb::AttributeProto const& attribute : node.attribute()) {
        if (attribute.name() == name) return &attribute;
    }
    return nullptr;
}

pb::AttributeProto const* findAttribute(pb::NodeProto const& node, std::string_view name, AttributeType type) {
    auto const* attribute = findAttribute(node, name);
    if (attribute == nullptr) return nullptr;
    if (!attribute->ref_attr_name().empty())
        fail(ErrorCode::InvalidModel, "attribute '", name, "' refers to the attribute '", attribute->ref_attr_name(),
             "' of a function, and the node is in none");
    AttributeType const found = typeOf(*attribute);
    if (found != type)
        fail(ErrorCode::InvalidModel, "attribute '", name, "' is of type ",
             pb::AttributeProto::AttributeType_Name(found), "; expected ",
             pb::AttributeProto::AttributeType_Name(type));
    return attribute;
}

namespace {

constexpr int kMostPrinted = 8; // elements of a list
constexpr size_t kMostLetters = 80;

template <class List> std::string printList(List const& list) {
    std::string printed;
    for (int i = 0; i < std::min(list.size(), kMostPrinted); ++i) printed += text(i == 0 ? "" : ", ", list.Get(i));
    return text('[', printed, list.size() > kMostPrinted ? ", …]" : "]");
}

std::string printString(std::string const& value) {
    bool const isShort = value.size() <= kMostLetters;
    return text('"', value.substr(0, kMostLetters), isShort ? "" : "…", '"');
}

} // namespace

std::string printValue(pb::AttributeProto const& attribute) {
    using A = pb::AttributeProto;
    switch (AttributeType const type = typeOf(attribute)) {
    case A::INT: return text(attribute.i());
    case A::FLOAT: return text(attribute.f());
    case A::STRING: return printString(attribute.s());
    case A::INTS: return printList(attribute.ints());
    case A::FLOATS: return printList(attribute.floats());
    case A::STRINGS: return text(attribute.strings_size(), " texts");
    default: return text("of type ", A::AttributeType_Name(type));
    }
}

std::string stringAttribute(pb::NodeProto const& node, std::string_view name, std::string_view otherwise) {
    auto const* attribute = findAttribute(node, name, pb::AttributeProto::STRING);
    return attribute ? attribute->s() : std::string(otherwise);
}

} // namespace tenon::onnx
