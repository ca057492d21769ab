// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "base/error.h"
#include "layers/block_scales.h"
#include "layers/quantized_constant/quantized_constant.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry dequantizeLayer() { return entryOf<Dequantize>(); }
} // namespace layers

namespace {

/// All of them as int8, when their zero points are taken away.
bool fitInt8(std::span<float const> values, std::span<float const> scales, int64_t inner) {
    for (size_t i = 0; i < values.size(); ++i) {
        size_t const place = scales.size() == 1 ? 0 : i / static_cast<size_t>(inner) % scales.size();
        float const whole = std::nearbyint(values[i] / scales[place]);
        if (!(whole >= -128 && whole <= 127)) return false;
    }
    return true;
}

} // namespace

// X [d0,…,dn], scale [] or [da] or [blocks], zero point [the same] or [] → Y [d0,…,dn]
std::vector<Result> Dequantize::infer(Operands const& in) const {
    in.expectCount(2, 3);
    if (in[0].type == DataType::Bool || in[0].type == DataType::Int64)
        fail(ErrorCode::InvalidArgument, "input 0 is ", in[0].type, "; expected numbers of 32 bits or less");
    if (in[1].type != DataType::E8M0) in.expectFloat(1);
    if (!isFloat(to))
        fail(ErrorCode::InvalidArgument, "dequantizes to ", to, "; expected float32, float16 or bfloat16");
    if (in.has(2)) in.expectSameType(0, 2);
    expectScales(in, axis, blocks);
    return {{to, in[0].shape}};
}

void Dequantize::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    ScaleMap const scales = scaleMapOf(in[0].dims, in[1].dims, axis, blocks);
    HostNumbers const zeros(in, 2);
    bool const oneZero = zeros.data == nullptr || in[2].dims.volume() == 1;
    for (int64_t i = 0; i < in[0].dims.volume(); ++i) {
        int64_t const place = scales.of(i);
        auto const x = static_cast<float>(HostNumbers(in[0])[i] - zeros[oneZero ? 0 : place]);
        putNumber(out[0], i, x * static_cast<float>(HostNumbers(in[1])[place]));
    }
}

/// Weights of 8 bits with one scale for each index of an axis keep their scales, so that int8 kernels can use them.
std::unique_ptr<Layer> Dequantize::folded(Operands const& in, Literal const& value) const {
    bool const isOfBytes = bitsOf(in[0].type) == 8 && isComputed(in[0].type);
    bool const isReal = value.type() == DataType::Float32 && value.dims().volume() != 0;
    if (!isOfBytes || !blocks.empty() || !isReal || !in[1].literal) return nullptr;
    Literal const& scale = *in[1].literal;
    int64_t const count = scale.dims().volume();
    bool const isListed = count != 1 && scale.dims().rank() == 1 && value.dims().rank() > 0; // of one there is no axis
    if (count != 1 && !isListed) return nullptr;
    auto made = std::make_unique<QuantizedConstant>();
    made->value = value;
    made->scales = Literal::of({count}, scale.toFloat());
    made->axis = isListed ? resolveAxis(axis, value.dims().rank()) : 0;
    auto const scales = made->scales.as<float>();
    bool const isUsable = std::ranges::all_of(scales, [](float s) { return std::isnormal(s); });
    int64_t const inner = count == 1 ? 1 : value.dims().volume(static_cast<int>(made->axis) + 1, value.dims().rank());
    return isUsable && fitInt8(value.as<float>(), scales, inner) ? std::move(made) : nullptr;
}

} // namespace tenon
