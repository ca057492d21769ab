// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tenon::cuda {

/// Calls body(TypeTag<T>{}) with the type that a kernel uses to read elements of `type`.
template <class Body> decltype(auto) dispatchElement(DataType type, Body&& body) {
    switch (type) {
    case DataType::Float32: return body(TypeTag<float>{});
    case DataType::Float16: return body(TypeTag<__half>{});
    case DataType::BFloat16: return body(TypeTag<__nv_bfloat16>{});
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

/// The same for floating point types.
template <class Body> decltype(auto) dispatchFloat(DataType type, Body&& body) {
    switch (type) {
    case DataType::Float16: return body(TypeTag<__half>{});
    case DataType::BFloat16: return body(TypeTag<__nv_bfloat16>{});
    case DataType::Float32: return body(TypeTag<float>{});
    case DataType::Float8:
    case DataType::Int4:
    case DataType::Float4:
    case DataType::E8M0:
    case DataType::Int8:
    case DataType::UInt8:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::Bool: break;
    }
    failOnType(type);
}

/// The same for floating point that may also be stored as int8 with a scale.
template <class Body> decltype(auto) dispatchKept(DataType type, Body&& body) {
    if (type == DataType::Int8) return body(TypeTag<int8_t>{});
    return dispatchFloat(type, body);
}

/// The same for kernels that only move elements: an unsigned integer of their size.
template <class Body> decltype(auto) dispatchSize(DataType type, Body&& body) {
    switch (bitsOf(type)) {
    case 8: return body(TypeTag<uint8_t>{});
    case 16: return body(TypeTag<uint16_t>{});
    case 32: return body(TypeTag<uint32_t>{});
    case 64: return body(TypeTag<uint64_t>{});
    default: failOnType(type);
    }
}

/// For kernels that move blocks: the widest word that divides a block and to which both addresses are aligned.
template <class Body> void dispatchWord(int64_t blockBytes, void const* from, void const* to, Body&& body) {
    auto const addresses = reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to);
    auto const common = static_cast<uintptr_t>(blockBytes) | addresses; // its lowest bit is the largest possible word
    if (common % 16 == 0) return body(TypeTag<uint4>{});
    if (common % 8 == 0) return body(TypeTag<uint64_t>{});
    if (common % 4 == 0) return body(TypeTag<uint32_t>{});
    common % 2 == 0 ? body(TypeTag<uint16_t>{}) : body(TypeTag<uint8_t>{});
}

/// Converts between element types like C++; 16-bit floats are converted through float.
template <class To, class From> __device__ __forceinline__ To convertTo(From value) {
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (std::is_same_v<From, __half>) {
        return convertTo<To>(__half2float(value));
    } else if constexpr (std::is_same_v<From, __nv_bfloat16>) {
        return convertTo<To>(__bfloat162float(value));
    } else if constexpr (std::is_same_v<To, __half>) {
        return __float2half_rn(static_cast<float>(value));
    } else if constexpr (std::is_same_v<To, __nv_bfloat16>) {
        return __float2bfloat16_rn(static_cast<float>(value));
    } else {
        return static_cast<To>(value);
    }
}

template <class T> __device__ __forceinline__ float toFloat(T value) { return convertTo<float>(value); }

/// `count` elements that are loaded and stored with one instruction.
template <class T, int count> struct alignas(sizeof(T) * count) Pack { T at[count]; };

} // namespace tenon::cuda
