// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints results of the 16-bit types for many numbers. float16.expected is the output with the
// headers of CUDA 13.0.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

namespace {

// FNV-1a, over the bits of results.
uint64_t hash = 14695981039346656037u;

template <class T> void add(T value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
}

void tell(char const* what) {
    std::printf("%s %016llx\n", what, static_cast<unsigned long long>(hash));
    hash = 14695981039346656037u;
}

float floatOf(uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

void conversions() {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        add(__half2float(__ushort_as_half(static_cast<unsigned short>(bits))));
        add(__bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(bits))));
    }
    tell("to float");
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1021) {
        add(__half_as_ushort(__float2half(floatOf(static_cast<uint32_t>(bits)))));
        add(__bfloat16_as_ushort(__float2bfloat16(floatOf(static_cast<uint32_t>(bits)))));
    }
    tell("from float");
    // Around every tie between two neighbours.
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        float const low = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
        float const high =
            bits == 0x7bff ? 65536.0F : __half2float(__ushort_as_half(static_cast<unsigned short>(bits + 1)));
        double const tie = (double{low} + double{high}) / 2;
        for (double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e9)}) {
            add(__half_as_ushort(__double2half(value)));
            add(__half_as_ushort(__float2half(-static_cast<float>(value))));
        }
    }
    tell("ties");
    for (double value : {0.0, -0.0, 1e-320, 1e300, -1e300, double{std::numeric_limits<double>::infinity()}}) {
        add(__half_as_ushort(__double2half(value)));
        add(__bfloat16_as_ushort(__double2bfloat16(value)));
    }
    tell("extremes");
    for (int value = -70000; value < 70000; value += 7) {
        add(__half_as_ushort(__int2half_rn(value)));
        add(__half_as_ushort(__half(value)));
        add(__bfloat16_as_ushort(__int2bfloat16_rn(value)));
    }
    tell("integers");
}

template <class T> void arithmetic(T (*make)(unsigned short), unsigned short (*bits)(T)) {
    for (unsigned i = 3; i < 65536; i += 257) {
        for (unsigned j = 5; j < 65536; j += 263) {
            T const a = make(static_cast<unsigned short>(i)), b = make(static_cast<unsigned short>(j));
            if (__hisnan(a) || __hisnan(b)) continue;
            T const results[] = {a + b, a - b, a * b, a / b, -a, __hmax(a, b), __hmin(a, b), __habs(a)};
            for (T const& result : results) add(__hisnan(result) ? static_cast<unsigned short>(1) : bits(result));
            add(a < b), add(a > b), add(a <= b), add(a >= b), add(a == b), add(a != b), add(__hisinf(a));
        }
    }
}

// From numbers, saturating and not, and back.
template <class T> void eightBits(__nv_fp8_interpretation_t kind) {
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1021) {
        float const value = floatOf(static_cast<uint32_t>(bits));
        add(T(value).__x);
        add(__nv_cvt_float_to_fp8(value, __NV_NOSAT, kind));
        if (!std::isnan(value)) add(__nv_cvt_double_to_fp8(double{value} * 1.0000001, __NV_SATFINITE, kind));
    }
    for (int bits = 0; bits < 256; ++bits) {
        T number;
        number.__x = static_cast<__nv_fp8_storage_t>(bits);
        add(static_cast<float>(number));
        add(__nv_cvt_fp8_to_halfraw(number.__x, kind).x);
        add(T(__half(static_cast<float>(bits) * 3.7F)).__x);
    }
    add(T(7).__x), add(T(-300).__x), add(T(1e9).__x), add(static_cast<bool>(T(0.0F)));
}

// All codes, and numbers between and beyond them, with each rounding.
template <class T, class Kind, class Narrow, class Widen>
void fewBits(int codes, Kind kind, Narrow const& narrowed, Widen const& widened) {
    for (int code = 0; code < codes; ++code) {
        T number;
        number.__x = static_cast<__nv_fp8_storage_t>(code);
        add(static_cast<float>(number));
        add(widened(number.__x, kind).x);
        add(T(__half(static_cast<float>(code) * 0.37F)).__x);
    }
    for (int step = -4000; step <= 4000; ++step) {
        float const value = static_cast<float>(step) / 128;
        add(T(value).__x);
        for (int rounding = 0; rounding < 2; ++rounding)
            add(narrowed(value, kind, static_cast<cudaRoundMode>(rounding)));
    }
    add(T(7).__x), add(T(-300).__x), add(T(1e9).__x), add(static_cast<bool>(T(0.0F)));
}

} // namespace

int main() {
    conversions();
    eightBits<__nv_fp8_e4m3>(__NV_E4M3);
    tell("e4m3");
    eightBits<__nv_fp8_e5m2>(__NV_E5M2);
    tell("e5m2");
    fewBits<__nv_fp6_e2m3>(64, __NV_E2M3, __nv_cvt_float_to_fp6, __nv_cvt_fp6_to_halfraw);
    tell("e2m3");
    fewBits<__nv_fp6_e3m2>(64, __NV_E3M2, __nv_cvt_float_to_fp6, __nv_cvt_fp6_to_halfraw);
    tell("e3m2");
    fewBits<__nv_fp4_e2m1>(16, __NV_E2M1, __nv_cvt_float_to_fp4, __nv_cvt_fp4_to_halfraw);
    tell("e2m1");
    float2 const two = static_cast<float2>(__nv_fp4x2_e2m1(float2{1.4F, -5.2F}));
    std::printf("%g %g\n", static_cast<double>(two.x), static_cast<double>(two.y));
    arithmetic<__half>([](unsigned short bits) { return __ushort_as_half(bits); },
                       [](__half value) { return __half_as_ushort(value); });
    tell("half arithmetic");
    arithmetic<__nv_bfloat16>([](unsigned short bits) { return __ushort_as_bfloat16(bits); },
                              [](__nv_bfloat16 value) { return __bfloat16_as_ushort(value); });
    tell("bfloat16 arithmetic");
    float2 const halves = __half22float2(__floats2half2_rn(1.0001F, -3.0F));
    float2 const others = __bfloat1622float2(__halves2bfloat162(__float2bfloat16(1.01F), __float2bfloat16(2.0F)));
    std::printf("%g %g %g %g\n", static_cast<double>(halves.x), static_cast<double>(halves.y),
                static_cast<double>(others.x), static_cast<double>(others.y));
    half h = 1.5F;
    h += __half(2);
    std::printf("%g %zu %zu %d\n", static_cast<double>(static_cast<float>(h)), sizeof(half2), alignof(half2),
                static_cast<bool>(h));
}
