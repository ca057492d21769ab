// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/step_costs.h"

namespace tenon::cpu {

double stepCost(PointwiseOp op) {
    using enum PointwiseOp;
    switch (op) {
    case Pow: return 1.5;
    case Sin:
    case Cos:
    case Tan:
    case Sinh:
    case Cosh:
    case Asin:
    case Acos:
    case Atan:
    case Asinh:
    case Acosh:
    case Atanh:
    case Mod:
    case Fmod: return 8; // the C library's, scalar
    case Sigmoid:
    case Tanh:
    case Elu:
    case Selu:
    case Celu:
    case Softplus:
    case ScaledTanh:
    case GeluErf:
    case GeluTanh:
    case Mish:
    case Swish:
    case Exp:
    case Log:
    case Erf: return 0.5;
    default: return 0.06;
    }
}

} // namespace tenon::cpu
