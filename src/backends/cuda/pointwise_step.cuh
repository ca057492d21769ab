// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// One step on the values of a GPU thread. Includes nothing of the CUDA toolkit: kernels that are compiled at build time
// on the user's machine include it, and there may be no toolkit.

#include "steps/pointwise_op.h"

namespace tenon::cuda {

inline constexpr float kGreatestFloat = 3.402823466e+38F; // larger magnitudes are the infinities

// Comparisons are written so that a NaN operand gives NaN, as in steps/step_compute.cpp.
__device__ __forceinline__ float leastOf(float a, float b) { return b < a || b != b ? b : a; }
__device__ __forceinline__ float mostOf(float a, float b) { return b > a || b != b ? b : a; }
__device__ __forceinline__ float clipped(float a, float low, float high) { return leastOf(mostOf(a, low), high); }

/// 1 / (1 + exp(-a)), to two units in the last place: the divisor is above 1, for which the fast division is enough.
__device__ __forceinline__ float sigmoidOf(float a) { return __fdividef(1, 1 + expf(-a)); }
__device__ __forceinline__ float softplusOf(float a) { return mostOf(a, 0) + log1pf(expf(-fabsf(a))); }
__device__ __forceinline__ float moduloOf(float a, float b) {
    float const rest = fmodf(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Products and sums are rounded as written: the compiler contracts none of these, so that a chain of steps gives the
// same result as its steps one by one.
__device__ __forceinline__ float lineOf(float alpha, float a, float beta) {
    float const product = __fmul_rn(alpha, a);
    return beta == 0 ? product : __fadd_rn(product, beta);
}

/// The functions that multiply a by a gate in [0, 1].
__device__ __forceinline__ float computeGate(PointwiseOp op, float a, float alpha) {
    constexpr float kRootOfHalf = 0.707106781F;
    constexpr float kRootOf8OverPi = 1.59576912F; // (1 + tanh(u)) / 2 = sigmoid(2u)
    switch (op) {
    case PointwiseOp::GeluErf: return 0.5F * a * (1 + erff(a * kRootOfHalf));
    case PointwiseOp::GeluTanh: return a * sigmoidOf(kRootOf8OverPi * (a + 0.044715F * a * a * a));
    case PointwiseOp::Mish: return a * tanhf(softplusOf(a));
    case PointwiseOp::HardSwish: return a * clipped(a * (1 / 6.0F) + 0.5F, 0, 1);
    default: return a * sigmoidOf(alpha * a); // Swish
    }
}

__device__ __forceinline__ float computeActivation(PointwiseOp op, float a, float alpha, float beta) {
    switch (op) {
    case PointwiseOp::Relu: return a < 0 ? 0 : a;
    case PointwiseOp::Sigmoid: return sigmoidOf(a);
    case PointwiseOp::Tanh: return tanhf(a);
    case PointwiseOp::LeakyRelu: return a < 0 ? __fmul_rn(alpha, a) : a;
    case PointwiseOp::Elu: return a < 0 ? alpha * expm1f(a) : a;
    case PointwiseOp::Selu: return beta * (a > 0 ? a : alpha * expm1f(a));
    case PointwiseOp::Softsign: return fabsf(a) > kGreatestFloat ? copysignf(1, a) : a / (1 + fabsf(a));
    case PointwiseOp::Softplus: return alpha * softplusOf(beta * a);
    case PointwiseOp::Clip: return clipped(a, alpha, beta);
    case PointwiseOp::HardSigmoid: return clipped(lineOf(alpha, a, beta), 0, 1);
    case PointwiseOp::ScaledTanh: return alpha * tanhf(beta * a);
    case PointwiseOp::ThresholdedRelu: return a <= alpha ? 0 : a;
    case PointwiseOp::Celu: return a < 0 ? alpha * expm1f(a / alpha) : a;
    default: return computeGate(op, a, alpha);
    }
}

__device__ __forceinline__ float computeUnary(PointwiseOp op, float a, float alpha, float beta) {
    switch (op) {
    case PointwiseOp::Exp: return expf(a);
    case PointwiseOp::Log: return logf(a);
    case PointwiseOp::Sqrt: return sqrtf(a);
    case PointwiseOp::Recip: return 1 / a;
    case PointwiseOp::Abs: return fabsf(a);
    case PointwiseOp::Neg: return -a;
    case PointwiseOp::Sin: return sinf(a);
    case PointwiseOp::Cos: return cosf(a);
    case PointwiseOp::Tan: return tanf(a);
    case PointwiseOp::Sinh: return sinhf(a);
    case PointwiseOp::Cosh: return coshf(a);
    case PointwiseOp::Asin: return asinf(a);
    case PointwiseOp::Acos: return acosf(a);
    case PointwiseOp::Atan: return atanf(a);
    case PointwiseOp::Asinh: return asinhf(a);
    case PointwiseOp::Acosh: return acoshf(a);
    case PointwiseOp::Atanh: return atanhf(a);
    case PointwiseOp::Ceil: return ceilf(a);
    case PointwiseOp::Floor: return floorf(a);
    case PointwiseOp::Erf: return erff(a);
    case PointwiseOp::Not: return a == 0;
    case PointwiseOp::Sign: return a != a ? a : static_cast<float>((a > 0) - (a < 0));
    case PointwiseOp::Round: return rintf(a);
    case PointwiseOp::IsInf: return fabsf(a) > kGreatestFloat;
    case PointwiseOp::IsNan: return a != a;
    default: return lineOf(alpha, a, beta); // Affine
    }
}

__device__ __forceinline__ float computeBinary(PointwiseOp op, float a, float b) {
    switch (op) {
    case PointwiseOp::Sum: return __fadd_rn(a, b);
    case PointwiseOp::Prod: return __fmul_rn(a, b);
    case PointwiseOp::Max: return mostOf(a, b);
    case PointwiseOp::Min: return leastOf(a, b);
    case PointwiseOp::Sub: return __fsub_rn(a, b);
    case PointwiseOp::Div: return a / b;
    case PointwiseOp::Pow: return powf(a, b);
    case PointwiseOp::FloorDiv: return floorf(a / b);
    case PointwiseOp::And: return a != 0 && b != 0;
    case PointwiseOp::Or: return a != 0 || b != 0;
    case PointwiseOp::Xor: return (a != 0) != (b != 0);
    case PointwiseOp::Equal: return a == b;
    case PointwiseOp::Greater: return a > b;
    case PointwiseOp::Less: return a < b;
    case PointwiseOp::ParametricRelu: return a < 0 ? __fmul_rn(a, b) : a;
    case PointwiseOp::Mod: return moduloOf(a, b);
    default: return fmodf(a, b);
    }
}

/// Computes a PointwiseStep on scalars (b: for operations with two operands). If `op` is a compile-time constant, only
/// that operation remains; otherwise this is a branch that is uniform across a warp.
__device__ __forceinline__ float computeStep(PointwiseOp op, float a, float b, float alpha, float beta) {
    if (isActivation(op)) return computeActivation(op, a, alpha, beta);
    return isElementwise(op) ? computeBinary(op, a, b) : computeUnary(op, a, alpha, beta);
}

} // namespace tenon::cuda
