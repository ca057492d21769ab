// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/kernel.h"

namespace tenon::cuda {

// Integers of 8 bits lie in int8 on GPUs, the only ones that their libraries multiply: uint8 less 128, as it is done to
// its zero point. That changes no value, and where a network has uint8 with a zero point of 128, there is none left.

/// The same values in int8 where they lie in uint8. Of a tensor of uint8 too: its numbers are 1 · (integer + 128).
inline Label inInt8(Label const& label) {
    constexpr int32_t kShift = 128;
    if (label.type != DataType::UInt8) return label;
    return {DataType::Int8, label.format, label.device, label.scale == 0 ? 1 : label.scale, label.zero - kShift};
}

/// As a float32 tensor is kept that may be (KernelQuery::mayBeInt8).
inline Label int8Label(Tensor const& tensor, Format const& format) {
    return inInt8(Label::of(tensor.quantum, format, kCuda));
}

/// Of a kernel that moves or compares elements: what it offers for uint8, also for uint8 that lies in int8.
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
