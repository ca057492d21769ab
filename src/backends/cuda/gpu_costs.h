// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/costs.h"

namespace tenon::cuda {

/// CUDA's properties of a GPU from which its speed is derived.
struct GpuFigures {
    int capability = 80;   // 90: compute capability 9.0
    int processors = 1;    // multiprocessors
    double clockKHz = 1e6; // maximum
    double memoryKHz = 1e6;
    double memoryBits = 1; // bus width; two transfers per cycle
};

/// Multiply-adds of a multiprocessor per cycle.
struct CycleWork {
    double float32;
    double float16; // sums in float32, on tensor cores; TF32 has half the rate, int8 twice
};

/// From NVIDIA's tables of arithmetic throughput. Newer GPUs are assumed to be at least as fast as the last one.
inline CycleWork cycleWorkOf(int capability) {
    if (capability < 80) return {64, 256};
    if (capability == 80) return {64, 1024};
    if (capability < 90) return {128, 256};
    if (capability < 100) return {128, 2048};
    if (capability < 120) return {128, 4096};
    return {128, 256};
}

/// The fraction of the float32 peak that kernels without tuning for this GPU reach.
inline constexpr double kOrdinary = 0.45;

/// CUDA does not report launch and hop times: they are similar on all current machines.
inline Costs costsOf(GpuFigures const& gpu) {
    constexpr double kKHzToPerNs = 1e-6;
    constexpr double kReached = 0.62; // of the memory bandwidth, by memory-bound kernels
    CycleWork const work = cycleWorkOf(gpu.capability);
    double const cyclesPerNs = gpu.clockKHz * kKHzToPerNs * gpu.processors;
    Costs costs;
    costs.launch = 1500;         // a small kernel after another one in a graph
    constexpr double kLeast = 1; // for properties that a GPU does not report: avoids division by zero
    costs.bytesPerNs = std::max(kLeast, kReached * 2 * gpu.memoryKHz * kKHzToPerNs * gpu.memoryBits / 8);
    costs.float32 = std::max(kLeast, 2 * work.float32 * cyclesPerNs);
    costs.float16 = 2 * work.float16 * cyclesPerNs;
    costs.bfloat16 = costs.float16;
    costs.tf32 = costs.float16 / 2;
    costs.int8 = 2 * costs.float16;
    costs.hop = 20e3;         // the other side waits for it
    costs.hopBytesPerNs = 20; // PCI Express 4, 16 lanes
    return costs;
}

} // namespace tenon::cuda
