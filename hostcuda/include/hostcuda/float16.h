// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the two 16-bit floating point types share. C++ only.
#ifndef HOSTCUDA_FLOAT16_H
#define HOSTCUDA_FLOAT16_H

#include <stdint.h>
#include <string.h>

#include "../vector_types.h"

namespace hostcuda {

// The nearest number with so many bits of mantissa and exponent, ties to even; NaN is all ones.
inline unsigned short narrow(double value, int mantissaBits, int exponentBits) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    uint64_t const magnitude = bits & (UINT64_MAX >> 1);
    unsigned const sign = static_cast<unsigned>(bits >> 63) << 15;
    int const bias = (1 << (exponentBits - 1)) - 1;
    int const exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (magnitude > uint64_t(0x7ff) << 52) return 0x7fff;
    if (exponent > bias) return static_cast<unsigned short>(sign | ((1u << exponentBits) - 1) << mantissaBits);
    int const biased = exponent + bias > 0 ? exponent + bias : 0;
    int const shift = 52 - mantissaBits + (biased == 0 ? 1 - (exponent + bias) : 0);
    if (shift > 54) return static_cast<unsigned short>(sign); // less than half of the smallest, or zero
    uint64_t const whole = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    uint64_t const kept = whole >> shift, rest = whole - (kept << shift), half = uint64_t(1) << (shift - 1);
    uint64_t const rounded = kept + (rest > half || (rest == half && (kept & 1) != 0));
    // A carry goes on into the exponent, up to infinity, as it should; a normal number's leading bit is not stored.
    uint64_t const implicit = biased == 0 ? 0 : uint64_t(1) << mantissaBits;
    return static_cast<unsigned short>(sign | ((uint64_t(biased) << mantissaBits) + rounded - implicit));
}

// Exact.
inline float widen(unsigned short bits, int mantissaBits, int exponentBits) {
    uint32_t const sign = uint32_t(bits & 0x8000) << 16, mask = (1u << mantissaBits) - 1;
    int const exponent = (bits & 0x7fff) >> mantissaBits, bias = (1 << (exponentBits - 1)) - 1;
    uint32_t const mantissa = bits & mask;
    uint32_t result = sign | mantissa << (23 - mantissaBits);
    if (exponent == (1 << exponentBits) - 1) {
        // CUDA has one NaN for all of the short type that is not the upper half of a float.
        result = mantissa != 0 && exponentBits != 8 ? 0x7fffffff : result | 0xffu << 23;
    } else if (exponent != 0) {
        result |= uint32_t(exponent - bias + 127) << 23;
    } else if (exponentBits != 8) { // the float is normal: the mantissa times the smallest number
        float const smallest = 1.0F / static_cast<float>(1u << (mantissaBits + bias - 1));
        float const value = static_cast<float>(mantissa) * smallest;
        return sign != 0 ? -value : value;
    }
    float value = 0;
    memcpy(&value, &result, sizeof(value));
    return value;
}

} // namespace hostcuda

// A type: raw bits, conversions to and from numbers, arithmetic that rounds once.
#define HOSTCUDA_FLOAT16(Type, Raw, mantissaBits, exponentBits)                                                        \
    struct __attribute__((aligned(2))) Type {                                                                          \
        unsigned short __x;                                                                                            \
        Type() = default;                                                                                              \
        Type(Raw raw) : __x(raw.x) {}                                                                                  \
        Type(double value) : __x(hostcuda::narrow(value, mantissaBits, exponentBits)) {}                               \
        HOSTCUDA_FLOAT16_FROM(Type, float)                                                                             \
        HOSTCUDA_FLOAT16_FROM(Type, short)                                                                             \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned short)                                                                    \
        HOSTCUDA_FLOAT16_FROM(Type, int)                                                                               \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned)                                                                          \
        HOSTCUDA_FLOAT16_FROM(Type, long)                                                                              \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned long)                                                                     \
        HOSTCUDA_FLOAT16_FROM(Type, long long)                                                                         \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned long long)                                                                \
        operator float() const { return hostcuda::widen(__x, mantissaBits, exponentBits); }                            \
        operator Raw() const {                                                                                         \
            Raw raw = {__x};                                                                                           \
            return raw;                                                                                                \
        }                                                                                                              \
        explicit operator bool() const { return (__x & 0x7fff) != 0; }                                                 \
        Type& operator+=(Type other) { return *this = Type(float(*this) + float(other)); }                             \
        Type& operator-=(Type other) { return *this = Type(float(*this) - float(other)); }                             \
        Type& operator*=(Type other) { return *this = Type(float(*this) * float(other)); }                             \
        Type& operator/=(Type other) { return *this = Type(float(*this) / float(other)); }                             \
    };                                                                                                                 \
    inline Type operator+(Type const& a, Type const& b) { return Type(float(a) + float(b)); }                          \
    inline Type operator-(Type const& a, Type const& b) { return Type(float(a) - float(b)); }                          \
    inline Type operator*(Type const& a, Type const& b) { return Type(float(a) * float(b)); }                          \
    inline Type operator/(Type const& a, Type const& b) { return Type(float(a) / float(b)); }                          \
    inline Type operator+(Type const& a) { return a; }                                                                 \
    inline Type operator-(Type const& a) {                                                                             \
        Raw raw = {static_cast<unsigned short>(a.__x ^ 0x8000)};                                                       \
        return Type(raw);                                                                                              \
    }                                                                                                                  \
    inline bool operator==(Type const& a, Type const& b) { return float(a) == float(b); }                              \
    inline bool operator!=(Type const& a, Type const& b) { return float(a) != float(b); }                              \
    inline bool operator<(Type const& a, Type const& b) { return float(a) < float(b); }                                \
    inline bool operator>(Type const& a, Type const& b) { return float(a) > float(b); }                                \
    inline bool operator<=(Type const& a, Type const& b) { return float(a) <= float(b); }                              \
    inline bool operator>=(Type const& a, Type const& b) { return float(a) >= float(b); }                              \
    inline Type __hadd(Type a, Type b) { return a + b; }                                                               \
    inline Type __hsub(Type a, Type b) { return a - b; }                                                               \
    inline Type __hmul(Type a, Type b) { return a * b; }                                                               \
    inline Type __hdiv(Type a, Type b) { return a / b; }                                                               \
    inline Type __hneg(Type a) { return -a; }                                                                          \
    inline Type __habs(Type a) {                                                                                       \
        Raw raw = {static_cast<unsigned short>(a.__x & 0x7fff)};                                                       \
        return Type(raw);                                                                                              \
    }                                                                                                                  \
    inline Type __hfma(Type a, Type b, Type c) {                                                                       \
        return Type(double(float(a)) * double(float(b)) + double(float(c)));                                           \
    }                                                                                                                  \
    inline Type __hmax(Type a, Type b) { return float(a) != float(a) || a < b ? b : a; }                               \
    inline Type __hmin(Type a, Type b) { return float(a) != float(a) || b < a ? b : a; }                               \
    inline bool __heq(Type a, Type b) { return a == b; }                                                               \
    inline bool __hne(Type a, Type b) { return a < b || a > b; }                                                       \
    inline bool __hlt(Type a, Type b) { return a < b; }                                                                \
    inline bool __hgt(Type a, Type b) { return a > b; }                                                                \
    inline bool __hle(Type a, Type b) { return a <= b; }                                                               \
    inline bool __hge(Type a, Type b) { return a >= b; }                                                               \
    inline bool __hisnan(Type a) { return float(a) != float(a); }                                                      \
    inline int __hisinf(Type a) {                                                                                      \
        bool const infinite = (a.__x & 0x7fff) == ((1 << exponentBits) - 1) << mantissaBits;                           \
        return !infinite ? 0 : (a.__x & 0x8000) != 0 ? -1 : 1;                                                         \
    }

#define HOSTCUDA_FLOAT16_FROM(Type, Number)                                                                            \
    Type(Number value) : Type(static_cast<double>(value)) {}                                                           \
    Type& operator=(Number value) { return *this = Type(value); }

// Two of a type.
#define HOSTCUDA_FLOAT16_PAIR(Pair, PairRaw, Type, Raw)                                                                \
    struct __attribute__((aligned(4))) Pair {                                                                          \
        Type x;                                                                                                        \
        Type y;                                                                                                        \
        Pair() = default;                                                                                              \
        Pair(Type a, Type b) : x(a), y(b) {}                                                                           \
        Pair(PairRaw raw) : x(Raw{raw.x}), y(Raw{raw.y}) {}                                                            \
        operator PairRaw() const {                                                                                     \
            PairRaw raw = {x.__x, y.__x};                                                                              \
            return raw;                                                                                                \
        }                                                                                                              \
    };                                                                                                                 \
    inline Pair operator+(Pair const& a, Pair const& b) { return Pair(a.x + b.x, a.y + b.y); }                         \
    inline Pair operator-(Pair const& a, Pair const& b) { return Pair(a.x - b.x, a.y - b.y); }                         \
    inline Pair operator*(Pair const& a, Pair const& b) { return Pair(a.x * b.x, a.y * b.y); }                         \
    inline Pair operator/(Pair const& a, Pair const& b) { return Pair(a.x / b.x, a.y / b.y); }                         \
    inline bool operator==(Pair const& a, Pair const& b) { return a.x == b.x && a.y == b.y; }                          \
    inline Pair __hadd2(Pair a, Pair b) { return a + b; }                                                              \
    inline Pair __hsub2(Pair a, Pair b) { return a - b; }                                                              \
    inline Pair __hmul2(Pair a, Pair b) { return a * b; }                                                              \
    inline Pair __hfma2(Pair a, Pair b, Pair c) { return Pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }         \
    inline float __low2float(Pair a) { return float(a.x); }                                                            \
    inline float __high2float(Pair a) { return float(a.y); }

#endif
