// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/kernel.h"

namespace tenon::cuda {

// GPUs store 8-bit integers as int8, the only type that their libraries multiply: uint8 less 128, with the same shift
// of the zero point. That changes no value, and a uint8 zero point of 128 becomes 0.

/// The label in int8 with the same values as a uint8 label. Also for a tensor of uint8: its values are 1 · (integer +
/// 128).
inline Label inInt8(Label const& label) {
    constexpr int32_t kShift = 128;
    if (label.type != DataType::UInt8) return label;
    return {DataType::Int8, label.format, label.device, label.scale == 0 ? 1 : label.scale, label.zero - kShift};
}

/// The label of a float32 tensor that may be stored as int8 (KernelQuery::mayBeInt8).
inline Label int8Label(Tensor const& tensor, Format const& format) {
    return inInt8(Label::of(tensor.quantum, format, kCuda));
}

/// For a kernel that moves or compares elements: repeats its uint8 variants for uint8 that is stored as int8.
inline Offer alsoInInt8(Offer offer) {
    for (size_t i = 0, count = offer.variants.size(); i < count; ++i) {
        if (offer.variants[i].inputs[0].type != DataType::UInt8) continue;
        Variant kept = offer.variants[i];
        for (Label& label : kept.inputs) {
            if (label.device == kCuda) label = inInt8(label);
        }
        kept.outputs[0] = inInt8(kept.outputs[0]);
        offer.variants.push_back(std::move(kept));
    }
    return offer;
}

} // namespace tenon::cuda
