// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/custom_fields.h"

#include "base/error.h"
#include "onnx/attributes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tenon::onnx {
namespace {

using Type = CustomField::Type;

constexpr std::string_view kVersion = "plugin_version";
constexpr std::string_view kNamespace = "plugin_namespace";
constexpr std::string_view kShapeInputs = "tensorrt_plugin_shape_input_indices";

bool isOurs(std::string const& attribute) {
    return attribute == kVersion || attribute == kNamespace || attribute == kShapeInputs;
}

template <class T> std::vector<std::byte> bytesFrom(T const* values, size_t count) {
    std::vector<std::byte> bytes(count * sizeof(T));
    if (count != 0) std::memcpy(bytes.data(), values, bytes.size());
    return bytes;
}

/// int32, as plugins of all generations expect; int64 only for values that do not fit.
void setIntegers(CustomField& field, std::span<int64_t const> values, Log const& log) {
    field.length = static_cast<int64_t>(values.size());
    bool const fits = std::ranges::all_of(values, [](int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; });
    if (!fits) {
        say(log, Severity::Warning,
            text("attribute '", field.name, "' does not fit in int32; it is passed to the plugin as int64"));
        field.type = Type::Int64;
        field.bytes = bytesFrom(values.data(), values.size());
        return;
    }
    std::vector<int32_t> const narrow(values.begin(), values.end());
    field.type = Type::Int32;
    field.bytes = bytesFrom(narrow.data(), narrow.size());
}

void setFloats(CustomField& field, std::span<float const> values) {
    field.type = Type::Float32;
    field.length = static_cast<int64_t>(values.size());
    field.bytes = bytesFrom(values.data(), values.size());
}

void addString(CustomField& field, std::string const& value) {
    field.type = Type::Char;
    auto const* start = reinterpret_cast<std::byte const*>(value.c_str());
    field.bytes.insert(field.bytes.end(), start, start + value.size() + 1);
    field.length = static_cast<int64_t>(field.bytes.size());
}

std::optional<Type> fieldType(ElementType type) {
    switch (type) {
    case ElementType::Float16: return Type::Float16;
    case ElementType::Float32: return Type::Float32;
    case ElementType::Float64: return Type::Float64;
    case ElementType::Int8: return Type::Int8;
    case ElementType::Int16: return Type::Int16;
    case ElementType::Int32: return Type::Int32;
    case ElementType::Int64: return Type::Int64;
    case ElementType::BFloat16: return Type::BFloat16;
    case ElementType::Float8E4M3FN: return Type::Float8;
    case ElementType::Int4: return Type::Int4;
    default: return std::nullopt;
    }
}

void setTensor(CustomField& field, pb::TensorProto const& tensor, FlatNode const& node, TensorReader const& tensors) {
    ElementType const type = elementType(tensor.dataType);
    if (type == ElementType::String) {
        for (std::string const& value : tensor.stringData) addString(field, value);
        return;
    }
    Elements const elements = tensors.elements(tensor, node.owner);
    field.length = elements.dims.volume();
    if (type == ElementType::UInt8 || type == ElementType::Bool) {
        auto const* values = static_cast<uint8_t const*>(elements.data);
        std::vector<int32_t> const wide(values, values + field.length);
        field.type = Type::Int32;
        field.bytes = bytesFrom(wide.data(), wide.size());
        return;
    }
    auto const fitting = fieldType(type);
    if (!fitting) fail(ErrorCode::Unsupported, "is a tensor of ", type, "; plugin fields have no such type");
    field.type = *fitting;
    field.bytes = bytesFrom(static_cast<std::byte const*>(elements.data), bytesOf(type, elements.dims));
}

/// The inputs of a field.
struct Source {
    FlatNode const& node;
    TensorReader const& tensors;
    Log const& log;
};

CustomField fieldOf(pb::AttributeProto const& attribute, Source const& source) {
    using enum AttributeType;
    CustomField field{.name = attribute.name, .bytes = {}};
    int64_t const one = attribute.i.value_or(0);
    float const real = attribute.f.value_or(0);
    switch (AttributeType const type = typeOf(attribute)) {
    case Int: setIntegers(field, {&one, 1}, source.log); break;
    case Ints: setIntegers(field, attribute.ints, source.log); break;
    case Float: setFloats(field, {&real, 1}); break;
    case Floats: setFloats(field, attribute.floats); break;
    case String: addString(field, attribute.s.value_or("")); break;
    case Strings:
        field.type = Type::Char;
        for (std::string const& value : attribute.strings) addString(field, value);
        break;
    case Tensor: setTensor(field, tensorOf(attribute), source.node, source.tensors); break;
    default:
        fail(ErrorCode::Unsupported, "is of type ", nameOf(type),
             "; plugin fields hold numbers, strings or one tensor");
    }
    return field;
}

std::vector<int64_t> shapeInputs(pb::NodeProto const& node) {
    std::vector<int64_t> inputs;
    auto const* attribute = findAttribute(node, kShapeInputs, AttributeType::Ints);
    if (attribute == nullptr) return inputs;
    auto const count = static_cast<int64_t>(node.input.size());
    for (int64_t const i : attribute->ints) {
        if (i < -count || i >= count)
            fail(ErrorCode::InvalidModel, "attribute '", kShapeInputs, "' names input ", i, "; the node has ", count);
        inputs.push_back(i < 0 ? i + count : i);
    }
    return inputs;
}

void warnOfOthers(pb::NodeProto const& node, CustomNode const& custom, std::vector<std::string> const& names,
                  Log const& log) {
    for (pb::AttributeProto const& attribute : node.attribute) {
        if (isOurs(attribute.name) || std::ranges::count(names, attribute.name) > 0) continue;
        say(log, Severity::Warning,
            text(custom.name, " (", node.opType, "): the plugin is not given the attribute '", attribute.name,
                 "' = ", printValue(attribute), ", which is not one of the fields that its creator names: ",
                 names.empty() ? "none" : joined(names, ", ")));
    }
}

bool isGiven(pb::NodeProto const& node, std::string_view attribute) {
    return findAttribute(node, attribute) != nullptr;
}

/// " Its attribute 'plugin_version' is missing, which means \"1\"; set it to \"2\" or \"3\"."; empty if the value that
/// it has or means is that of a registered type.
std::string adviseAttribute(pb::NodeProto const& node, std::string_view attribute, std::string const& asked,
                            std::vector<CustomType> const& all, std::string CustomType::*member) {
    std::vector<std::string> values;
    for (CustomType const& type : all) {
        std::string value = text('"', type.*member, '"');
        if (type.*member == asked) return {};
        if (std::ranges::count(values, value) == 0) values.push_back(std::move(value));
    }
    return text(" Its attribute '", attribute, isGiven(node, attribute) ? "' is \"" : "' is missing, which means \"",
                asked, "\"; set it to ", joined(values, " or "), '.');
}

void sayWhichIsTaken(pb::NodeProto const& node, CustomNode const& custom, Log const& log) {
    CustomType const asked = customType(node);
    std::string missing;
    if (custom.type.version != asked.version) missing = text("'", kVersion, "'");
    if (custom.type.nameSpace != asked.nameSpace) missing += text(missing.empty() ? "'" : " or '", kNamespace, "'");
    say(log, Severity::Info,
        text(custom.name, " (", node.opType, "): has no attribute ", missing, "; plugin ", custom.type.name,
             ", version ", custom.type.version, ", namespace \"", custom.type.nameSpace,
             "\", the only one registered, is used"));
}

} // namespace

CustomType customType(pb::NodeProto const& node) {
    if (node.opType != kSerializedPlugin)
        return {node.opType, stringAttribute(node, kVersion, "1"), stringAttribute(node, kNamespace, "")};
    std::string const name = stringAttribute(node, "name", "");
    if (name.empty()) fail(ErrorCode::InvalidModel, "its attribute 'name', the plugin's, is missing");
    return {name, stringAttribute(node, "version", "1"), stringAttribute(node, "namespace", "")};
}

std::optional<CustomType> registeredType(pb::NodeProto const& node, CustomNodes const& plugins) {
    CustomType const asked = customType(node);
    auto all = plugins.registered(asked.name);
    if (std::ranges::count(all, asked) > 0) return asked;
    if (node.opType == kSerializedPlugin) return std::nullopt; // the type that wrote its bytes
    std::erase_if(all, [&](CustomType const& type) {
        return (isGiven(node, kVersion) && type.version != asked.version) ||
               (isGiven(node, kNamespace) && type.nameSpace != asked.nameSpace);
    });
    return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

std::string adviseAttributes(pb::NodeProto const& node, CustomNodes const& plugins) {
    CustomType const asked = customType(node);
    auto const all = plugins.registered(asked.name);
    bool const isNamed = node.opType != kSerializedPlugin && !all.empty();
    if (!isNamed) return {};
    std::string advice = adviseAttribute(node, kVersion, asked.version, all, &CustomType::version) +
                         adviseAttribute(node, kNamespace, asked.nameSpace, all, &CustomType::nameSpace);
    if (!advice.empty()) return advice;
    return text(" Set its attributes '", kVersion, "' and '", kNamespace, "' to those of one of them.");
}

CustomNode customNode(FlatNode const& node, std::string name, CustomNodes const& plugins, TensorReader const& tensors,
                      Log const& log) {
    CustomNode custom{registeredType(*node.proto, plugins).value_or(customType(*node.proto)),
                      std::move(name),
                      {},
                      shapeInputs(*node.proto),
                      {}};
    if (custom.type != customType(*node.proto)) sayWhichIsTaken(*node.proto, custom, log);
    if (node.proto->opType == kSerializedPlugin) {
        std::string const data = stringAttribute(*node.proto, "data", "");
        custom.state = bytesFrom(reinterpret_cast<std::byte const*>(data.data()), data.size());
        return custom;
    }
    auto const names = plugins.fieldNames(custom.type);
    for (std::string const& field : names) {
        auto const* attribute = findAttribute(*node.proto, field);
        if (attribute == nullptr) continue; // the plugin has a default, or reports what is missing
        auto const where = [&] { return text("attribute '", field, '\''); };
        custom.fields.push_back(locate(where, [&] { return fieldOf(*attribute, {node, tensors, log}); }));
    }
    warnOfOthers(*node.proto, custom, names, log);
    return custom;
}

} // namespace tenon::onnx
