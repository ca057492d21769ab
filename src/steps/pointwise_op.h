// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon {

/// All operations that compute an element of the result from the elements at the same index alone: the operations of
/// Activation, Unary and Elementwise, and the steps of Pointwise. `a` and `b` are operands; alpha and beta belong to
/// the step. Operations that TensorRT has keep its names and order.
enum class PointwiseOp : uint8_t {
    // activations
    Relu,            // max(a, 0)
    Sigmoid,         // 1 / (1 + exp(-a))
    Tanh,            //
    LeakyRelu,       // a < 0 ? alpha * a : a
    Elu,             // a < 0 ? alpha * (exp(a) - 1) : a
    Selu,            // beta * (a > 0 ? a : alpha * (exp(a) - 1))
    Softsign,        // a / (1 + |a|)
    Softplus,        // alpha * log(exp(beta * a) + 1)
    Clip,            // min(max(a, alpha), beta)
    HardSigmoid,     // max(0, min(1, Affine))
    ScaledTanh,      // alpha * tanh(beta * a)
    ThresholdedRelu, // a > alpha ? a : 0
    GeluErf,         // a / 2 * (1 + erf(a / sqrt(2)))
    GeluTanh,        // a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 * a^3)))
    Celu,            // a < 0 ? alpha * (exp(a / alpha) - 1) : a
    Mish,            // a * tanh(log(exp(a) + 1))
    HardSwish,       // a * max(0, min(1, a / 6 + 0.5))
    Swish,           // a / (1 + exp(-alpha * a))
    // one operand
    Exp,
    Log,
    Sqrt,
    Recip,
    Abs,
    Neg,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Asin,
    Acos,
    Atan,
    Asinh,
    Acosh,
    Atanh,
    Ceil,
    Floor,
    Erf,
    Not, // of booleans
    Sign,
    Round, // ties to even
    IsInf,
    IsNan,
    Affine, // alpha * a + beta, the product rounded, then the sum; beta = 0: alpha * a
    // two operands
    Sum,
    Prod,
    Max,
    Min,
    Sub,
    Div, // integers: towards zero
    Pow,
    FloorDiv,
    And, // of booleans, as are Or and Xor
    Or,
    Xor,
    Equal,
    Greater,
    Less,
    ParametricRelu, // a < 0 ? a * b : a
    Mod,            // a - floor(a / b) * b: the sign of b
    Fmod,           // a - trunc(a / b) * b: the sign of a
    // two integers
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,  // a * 2^b; 0 where b is negative or the width of the type at least
    ShiftRight, // floor(a / 2^b); a negative b shifts by the full width
};

constexpr int kPointwiseOps = static_cast<int>(PointwiseOp::ShiftRight) + 1;

constexpr bool isActivation(PointwiseOp op) { return op <= PointwiseOp::Swish; }
constexpr bool isUnary(PointwiseOp op) { return op >= PointwiseOp::Exp && op <= PointwiseOp::IsNan; }
constexpr bool isElementwise(PointwiseOp op) { return op >= PointwiseOp::Sum; }
/// Bitwise operations are not defined for floating point.
constexpr bool isOfBits(PointwiseOp op) { return op >= PointwiseOp::BitAnd; }
/// Whether the result is boolean, whatever the type of the operands.
constexpr bool givesBool(PointwiseOp op) {
    using enum PointwiseOp;
    return op == Not || op == IsInf || op == IsNan || (op >= And && op <= Less);
}
constexpr int operandCount(PointwiseOp op) { return isElementwise(op) ? 2 : 1; }
} // namespace tenon
