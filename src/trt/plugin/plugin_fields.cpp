// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_fields.h"

#include "base/error.h"
#include "trt/edge/edge.h"

#include <cstring>

namespace tenon::trt {
namespace {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldType;
using Type = PluginValue::Type;

PluginFieldType toApi(Type type) {
    switch (type) {
    case Type::Float16: return PluginFieldType::kFLOAT16;
    case Type::Float32: return PluginFieldType::kFLOAT32;
    case Type::Float64: return PluginFieldType::kFLOAT64;
    case Type::Int8: return PluginFieldType::kINT8;
    case Type::Int16: return PluginFieldType::kINT16;
    case Type::Int32: return PluginFieldType::kINT32;
    case Type::Char: return PluginFieldType::kCHAR;
    case Type::Dims: return PluginFieldType::kDIMS;
    case Type::BFloat16: return PluginFieldType::kBF16;
    case Type::Int64: return PluginFieldType::kINT64;
    case Type::Float8: return PluginFieldType::kFP8;
    case Type::Int4: return PluginFieldType::kINT4;
    case Type::Unknown: return PluginFieldType::kUNKNOWN;
    }
    fail(ErrorCode::Internal, "a field type without a counterpart in the API");
}

Type fromApi(PluginField const& field) {
    switch (field.type) {
    case PluginFieldType::kFLOAT16: return Type::Float16;
    case PluginFieldType::kFLOAT32: return Type::Float32;
    case PluginFieldType::kFLOAT64: return Type::Float64;
    case PluginFieldType::kINT8: return Type::Int8;
    case PluginFieldType::kINT16: return Type::Int16;
    case PluginFieldType::kINT32: return Type::Int32;
    case PluginFieldType::kCHAR: return Type::Char;
    case PluginFieldType::kDIMS: return Type::Dims;
    case PluginFieldType::kUNKNOWN: return Type::Unknown;
    case PluginFieldType::kBF16: return Type::BFloat16;
    case PluginFieldType::kINT64: return Type::Int64;
    case PluginFieldType::kFP8: return Type::Float8;
    case PluginFieldType::kINT4: return Type::Int4;
    case PluginFieldType::kFP4: break;
    }
    std::string const type = field.type == PluginFieldType::kFP4 ? "kFP4" : text(static_cast<int32_t>(field.type));
    fail(ErrorCode::Plugin, "field ", nameOrNull(field.name), " has type ", type, ", which is not supported");
}

size_t bytesOf(PluginField const& field, Type type) {
    if (field.length < 0)
        fail(ErrorCode::Plugin, "field ", nameOrNull(field.name), " has length ", field.length,
             "; expected at least 0");
    // of unknown type: bytes, as plugins use it
    return type == Type::Unknown ? static_cast<size_t>(field.length) : tenon::bytesOf(type, field.length);
}

} // namespace

FieldCollection::FieldCollection(std::vector<PluginValue> const& values) {
    for (PluginValue const& value : values)
        fields_.emplace_back(value.name.c_str(), value.bytes.data(), toApi(value.type),
                             static_cast<int32_t>(value.length));
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
}

PluginState stateOf(nvinfer1::PluginFieldCollection const& fields) {
    if (fields.nbFields < 0 || (fields.nbFields > 0 && fields.fields == nullptr))
        fail(ErrorCode::Plugin, "getFieldsToSerialize returned ", fields.nbFields, " fields at address ",
             fields.fields ? "given" : "null");
    PluginState state;
    for (PluginField const& field : std::span(fields.fields, static_cast<size_t>(fields.nbFields))) {
        Type const type = fromApi(field);
        PluginValue value{field.name ? field.name : "", type, field.length, {}};
        size_t const bytes = bytesOf(field, type);
        if (field.data == nullptr && bytes != 0)
            fail(ErrorCode::Plugin, "field ", value.name, " has ", field.length, " elements at address null");
        value.bytes.resize(bytes);
        if (!value.bytes.empty()) std::memcpy(value.bytes.data(), field.data, value.bytes.size());
        state.push_back(std::move(value));
    }
    return state;
}

} // namespace tenon::trt
