// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "steps/integer_step.h"
#include "steps/step.h"

#include <cmath>
#include <numbers>

namespace tenon {
namespace {

// Comparisons are written so that a NaN operand gives NaN.
double least(double a, double b) { return b < a || std::isnan(b) ? b : a; }
double most(double a, double b) { return b > a || std::isnan(b) ? b : a; }
double clip(double a, double low, double high) { return least(most(a, low), high); }
double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }
/// alpha a + beta as a product and a sum, each rounded; for beta = 0 the product alone, which may be -0.
float line(float alpha, float a, float beta) {
    float const product = alpha * a;
    return beta == 0 ? product : product + beta;
}
double line(PointwiseStep const& step, double a) {
    return line(static_cast<float>(step.alpha), static_cast<float>(a), static_cast<float>(step.beta));
}
double softplus(double a) { return most(a, 0) + std::log1p(std::exp(-std::abs(a))); }

double activation(PointwiseStep const& step, double a) {
    double const alpha = step.alpha;
    double const beta = step.beta;
    switch (step.op) {
    case PointwiseOp::Relu: return most(a, 0);
    case PointwiseOp::Sigmoid: return sigmoid(a);
    case PointwiseOp::Tanh: return std::tanh(a);
    case PointwiseOp::LeakyRelu: return a < 0 ? alpha * a : a;
    case PointwiseOp::Elu: return a < 0 ? alpha * std::expm1(a) : a;
    case PointwiseOp::Selu: return beta * (a > 0 ? a : alpha * std::expm1(a));
    case PointwiseOp::Softsign: return std::isinf(a) ? std::copysign(1, a) : a / (1 + std::abs(a));
    case PointwiseOp::Softplus: return alpha * softplus(beta * a);
    case PointwiseOp::Clip: return clip(a, alpha, beta);
    case PointwiseOp::HardSigmoid: return clip(line(step, a), 0, 1);
    case PointwiseOp::ScaledTanh: return alpha * std::tanh(beta * a);
    case PointwiseOp::ThresholdedRelu: return a > alpha || std::isnan(a) ? a : 0;
    case PointwiseOp::GeluErf: return a * std::erfc(-a / std::numbers::sqrt2) / 2;
    case PointwiseOp::GeluTanh:
        // (1 + tanh(u)) / 2 = sigmoid(2u)
        return a * sigmoid(std::sqrt(8 / std::numbers::pi) * (a + 0.044715 * a * a * a));
    case PointwiseOp::Celu: return a < 0 ? alpha * std::expm1(a / alpha) : a;
    case PointwiseOp::Mish: return a * std::tanh(softplus(a));
    case PointwiseOp::HardSwish: return a * clip(a / 6 + 0.5, 0, 1);
    case PointwiseOp::Swish: return a * sigmoid(alpha * a);
    default: fail(ErrorCode::Internal, step.op, " is not an activation");
    }
}

double unary(PointwiseStep const& step, double a) {
    switch (step.op) {
    case PointwiseOp::Exp: return std::exp(a);
    case PointwiseOp::Log: return std::log(a);
    case PointwiseOp::Sqrt: return std::sqrt(a);
    case PointwiseOp::Recip: return 1 / a;
    case PointwiseOp::Abs: return std::abs(a);
    case PointwiseOp::Neg: return -a;
    case PointwiseOp::Sin: return std::sin(a);
    case PointwiseOp::Cos: return std::cos(a);
    case PointwiseOp::Tan: return std::tan(a);
    case PointwiseOp::Sinh: return std::sinh(a);
    case PointwiseOp::Cosh: return std::cosh(a);
    case PointwiseOp::Asin: return std::asin(a);
    case PointwiseOp::Acos: return std::acos(a);
    case PointwiseOp::Atan: return std::atan(a);
    case PointwiseOp::Asinh: return std::asinh(a);
    case PointwiseOp::Acosh: return std::acosh(a);
    case PointwiseOp::Atanh: return std::atanh(a);
    case PointwiseOp::Ceil: return std::ceil(a);
    case PointwiseOp::Floor: return std::floor(a);
    case PointwiseOp::Erf: return std::erf(a);
    case PointwiseOp::Not: return a == 0 ? 1 : 0;
    case PointwiseOp::Sign: return std::isnan(a) ? a : (a > 0) - (a < 0);
    case PointwiseOp::Round: return std::nearbyint(a);
    case PointwiseOp::IsInf: return std::isinf(a) ? 1 : 0;
    case PointwiseOp::IsNan: return std::isnan(a) ? 1 : 0;
    case PointwiseOp::Affine: return line(step, a);
    default: fail(ErrorCode::Internal, step.op, " has more than one operand");
    }
}

double modulo(double a, double b) {
    double const rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double binary(PointwiseOp op, double a, double b) {
    switch (op) {
    case PointwiseOp::Sum: return a + b;
    case PointwiseOp::Prod: return a * b;
    case PointwiseOp::Max: return most(a, b);
    case PointwiseOp::Min: return least(a, b);
    case PointwiseOp::Sub: return a - b;
    case PointwiseOp::Div: return a / b;
    case PointwiseOp::Pow: return std::pow(a, b);
    case PointwiseOp::FloorDiv: return std::floor(static_cast<float>(a / b)); // of the quotient in float
    case PointwiseOp::And: return a != 0 && b != 0 ? 1 : 0;
    case PointwiseOp::Or: return a != 0 || b != 0 ? 1 : 0;
    case PointwiseOp::Xor: return (a != 0) != (b != 0) ? 1 : 0;
    case PointwiseOp::Equal: return a == b ? 1 : 0;
    case PointwiseOp::Greater: return a > b ? 1 : 0;
    case PointwiseOp::Less: return a < b ? 1 : 0;
    case PointwiseOp::ParametricRelu: return a < 0 ? a * b : a;
    case PointwiseOp::Mod: return modulo(a, b);
    case PointwiseOp::Fmod: return std::fmod(a, b);
    default: fail(ErrorCode::Internal, op, " is not an operation on two floating point numbers");
    }
}

} // namespace

float compute(PointwiseStep const& step, float a, float b) {
    if (isActivation(step.op)) return static_cast<float>(activation(step, a));
    return static_cast<float>(isElementwise(step.op) ? binary(step.op, a, b) : unary(step, a));
}

int64_t compute(PointwiseStep const& step, int64_t a, int64_t b) {
    if (!hasIntegerStep(step.op)) fail(ErrorCode::Internal, step.op, " of an integer");
    return IntegerStep<int64_t>{nearest<int64_t>(step.alpha), nearest<int64_t>(step.beta)}(step.op, a, b);
}

} // namespace tenon
