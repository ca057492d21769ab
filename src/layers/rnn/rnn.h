// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"
#include "layers/rnn/rnn_math.h"

#include <array>

namespace tenon {

/// The function of a cell's input and state; TensorRT's names and order.
enum class RnnOperation : uint8_t { Relu, Tanh, Lstm, Gru };
std::span<std::string_view const> names(RnnOperation);

/// From the first step to the last, from the last to the first, or both (with a cell each, results concatenated).
enum class RnnDirection : uint8_t { Forward, Bidirectional, Reverse };
std::span<std::string_view const> names(RnnDirection);

std::span<std::string_view const> names(RnnFunction);

/// An activation function with its parameters.
struct RnnActivation {
    RnnFunction function = RnnFunction::Tanh;
    double alpha = 0;
    double beta = 0;

    void fields(Fields& f) {
        f("function", function);
        f("alpha", alpha);
        f("beta", beta);
    }
    double operator()(double x) const;
};

/// Stacked recurrent layers. With σ the sigmoid, for each layer and direction: Relu, Tanh: h' = f(Wi x + Ri h + bi);
/// Lstm: c' = σ(f) c + σ(i) tanh(g), h' = σ(o) tanh(c') of i, o, f, g = W x + R h + b; with peepholes P, Pi c is added
/// to i, Po c' to o and Pf c to f, unit by unit; Gru: h' = (1 - z) tanh(Wh x + r (Rh h + bRh) + bWh) + z h with z, r =
/// σ(W x + R h + b); if `resetsAfter` is false, tanh(Wh x + Rh (r h) + bRh + bWh). `activations` may replace σ, tanh
/// and the tanh of c', `clip` clamps the arguments of the first two, and with `couplesForget` an Lstm has 1 - σ(i)
/// instead of σ(f).
///
/// X […,S,E], S steps of E elements, lengths? […] (int32: the number of valid steps of a sequence, 0 to S), hidden? and
/// cell? […,L,H], weights, recurrent, bias → Y […,S,D·H], last hidden […,L,H], of an Lstm last cell […,L,H]; floating
/// point. D directions; L = layers · D, those of a layer adjacent. With `stepsFirst` the last of the leading axes is
/// after S and L instead: X […,S,N,E], states […,L,N,H], Y […,S,N,D·H]. Y is 0 after a sequence's end.
///
/// Weights: of each of the L cells the matrices of its gates, in the order above (Lstm i, o, f, g; Gru z, r, h),
/// row-major [H,E], after the first layer [H,D·H]; in any shape. With `skipsInput` the first layer has none, and X is
/// added to each gate directly. Recurrent: the same with [H,H]. Bias? of each of the L cells first those of W, then
/// those of R. Peepholes?, of an Lstm: of each of the L cells [3,H], of i, o and f.
struct Rnn final : LayerOf<Rnn> {
    static constexpr std::string_view kKind = "Rnn";
    enum Input { kX, kLengths, kHidden, kCell, kWeights, kRecurrent, kBias, kPeepholes, kInputs };
    enum Output { kY, kLastHidden, kLastCell };

    RnnOperation operation = RnnOperation::Lstm;
    RnnDirection direction = RnnDirection::Forward;
    int64_t layers = 1;
    int64_t hiddenSize = 1; // H
    bool skipsInput = false;
    bool stepsFirst = false;
    bool resetsAfter = true;
    std::vector<RnnActivation> activations =
        {};          // per direction one, for a Gru two, for an Lstm three; empty: the default ones
    double clip = 0; // to -clip … clip; 0: none
    bool couplesForget = false;

    void fields(Fields& f) override {
        f("operation", operation);
        f("direction", direction);
        f("layers", layers);
        f("hiddenSize", hiddenSize);
        f("skipsInput", skipsInput);
        f("stepsFirst", stepsFirst);
        f("resetsAfter", resetsAfter);
        if (f.visits("activations", !activations.empty())) f("activations", activations);
        if (f.visits("clip", clip != 0)) f("clip", clip);
        if (f.visits("couplesForget", couplesForget)) f("couplesForget", couplesForget);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;

    int64_t directions() const { return direction == RnnDirection::Bidirectional ? 2 : 1; }
    /// The number of elements of all peepholes of an Lstm.
    int64_t peepholeCount() const { return layers * directions() * 3 * hiddenSize; }
    int64_t gates() const { return operation == RnnOperation::Lstm ? 4 : operation == RnnOperation::Gru ? 3 : 1; }
    int64_t activationCount() const {
        return operation == RnnOperation::Lstm ? 3 : operation == RnnOperation::Gru ? 2 : 1;
    }
    /// The activations of cell `index`, of L; only those that the operation uses are valid.
    std::array<RnnActivation, 3> activationsOf(int64_t index) const;
    /// Whether a cell computes the equations without `activations`, `clip` and `couplesForget`.
    bool isUsual() const { return activations.empty() && clip == 0 && !couplesForget; }
    RnnMath mathOf(int64_t index, bool hasPeepholes) const;
    /// Whether the cell adds its input to the gates without a matrix.
    bool skipsAt(int64_t index) const { return skipsInput && index < directions(); }
    /// Of each gate of cell `index`, of L; 0: it has no W.
    int64_t columnsOf(int64_t index, int64_t elements) const {
        return index >= directions() ? directions() * hiddenSize : skipsAt(index) ? 0 : elements;
    }
    int64_t weightsCount(int64_t elements) const;
};

/// The layer with known extents. Sequence (p,n), of which X has [outer,S,inner,E] and states [outer,L,inner,H].
struct RnnProblem {
    Rnn layer;
    int64_t outer, steps, inner, elements;

    int64_t sequences() const { return outer * inner; }
    int64_t hidden() const { return layer.hiddenSize; }
    int64_t cells() const { return layer.layers * layer.directions(); }
    bool isBackward(int64_t cell) const {
        return layer.direction == RnnDirection::Reverse || cell % layer.directions() == 1;
    }
    int64_t depth(int64_t cell) const { return cell < layer.directions() ? elements : layer.directions() * hidden(); }
    /// The offset of a cell's weights among all.
    int64_t weightsAt(int64_t cell) const;
    /// Rows of X or Y, and of a state.
    int64_t rowAt(int64_t sequence, int64_t step) const {
        return (sequence / inner * steps + step) * inner + sequence % inner;
    }
    int64_t stateAt(int64_t sequence, int64_t cell) const {
        return (sequence / inner * cells() + cell) * inner + sequence % inner;
    }
    /// Multiplications and additions.
    double operations() const;
};
/// `inputs`: of rank 0 for absent ones. Throws an Error if weights are missing or do not fit.
RnnProblem problemOf(Rnn const& layer, std::span<Dims const> inputs);

/// Throws an Error for a length that is out of range; null lengths mean none.
void checkLengths(int32_t const* lengths, RnnProblem const& problem);

} // namespace tenon
