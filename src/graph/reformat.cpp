// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/reformat.h"

#include "base/quantize.h"
#include "base/small_types.h"

#include <cstring>

namespace tenon {
namespace {

template <class Y, class X> Y converted(X x, Label const& from, Label const& to) {
    if (from.scale == 0 && to.scale == 0) return static_cast<Y>(x);
    auto const number = static_cast<float>(x);
    float const real = from.scale == 0 ? number : (number - static_cast<float>(from.zero)) * from.scale;
    if (to.scale == 0) return static_cast<Y>(real);
    return to.type == DataType::UInt8 ? static_cast<Y>(quantize<uint8_t>(real, to.scale, to.zero))
                                      : static_cast<Y>(quantize<int8_t>(real, to.scale, to.zero));
}

} // namespace

void reformat(Dims const& dims, Label const& from, void const* x, Label const& to, void* y) {
    if (dims.volume() == 0) return;                                               // memory of no bytes may be null
    if (isSmall(from.type) && from.type == to.type && from.format == to.format) { // they have no other order
        std::memcpy(y, x, bytesOf(dims, to));
        return;
    }
    std::memset(y, 0, bytesOf(dims, to));
    dispatch(from.type, [&]<class X>(TypeTag<X>) {
        dispatch(to.type, [&]<class Y>(TypeTag<Y>) {
            Dims index = Dims::filled(dims.rank(), 0);
            do {
                X const value = static_cast<X const*>(x)[offsetOf(index, dims, from.format)];
                static_cast<Y*>(y)[offsetOf(index, dims, to.format)] = converted<Y>(value, from, to);
            } while (nextIndex(index, dims));
        });
    });
}

} // namespace tenon
