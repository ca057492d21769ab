// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon {

/// Activation functions of a cell; ONNX's names. Affine: αx + β, LeakyRelu: x or below 0 αx, ThresholdedRelu: x from α
/// on, else 0, ScaledTanh: α tanh(βx), HardSigmoid: αx + β from 0 to 1, Elu: x or below 0 α(exp(x) - 1), Softsign: x /
/// (1 + |x|), Softplus: log(1 + exp(x)).
enum class RnnFunction : uint8_t {
    Relu,
    Tanh,
    Sigmoid,
    Affine,
    LeakyRelu,
    ThresholdedRelu,
    ScaledTanh,
    HardSigmoid,
    Elu,
    Softsign,
    Softplus
};

/// The functions of the cells of a direction, for kernels.
struct RnnMath {
    struct Step {
        RnnFunction function;
        float alpha, beta;
    };
    Step steps[3];      // like those of Rnn::activations
    float clip;         // infinity: none
    bool couplesForget; // f = 1 - i
    bool hasPeepholes;
};

} // namespace tenon
