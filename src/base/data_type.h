// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/half.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

enum class DataType : uint8_t {
    Float32,
    Float16,
    BFloat16,
    Float8, // E4M3FN: no infinity
    Int4,
    Float4, // E2M1
    E8M0,   // powers of two, for scales
    Int8,
    UInt8,
    Int32,
    Int64,
    Bool
};

std::string_view nameOf(DataType type); // "float32"
std::optional<DataType> dataTypeNamed(std::string_view name);
int bitsOf(DataType type);
bool isFloat(DataType type);    // a type that layers compute with: not Float8, Float4 and E8M0
bool isInteger(DataType type);  // likewise: not Int4 and not Bool
bool isComputed(DataType type); // all but Float8, Int4, Float4 and E8M0, which are only stored, moved and converted
/// Bytes of `count` elements; sub-byte types are rounded up.
size_t bytesOf(DataType type, int64_t count);

inline void append(std::string& to, DataType type) { to += nameOf(type); }

/// The C++ type that holds one element of a type; no entry for the packed sub-byte and 8-bit float types.
template <class T> constexpr DataType kTypeOf = DataType::Float32;
template <> inline constexpr DataType kTypeOf<Half> = DataType::Float16;
template <> inline constexpr DataType kTypeOf<BFloat16> = DataType::BFloat16;
template <> inline constexpr DataType kTypeOf<int8_t> = DataType::Int8;
template <> inline constexpr DataType kTypeOf<uint8_t> = DataType::UInt8;
template <> inline constexpr DataType kTypeOf<int32_t> = DataType::Int32;
template <> inline constexpr DataType kTypeOf<int64_t> = DataType::Int64;
template <> inline constexpr DataType kTypeOf<bool> = DataType::Bool;

[[noreturn]] void failOnType(DataType type);

template <class T> struct TypeTag { using type = T; };

/// Calls `body(TypeTag<T>{})` with the C++ type of `type`; throws an Error for types without one.
template <class Body> decltype(auto) dispatch(DataType type, Body&& body) {
    switch (type) {
    case DataType::Float32: return body(TypeTag<float>{});
    case DataType::Float16: return body(TypeTag<Half>{});
    case DataType::BFloat16: return body(TypeTag<BFloat16>{});
    case DataType::Int8: return body(TypeTag<int8_t>{});
    case DataType::UInt8: return body(TypeTag<uint8_t>{});
    case DataType::Int32: return body(TypeTag<int32_t>{});
    case DataType::Int64: return body(TypeTag<int64_t>{});
    case DataType::Bool: return body(TypeTag<bool>{});
    case DataType::Float8:
    case DataType::Int4:
    case DataType::Float4:
    case DataType::E8M0: break;
    }
    failOnType(type);
}

} // namespace tenon
