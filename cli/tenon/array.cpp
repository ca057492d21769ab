// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "array.h"

#include "small_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

namespace tenon::cli {
namespace {

using nvinfer1::DataType;

constexpr ElementInfo kElements[]{
    {Element::Float16, "float16", "f2", 2}, {Element::Float32, "float32", "f4", 4},
    {Element::Float64, "float64", "f8", 8}, {Element::Int8, "int8", "i1", 1},
    {Element::Int16, "int16", "i2", 2},     {Element::Int32, "int32", "i4", 4},
    {Element::Int64, "int64", "i8", 8},     {Element::UInt8, "uint8", "u1", 1},
    {Element::UInt16, "uint16", "u2", 2},   {Element::UInt32, "uint32", "u4", 4},
    {Element::UInt64, "uint64", "u8", 8},   {Element::Bool, "bool", "b1", 1},
    {Element::Raw1, "void8", "V1", 1},      {Element::Raw2, "void16", "V2", 2},
};

template <class T> T at(Array const& array, size_t index) {
    T value;
    std::memcpy(&value, array.bytes.data() + index * sizeof value, sizeof value);
    return value;
}

long double rawNumber(Array const& array, size_t index, DataType type) {
    if (array.element == Element::Raw2) return decode(at<uint16_t>(array, index), kBFloat);
    auto const bits = at<uint8_t>(array, index);
    return type == DataType::kE8M0 ? decodeScale(bits) : decode(bits, kFloat8);
}

} // namespace

ElementInfo const& infoOf(Element element) { return *std::ranges::find(kElements, element, &ElementInfo::element); }

ElementInfo const* elementOf(std::string_view descr) {
    auto const* const found = std::ranges::find(kElements, descr, &ElementInfo::descr);
    return found == std::end(kElements) ? nullptr : found;
}

std::optional<Element> elementOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return Element::Float32;
    case DataType::kHALF: return Element::Float16;
    case DataType::kINT8: return Element::Int8;
    case DataType::kINT32: return Element::Int32;
    case DataType::kBOOL: return Element::Bool;
    case DataType::kUINT8: return Element::UInt8;
    case DataType::kINT64: return Element::Int64;
    case DataType::kBF16: return Element::Raw2;
    case DataType::kFP8:
    case DataType::kE8M0: return Element::Raw1;
    case DataType::kINT4:
    case DataType::kFP4: return std::nullopt;
    }
    return std::nullopt;
}

char const* nameOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return "float32";
    case DataType::kHALF: return "float16";
    case DataType::kINT8: return "int8";
    case DataType::kINT32: return "int32";
    case DataType::kBOOL: return "bool";
    case DataType::kUINT8: return "uint8";
    case DataType::kFP8: return "float8";
    case DataType::kBF16: return "bfloat16";
    case DataType::kINT64: return "int64";
    case DataType::kINT4: return "int4";
    case DataType::kFP4: return "float4";
    case DataType::kE8M0: return "e8m0";
    }
    return "an unknown type";
}

long double numberAt(Array const& array, size_t index, DataType type) {
    switch (array.element) {
    case Element::Float16: return decode(at<uint16_t>(array, index), kHalf);
    case Element::Float32: return at<float>(array, index);
    case Element::Float64: return at<double>(array, index);
    case Element::Int8: return at<int8_t>(array, index);
    case Element::Int16: return at<int16_t>(array, index);
    case Element::Int32: return at<int32_t>(array, index);
    case Element::Int64: return at<int64_t>(array, index);
    case Element::UInt8: return at<uint8_t>(array, index);
    case Element::UInt16: return at<uint16_t>(array, index);
    case Element::UInt32: return at<uint32_t>(array, index);
    case Element::UInt64: return at<uint64_t>(array, index);
    case Element::Bool: return at<uint8_t>(array, index) != 0;
    case Element::Raw1:
    case Element::Raw2: return rawNumber(array, index, type);
    }
    return NAN;
}

} // namespace tenon::cli
