// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "base/small_types.h"

namespace tenon::cuda {

/// Scales or zero points of any type; without data all are 0. Branches are uniform across threads.
struct Numbers {
    DataType type = DataType::Float32;
    void const* data = nullptr;

    __device__ float operator[](int64_t i) const {
        if (data == nullptr) return 0;
        switch (type) {
        case DataType::Float32: return static_cast<float const*>(data)[i];
        case DataType::Float16: return __half2float(static_cast<__half const*>(data)[i]);
        case DataType::BFloat16: return __bfloat162float(static_cast<__nv_bfloat16 const*>(data)[i]);
        case DataType::Int8: return static_cast<int8_t const*>(data)[i];
        case DataType::UInt8: return static_cast<uint8_t const*>(data)[i];
        case DataType::Int32: return static_cast<float>(static_cast<int32_t const*>(data)[i]);
        default: return smallElement(type, data, i);
        }
    }
};

} // namespace tenon::cuda
