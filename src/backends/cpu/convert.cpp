// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/convert.h"

#include "backends/cpu/isa.h"

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

} // namespace tenon::cpu
