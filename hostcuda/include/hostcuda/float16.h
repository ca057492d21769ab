// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the two 16-bit floating point types. C++ only.
#ifndef HOSTCUDA_FLOAT16_H
#define HOSTCUDA_FLOAT16_H

#include <stdint.h>
#include <string.h>

#include "../vector_types.h"

namespace hostcuda {

// A small floating point format: sign, exponent, mantissa.
struct SmallFloat {
    int mantissaBits;
    int bias;         // of the exponent
    unsigned sign;    // the sign's bit
    unsigned largest; // the result for larger numbers: infinity, or the largest number
    unsigned nan;     // the result for NaN
};

// The nearest number, ties to even.
inline unsigned narrow(double value, SmallFloat format) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    uint64_t const magnitude = bits & (UINT64_MAX >> 1);
    unsigned const sign = bits != magnitude ? format.sign : 0;
    int const exponent = static_cast<int>(magnitude >> 52) - 1023 + format.bias;
    if (magnitude > uint64_t(0x7ff) << 52) return format.nan;
    if (exponent > 255) return sign | format.largest;
    int const biased = exponent > 0 ? exponent : 0;
    int const shift = 52 - format.mantissaBits + (biased == 0 ? 1 - exponent : 0);
    if (shift > 54) return sign; // less than half of the smallest, or zero
    uint64_t const whole = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    uint64_t const kept = whole >> shift, rest = whole - (kept << shift), half = uint64_t(1) << (shift - 1);
    uint64_t const rounded = kept + (rest > half || (rest == half && (kept & 1) != 0));
    // A carry continues into the exponent, as intended; a normal number's leading bit is not stored.
    uint64_t const implicit = biased == 0 ? 0 : uint64_t(1) << format.mantissaBits;
    uint64_t const code = (uint64_t(biased) << format.mantissaBits) + rounded - implicit;
    return sign | (code < format.largest ? static_cast<unsigned>(code) : format.largest);
}

inline float floatOf(uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

// The value of a code that is not infinity or NaN; exact.
inline float widen(unsigned code, SmallFloat format) {
    unsigned const exponent = (code & (format.sign - 1)) >> format.mantissaBits;
    unsigned const mantissa = code & ((1u << format.mantissaBits) - 1);
    float const smallest = floatOf(uint32_t(128 - format.bias - format.mantissaBits) << 23);
    uint32_t const normal = (exponent + 127 - uint32_t(format.bias)) << 23 | mantissa << (23 - format.mantissaBits);
    float const value = exponent == 0 ? static_cast<float>(mantissa) * smallest : floatOf(normal);
    return (code & format.sign) != 0 ? -value : value;
}

// The value of a format without infinity and NaN after rounding: to nearest, or towards zero.
inline unsigned narrowTo(double value, SmallFloat format, bool toZero) {
    unsigned const nearest = narrow(value, format);
    double const found = widen(nearest, format), least = found < 0 ? -found : found;
    double const wanted = value < 0 ? -value : value;
    return toZero && least > wanted ? nearest - 1 : nearest;
}

inline SmallFloat halfFormat() { return SmallFloat{10, 15, 0x8000, 0x7c00, 0x7fff}; }

inline float widenHalf(unsigned short code) {
    unsigned const magnitude = code & 0x7fffu;
    if (magnitude > 0x7c00) return floatOf(0x7fffffff);
    if (magnitude == 0x7c00) return floatOf(0x7f800000u | uint32_t(code & 0x8000) << 16);
    return widen(code, halfFormat());
}

// The upper half of a float.
inline SmallFloat bfloat16Format() { return SmallFloat{7, 127, 0x8000, 0x7f80, 0x7fff}; }

inline float widenBfloat16(unsigned short code) { return floatOf(uint32_t(code) << 16); }

} // namespace hostcuda

// A type: raw bits, conversions to and from numbers, arithmetic that rounds once.
#define HOSTCUDA_FLOAT16(Type, Raw, format, widened)                                                                   \
    struct __attribute__((aligned(2))) Type {                                                                          \
        unsigned short __x;                                                                                            \
        Type() = default;                                                                                              \
        Type(Raw raw) : __x(raw.x) {}                                                                                  \
        Type(double value) : __x(static_cast<unsigned short>(hostcuda::narrow(value, format))) {}                      \
        HOSTCUDA_FLOAT16_FROM(Type, float)                                                                             \
        HOSTCUDA_FLOAT16_FROM(Type, short)                                                                             \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned short)                                                                    \
        HOSTCUDA_FLOAT16_FROM(Type, int)                                                                               \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned)                                                                          \
        HOSTCUDA_FLOAT16_FROM(Type, long)                                                                              \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned long)                                                                     \
        HOSTCUDA_FLOAT16_FROM(Type, long long)                                                                         \
        HOSTCUDA_FLOAT16_FROM(Type, unsigned long long)                                                                \
        operator float() const { return widened(__x); }                                                                \
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
        bool const infinite = (a.__x & 0x7fffu) == format.largest;                                                     \
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
