// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantized_constant/quantized_constant.h"

#include "base/error.h"

#include <cstring>

namespace tenon {

namespace layers {
LayerEntry quantizedConstantLayer() { return entryOf<QuantizedConstant>(); }
} // namespace layers

// → Y [the shape of the value]
std::vector<Result> QuantizedConstant::infer(Operands const& in) const {
    in.expectCount(0, 0);
    bool const isOne = scales.dims().volume() == 1;
    bool const isAxis = axis >= 0 && axis < value.dims().rank();
    bool const fits = scales.data() != nullptr && (isOne || (isAxis && scales.dims().volume() == value.dims()[axis]));
    if (!fits || value.type() != DataType::Float32 || scales.type() != DataType::Float32)
        fail(ErrorCode::InvalidArgument, "has scales ", scales.type(), ' ', scales.dims(), " along axis ", axis,
             " of a value ", value.type(), ' ', value.dims(),
             "; expected float32, and one scale for all or one for each index of that axis");
    return {{value.type(), toShape(value.dims())}};
}

void QuantizedConstant::reference(std::span<HostTensor const>, std::span<HostTensor const> out) const {
    if (value.bytes() != 0) std::memcpy(out[0].data, value.data(), value.bytes());
}

} // namespace tenon
