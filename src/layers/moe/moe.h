// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_types.h"
#include "graph/layer.h"
#include "layers/dynamic_quantize/dynamic_quantize.h"

namespace tenon {

/// Mixture of experts: each token x is processed by the k experts selected for it; Y is the sum of their results, each
/// times its score. Expert e computes h Down[e] + downBias[e] with h = act(gate) · (up + beta), gate = min(x Gate[e] +
/// gateBias[e], limit), up = x Up[e] + upBias[e] clamped to ±limit.
///
/// h [H] may be quantized and dequantized before: as by Quantize and Dequantize with a given scale, or, in blocks, as
/// by DynamicQuantize and two Dequantize, with a given scale of the scales.
///
/// X […,C], experts […,k] int32, 0 to E - 1 each, scores […,k], Gate and Up [E,C,H], Down [E,H,C], biases? [E,H], [E,H]
/// and [E,C], all of X's type, scale? (one element) of any type → Y […,C]; floating point.
struct Moe final : LayerOf<Moe> {
    static constexpr std::string_view kKind = "Moe";
    enum Input { kX, kExperts, kScores, kGate, kUp, kDown, kGateBias, kUpBias, kDownBias, kScale, kInputs };
    enum class Activation { None, Silu }; // x, x / (1 + exp(-alpha · x))

    Activation activation = Activation::None;
    double limit = 0; // 0: there is none
    double alpha = 1;
    double beta = 0;
    DataType quantizeTo = DataType::Float32; // float8 or float4; float32: h is not quantized
    DataType scaleType = DataType::Float32;  // float8 or E8M0, of blocks; float32: there are none
    std::vector<int64_t> blocks;             // of h […,k,H]: 1 along all axes but the last one; there -1 is all

    void fields(Fields& f) override {
        f("activation", activation);
        f("limit", limit);
        f("alpha", alpha);
        f("beta", beta);
        if (f.visits("quantizeTo", quantizeTo != DataType::Float32)) f("quantizeTo", quantizeTo);
        if (f.visits("scaleType", scaleType != DataType::Float32)) f("scaleType", scaleType);
        if (f.visits("blocks", !blocks.empty())) f("blocks", blocks);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

std::span<std::string_view const> names(Moe::Activation);

/// The extents of a layer.
struct MoeProblem {
    int64_t tokens, chosen, experts, size, inner; // …, k, E, C, H

    explicit MoeProblem(std::span<Dims const> inputs);

    /// Each token counts once for each of its experts.
    int64_t rows() const { return tokens * chosen; }
    /// Multiplications and additions.
    double operations() const { return 6 * static_cast<double>(rows()) * static_cast<double>(size * inner); }
};

/// How h [H] is quantized. Also compiled for GPUs.
struct MoeRounding {
    DataType to;
    DataType scaleType;
    int64_t block; // elements that have one scale

    MoeRounding(Moe const& layer, int64_t inner);

    constexpr bool rounds() const { return to != DataType::Float32; }
    constexpr bool findsScales() const { return scaleType != DataType::Float32; }
    /// The scale of a block whose largest |h| is `most`.
    constexpr float scaleOf(float most, float given) const {
        if (!findsScales()) return given;
        return smallNumber(scaleType, smallBits(scaleType, scaleFor(to, most, given))) * given;
    }
    constexpr float rounded(float h, float scale) const {
        return nearestIn(numbersOf(to), findsScales() ? byScale(h, scale) : h / scale, true) * scale;
    }
    void round(std::span<float> row, float given) const;
};

/// Throws Errors for types to which h cannot be quantized, and invalid types of block scales.
void checkQuantizeTo(DataType type);
void checkScaleType(DataType type);

/// Throws an Error for an expert that does not exist.
void checkExperts(std::span<int32_t const> chosen, int64_t experts);

} // namespace tenon
