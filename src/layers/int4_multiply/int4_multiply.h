// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/dequantize/dequantize.h"

namespace tenon {

/// Products with one matrix of 4-bit weights: passes replace a MatrixMultiply that reads a Dequantize of constants, so
/// that the weights are never stored as floating point. A […,M,K] floating point, W [K,N] (or [N,K]) int4, scale and
/// optional zero point as in Dequantize for W → Y […,M,N] = A W, of A's type.
struct Int4Multiply final : LayerOf<Int4Multiply> {
    static constexpr std::string_view kKind = "Int4Multiply";
    enum Input { kA, kW, kScale, kZero };

    bool transposed = false; // W is [N,K]
    int64_t axis = -1;       // of W, and `blocks`: as in Dequantize
    std::vector<int64_t> blocks;

    void fields(Fields& f) override {
        f("transposed", transposed);
        f("axis", axis);
        f("blocks", blocks);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// The weights in the form that kernels read: Y [rows,n] = A [rows,k] W, where `block` consecutive weights of a column
/// have the same scale and zero point.
struct Int4Weights {
    int64_t n, k, block;

    int64_t blocks() const { return (k + block - 1) / block; }
};

/// nullopt if scales or zero points change from one row to the next along K.
std::optional<Int4Weights> int4WeightsOf(Int4Multiply const& layer, Dims const& w, Dims const& scales,
                                         Dims const& zeros);

/// The input of kernels' pack(): the integers, and scale and zero point of each block.
class Int4Reader {
public:
    Int4Reader(Int4Multiply const& layer, Literal const& w, Literal const& scales, Literal const* zeros);

    Int4Weights const& weights() const { return weights_; }
    int integer(int64_t row, int64_t column) const; // indices along K and N
    float scale(int64_t block, int64_t column) const;
    float zero(int64_t block, int64_t column) const;

private:
    int64_t element(int64_t row, int64_t column) const;
    int64_t place(int64_t block, int64_t column) const;

    Int4Weights weights_;
    Literal const& w_;
    Literal const* zeros_;
    std::vector<float> scales_;
    std::vector<int64_t> map_; // the index of the scale, [block][column]
    bool transposed_;
};

} // namespace tenon
