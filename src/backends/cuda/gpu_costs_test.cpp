// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/gpu_costs.h"

#include <gtest/gtest.h>

namespace tenon::cuda {
namespace {

constexpr GpuFigures kH200{90, 132, 1980e3, 3201e3, 6016}; // as reported by CUDA
constexpr GpuFigures kA100{80, 108, 1410e3, 1593e3, 5120};
constexpr double kTera = 1e3; // operations per nanosecond

/// NVIDIA's data sheets (dense), at the clock rates that they use.
TEST(GpuCosts, areThoseOfTheDataSheets) {
    Costs const a100 = costsOf(kA100); // of 80 GB, SXM
    EXPECT_NEAR(a100.float32, 19.5 * kTera, 0.1 * kTera);
    EXPECT_NEAR(a100.tf32, 156 * kTera, kTera);
    EXPECT_NEAR(a100.float16, 312 * kTera, kTera);
    EXPECT_NEAR(a100.int8, 624 * kTera, kTera);
    GpuFigures slower = kH200;
    slower.clockKHz = 1830e3;
    Costs const h200 = costsOf(slower);
    EXPECT_NEAR(h200.float32, 67 * kTera, 6 * kTera);
    EXPECT_NEAR(h200.tf32, 494.7 * kTera, kTera);
    EXPECT_NEAR(h200.bfloat16, 989.5 * kTera, kTera);
    EXPECT_NEAR(h200.int8, 1979 * kTera, kTera);
}

/// Speeds of kernels measured on an H200.
TEST(GpuCosts, areWhatAnH200Reached) {
    Costs const costs = costsOf(kH200);
    EXPECT_NEAR(costs.bytesPerNs, 3000, 30);
    EXPECT_EQ(costs.launch, 1500);
    EXPECT_NEAR(costs.peak(DataType::Float32) * kOrdinary, 30e3, 300);
    EXPECT_EQ(costs.kernel(0, 0, 1), 1500);
    EXPECT_NEAR(costs.kernel(3e9, 0, 1), 1e6, 2e4);
}

TEST(GpuCosts, ofTypesWithoutTensorCoresAreThoseOfFloat32) {
    Costs const costs = costsOf(kH200);
    EXPECT_EQ(costs.peak(DataType::Int32), costs.float32);
    EXPECT_EQ(costs.peak(DataType::Float8), costs.float32);
    EXPECT_GT(costs.peak(DataType::Float16), 8 * costs.float32);
}

} // namespace
} // namespace tenon::cuda
