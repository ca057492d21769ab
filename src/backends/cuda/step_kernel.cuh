// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A kernel that is compiled for one program of steps on the user's machine: the program is a type, Steps, which
// compiled_steps.cpp writes. Read by NVRTC alone.

#include "backends/cuda/pointwise_step.cuh"
#include "backends/cuda/step_space.cuh"
#include "base/quantize.h"

namespace tenon::cuda {

// 16-bit floats by the instructions that the toolkit's headers would use.

struct Float16 {
    uint16_t bits;

    Float16() = default;
    __device__ explicit Float16(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    __device__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

struct BFloat16 {
    uint16_t bits;

    BFloat16() = default;
    __device__ explicit BFloat16(float value) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    __device__ operator float() const { return __uint_as_float(uint32_t{bits} << 16); }
};

/// Elements that are loaded and stored with one instruction.
template <class T, int width> struct alignas(sizeof(T) * width) StepPack { T at[width]; };

/// Input k at a pack of the result: values[i][k] = element i.
template <class T, int k, int width, int inputs>
__device__ __forceinline__ void loadInput(StepSpace const& space, StepPointers const& at, int64_t offset,
                                          float (&values)[width][inputs]) {
    T const* const data = static_cast<T const*>(at.inputs[k]) + offset;
    if (width == 1 || space.strides[k][0] == 0) {
        float const value = *data;
        for (int i = 0; i < width; ++i) values[i][k] = value;
    } else {
        auto const pack = *reinterpret_cast<StepPack<T, width> const*>(data);
        for (int i = 0; i < width; ++i) values[i][k] = pack.at[i];
    }
}

/// Input k is stored as integers: values[i][k] = the real value of element i.
template <int k, int width, int inputs>
__device__ __forceinline__ void dequantizeInput(float (&values)[width][inputs], float scale, float zero) {
    for (int i = 0; i < width; ++i) values[i][k] = (values[i][k] - zero) * scale;
}

/// X… [any] → Y [broadcast of all], one thread per pack.
template <class Steps, int width>
__device__ __forceinline__ void computePacks(StepSpace const& space, StepPointers const& at) {
    uint32_t const pack = blockIdx.x * blockDim.x + threadIdx.x;
    if (pack >= space.packs) return;
    int64_t offsets[Steps::kInputs];
    locate(space, pack, Steps::kInputs, offsets);
    float values[width][Steps::kInputs];
    Steps::load(space, at, offsets, values);
    int const real = realElements(space, pack, width);
    StepPack<typename Steps::Output, width> result;
    for (int i = 0; i < width; ++i)
        result.at[i] = i < real ? Steps::stored(Steps::compute(values[i])) : static_cast<typename Steps::Output>(0.0F);
    static_cast<StepPack<typename Steps::Output, width>*>(at.output)[pack] = result;
}

} // namespace tenon::cuda
