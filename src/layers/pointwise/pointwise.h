// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// All operations that compute an element of the result from the elements at its place alone: the operations of
/// Activation, Unary and Elementwise, and the steps of Pointwise. `a` and `b` are operands; alpha and beta belong to
/// the step. Where TensorRT has an operation, it has its name and stands in its order.
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
    HardSigmoid,     // max(0, min(1, alpha * a + beta))
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
    Round, // halves to the even neighbour
    IsInf,
    IsNan,
    Affine, // alpha * a + beta
    // two operands
    Sum,
    Prod,
    Max,
    Min,
    Sub,
    Div, // of integers: towards zero
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
};

std::span<std::string_view const> names(PointwiseOp);
inline void append(std::string& to, PointwiseOp op) { to += names(op)[static_cast<size_t>(op)]; }

constexpr bool isActivation(PointwiseOp op) { return op <= PointwiseOp::Swish; }
constexpr bool isUnary(PointwiseOp op) { return op >= PointwiseOp::Exp && op <= PointwiseOp::IsNan; }
constexpr bool isElementwise(PointwiseOp op) { return op >= PointwiseOp::Sum; }
constexpr int operandCount(PointwiseOp op) { return isElementwise(op) ? 2 : 1; }
/// The result is true or false, whatever the type of the operands.
bool givesBool(PointwiseOp op);

/// One step of a chain. An operand below the number of the layer's inputs is that input; that number + i is the result
/// of step i.
struct PointwiseStep {
    PointwiseOp op = PointwiseOp::Relu;
    int64_t a = 0;
    int64_t b = -1; // -1: the operation has no such operand
    double alpha = 0;
    double beta = 0;

    void fields(Fields& f) {
        f("op", op);
        f("a", a);
        f("b", b);
        f("alpha", alpha);
        f("beta", beta);
    }
};

/// One step on single numbers, exact but for one rounding: the reference for everything that computes steps. Integers
/// wrap around; what is divided by zero gives zero. An operation that integers do not have is an Error.
float compute(PointwiseStep const& step, float a, float b = 0);
int64_t compute(PointwiseStep const& step, int64_t a, int64_t b = 0);

/// The steps on whole tensors, floating point (in float) or integer and boolean (in int64): X… [any] → Y [broadcast].
void computeSteps(std::span<PointwiseStep const> steps, std::span<HostTensor const> in, HostTensor const& out);

/// Steps read inputs and results of earlier steps only and give numbers, not booleans; an Error says which does not.
void checkSteps(std::span<PointwiseStep const> steps, int inputs);

/// A chain of elementwise operations on floating point numbers, computed in one sweep over memory; the last step is the
/// result. Made by passes, without a class in the public API. X… [any] → Y [broadcast of all].
/// Convolution, Deconvolution and MatrixMultiply take the same steps as an epilogue: there operand 0 is what they have
/// computed, and operands 1… are inputs that follow their own.
struct Pointwise final : LayerOf<Pointwise> {
    static constexpr std::string_view kKind = "Pointwise";

    std::vector<PointwiseStep> steps;

    void fields(Fields& f) override { f("steps", steps); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
