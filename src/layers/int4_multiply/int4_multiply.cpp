// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/int4_multiply/int4_multiply.h"

#include "base/error.h"
#include "layers/block_scales.h"
#include "layers/matrix_multiply/matrix_multiply.h"

namespace tenon {

namespace layers {
LayerEntry int4MultiplyLayer() { return entryOf<Int4Multiply>(); }
} // namespace layers

namespace {

MatrixMultiply productOf(Int4Multiply const& layer) {
    MatrixMultiply product;
    product.b = layer.transposed ? MatrixOperation::Transpose : MatrixOperation::None;
    return product;
}

Dequantize dequantizeOf(Int4Multiply const& layer) {
    Dequantize dequantize;
    dequantize.axis = layer.axis;
    dequantize.blocks = layer.blocks;
    return dequantize;
}

} // namespace

// A […,M,K], W [K,N] or [N,K] → Y […,M,N]
std::vector<Result> Int4Multiply::infer(Operands const& in) const {
    in.expectCount(3, 4).expectFloat(kA).expectRank(kW, 2, 2);
    if (in[kW].type != DataType::Int4)
        fail(ErrorCode::InvalidArgument, "input 1, the weights, is ", in[kW].type, "; expected int4");
    std::vector<Operand> weights{in[kW], in[kScale]};
    if (in.has(kZero)) weights.push_back(in[kZero]);
    (void)dequantizeOf(*this).infer(Operands(weights, "weights"));
    Operand w = in[kW];
    w.type = in[kA].type;
    w.literal = nullptr;
    return productOf(*this).infer(Operands({in[kA], w}, "product"));
}

void Int4Multiply::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<float> values(static_cast<size_t>(in[kW].dims.volume()));
    HostTensor const w{DataType::Float32, in[kW].dims, values.data()};
    dequantizeOf(*this).reference(in.subspan(kW), std::span(&w, 1));
    std::vector<float> a(static_cast<size_t>(in[kA].dims.volume()));
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(HostNumbers(in[kA])[static_cast<int64_t>(i)]);
    std::vector<float> y(static_cast<size_t>(out[0].dims.volume()));
    HostTensor const result{DataType::Float32, out[0].dims, y.data()};
    HostTensor const factors[]{{DataType::Float32, in[kA].dims, a.data()}, w};
    productOf(*this).reference(factors, std::span(&result, 1));
    for (size_t i = 0; i < y.size(); ++i) putNumber(out[0], static_cast<int64_t>(i), y[i]);
}

namespace {

/// The number of consecutive weights along K with the same scale; 0: it differs.
int64_t blockAlong(Int4Multiply const& layer, Dims const& w, Dims const& scales, int kAxis) {
    int64_t const k = w[kAxis];
    if (scales.volume() == 1) return k;
    if (scales.rank() == 1 && layer.blocks.empty()) return resolveAxis(layer.axis, 2) == kAxis ? 1 : k;
    if (scales[kAxis] == 1) return k;
    return layer.blocks.empty() ? k / scales[kAxis] : layer.blocks[static_cast<size_t>(kAxis)];
}

} // namespace

std::optional<Int4Weights> int4WeightsOf(Int4Multiply const& layer, Dims const& w, Dims const& scales,
                                         Dims const& zeros) {
    int const kAxis = layer.transposed ? 1 : 0;
    int64_t const block = blockAlong(layer, w, scales, kAxis);
    bool const fits = zeros.volume() == 1 || zeros == scales;
    if (block < 1 || (block == 1 && w[kAxis] != 1) || !fits) return std::nullopt;
    return Int4Weights{w[1 - kAxis], w[kAxis], block};
}

Int4Reader::Int4Reader(Int4Multiply const& layer, Literal const& w, Literal const& scales, Literal const* zeros)
    : weights_(*int4WeightsOf(layer, w.dims(), scales.dims(), zeros ? zeros->dims() : Dims{})), w_(w), zeros_(zeros),
      scales_(scales.toFloat()), transposed_(layer.transposed) {
    ScaleMap const map = scaleMapOf(w.dims(), scales.dims(), layer.axis, layer.blocks);
    for (int64_t block = 0; block < weights_.blocks(); ++block) {
        for (int64_t column = 0; column < weights_.n; ++column)
            map_.push_back(map.of(element(block * weights_.block, column)));
    }
}

int64_t Int4Reader::element(int64_t row, int64_t column) const {
    return transposed_ ? column * weights_.k + row : row * weights_.n + column;
}

int64_t Int4Reader::place(int64_t block, int64_t column) const {
    return map_[static_cast<size_t>(block * weights_.n + column)];
}

int Int4Reader::integer(int64_t row, int64_t column) const {
    return static_cast<int>(HostNumbers(w_.view())[element(row, column)]);
}

float Int4Reader::scale(int64_t block, int64_t column) const {
    return scales_[static_cast<size_t>(place(block, column))];
}

float Int4Reader::zero(int64_t block, int64_t column) const {
    if (zeros_ == nullptr) return 0;
    return static_cast<float>(HostNumbers(zeros_->view())[zeros_->dims().volume() == 1 ? 0 : place(block, column)]);
}

} // namespace tenon
