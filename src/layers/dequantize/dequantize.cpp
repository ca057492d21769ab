// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "base/error.h"
#include "layers/block_scales.h"

namespace tenon {

namespace layers {
LayerEntry dequantizeLayer() { return entryOf<Dequantize>(); }
} // namespace layers

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

} // namespace tenon
