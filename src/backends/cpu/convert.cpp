// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/convert.h"

#include "backends/cpu/isa.h"
#include "backends/cpu/quantize_loops.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

template <class From, class To> void convertPortable(void const* from, void* to, int64_t count) {
    auto const* source = static_cast<From const*>(from);
    auto* target = static_cast<To*>(to);
    for (int64_t i = 0; i < count; ++i) target[i] = static_cast<To>(source[i]);
}

template <int kBytes> void copy(void const* from, void* to, int64_t count) {
    std::memcpy(to, from, static_cast<size_t>(count * kBytes));
}

Convert copyFor(DataType type) {
    switch (bitsOf(type)) {
    case 8: return copy<1>;
    case 16: return copy<2>;
    case 32: return copy<4>;
    case 64: return copy<8>;
    default: return nullptr;
    }
}

} // namespace

Convert convertFor(DataType from, DataType to) {
    if (from == to) return copyFor(from);
    if (!isComputed(from) || !isComputed(to)) return nullptr;
#if defined(__x86_64__)
    if (bestIsa() >= Isa::Avx2) {
        if (Convert const fast = convertForAvx2(from, to)) return fast;
    }
#endif
    return dispatch(from, [&]<class From>(TypeTag<From>) {
        return dispatch(to, [&]<class To>(TypeTag<To>) -> Convert { return convertPortable<From, To>; });
    });
}

bool Converter::exists(Label const& from, Label const& to) { return convertFor(from.type, to.type) != nullptr; }

Converter::Converter(Label const& from, Label const& to)
    : from_(from), to_(to), isPlain_((from.scale == 0 && to.scale == 0) || sameElements(from, to)),
      plain_(convertFor(from.type, to.type)), toFloat_(convertFor(from.type, DataType::Float32)),
      fromFloat_(convertFor(DataType::Float32, to.type)) {}

void Converter::operator()(void const* from, void* to, int64_t count) const {
    if (isPlain_) return plain_(from, to, count);
    if (from_.type == DataType::Float32) return fromReal(to, static_cast<float const*>(from), count);
    if (to_.type == DataType::Float32) return toReal(static_cast<float*>(to), from, count);
    constexpr int64_t kAtOnce = 256;
    int64_t const fromBytes = bitsOf(from_.type) / 8;
    int64_t const toBytes = bitsOf(to_.type) / 8;
    for (int64_t i = 0; i < count; i += kAtOnce)
        throughReal(static_cast<std::byte const*>(from) + i * fromBytes, static_cast<std::byte*>(to) + i * toBytes,
                    std::min(kAtOnce, count - i));
}

void Converter::throughReal(void const* from, void* to, int64_t count) const {
    float real[256];
    toReal(real, from, count);
    fromReal(to, real, count);
}

void Converter::toReal(float* real, void const* from, int64_t count) const {
    if (from_.scale == 0) return toFloat_(from, real, count);
    auto const& loops = bestLoops<QuantizeLoops>();
    Grid const grid{from_.scale, from_.zero};
    from_.type == DataType::Int8 ? loops.fromInt8(real, static_cast<int8_t const*>(from), count, grid)
                                 : loops.fromUInt8(real, static_cast<uint8_t const*>(from), count, grid);
}

void Converter::fromReal(void* to, float const* real, int64_t count) const {
    if (to_.scale == 0) return fromFloat_(real, to, count);
    auto const& loops = bestLoops<QuantizeLoops>();
    Grid const grid{to_.scale, to_.zero};
    to_.type == DataType::Int8 ? loops.toInt8(static_cast<int8_t*>(to), real, count, grid)
                               : loops.toUInt8(static_cast<uint8_t*>(to), real, count, grid);
}

} // namespace tenon::cpu
