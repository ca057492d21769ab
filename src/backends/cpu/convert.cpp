// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/convert.h"

#include "backends/cpu/isa.h"
#include "base/quantize.h"

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
    : fromScale_(from.scale), toScale_(to.scale), fromBytes_(bitsOf(from.type) / 8), toBytes_(bitsOf(to.type) / 8),
      plain_(convertFor(from.type, from.scale == to.scale ? to.type : DataType::Float32)),
      fromReal_(convertFor(DataType::Float32, to.type)) {}

void Converter::operator()(void const* from, void* to, int64_t count) const {
    if (fromScale_ == toScale_) return plain_(from, to, count);
    constexpr int64_t kAtOnce = 256;
    auto const* source = static_cast<std::byte const*>(from);
    auto* target = static_cast<std::byte*>(to);
    for (int64_t i = 0; i < count; i += kAtOnce)
        throughReal(source + i * fromBytes_, target + i * toBytes_, std::min(kAtOnce, count - i));
}

void Converter::throughReal(std::byte const* from, std::byte* to, int64_t count) const {
    float real[256];
    plain_(from, real, count);
    for (int64_t i = 0; fromScale_ != 0 && i < count; ++i) real[i] *= fromScale_;
    if (toScale_ == 0) return fromReal_(real, to, count);
    for (int64_t i = 0; i < count; ++i) reinterpret_cast<int8_t*>(to)[i] = quantize(real[i], toScale_);
}

} // namespace tenon::cpu
