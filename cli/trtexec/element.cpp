// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "element.h"

#include "failure.h"
#include "specs.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

namespace trtexec {
namespace {

using nvinfer1::DataType;

// Small floats are read and written by their definition: sign, exponent of so many bits, fraction.
struct FloatKind {
    int exponentBits;
    int fractionBits;
    bool hasInfinity;
};

constexpr FloatKind kHalf{5, 10, true};
constexpr FloatKind kBFloat{8, 7, true};
constexpr FloatKind kFloat8{4, 3, false}; // E4M3

float decode(uint32_t bits, FloatKind kind) {
    int const bias = (1 << (kind.exponentBits - 1)) - 1;
    uint32_t const fraction = bits & ((1U << kind.fractionBits) - 1);
    int const exponent = static_cast<int>((bits >> kind.fractionBits) & ((1U << kind.exponentBits) - 1));
    bool const negative = (bits >> (kind.fractionBits + kind.exponentBits)) & 1U;
    bool const top = exponent == (1 << kind.exponentBits) - 1;
    float magnitude = 0;
    if (top && kind.hasInfinity)
        magnitude = fraction == 0 ? INFINITY : NAN;
    else if (top && fraction == (1U << kind.fractionBits) - 1)
        magnitude = NAN;
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(fraction), 1 - bias - kind.fractionBits);
    else
        magnitude =
            std::ldexp(static_cast<float>(fraction + (1U << kind.fractionBits)), exponent - bias - kind.fractionBits);
    return negative ? -magnitude : magnitude;
}

/// For values from -1 to 1, rounded towards zero.
uint32_t encode(float value, FloatKind kind) {
    int const bias = (1 << (kind.exponentBits - 1)) - 1;
    int exponent = 0;
    float const mantissa = std::frexp(std::abs(value), &exponent); // 0.5 to 1
    uint32_t const sign = std::signbit(value) ? 1U << (kind.exponentBits + kind.fractionBits) : 0;
    int const biased = exponent - 1 + bias;
    if (value == 0 || biased <= 0) return sign;
    auto const fraction = static_cast<uint32_t>(std::ldexp(mantissa, kind.fractionBits + 1));
    return sign + (static_cast<uint32_t>(biased - 1) << kind.fractionBits) + fraction;
}

template <class T> T read(std::byte const* memory, int64_t index) {
    T value;
    std::memcpy(&value, memory + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

std::string floatText(float value) {
    if (std::isnan(value)) return "NaN"; // these three as Python's json module reads them
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    char digits[32];
    return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

template <class T, class Draw> void fill(std::span<std::byte> memory, Draw&& draw) {
    for (size_t at = 0; at + sizeof(T) <= memory.size(); at += sizeof(T)) {
        T const value = static_cast<T>(draw());
        std::memcpy(memory.data() + at, &value, sizeof(T));
    }
}

} // namespace

int bitsOf(DataType type) {
    switch (type) {
    case DataType::kINT64: return 64;
    case DataType::kFLOAT:
    case DataType::kINT32: return 32;
    case DataType::kHALF:
    case DataType::kBF16: return 16;
    case DataType::kINT8:
    case DataType::kUINT8:
    case DataType::kBOOL:
    case DataType::kFP8:
    case DataType::kE8M0: return 8;
    case DataType::kINT4:
    case DataType::kFP4: return 4;
    }
    fail("type ", static_cast<int32_t>(type), " does not exist");
}

void fillRandom(DataType type, std::span<std::byte> memory) {
    std::minstd_rand engine;
    auto const real = [&] { return std::uniform_real_distribution<float>(-1, 1)(engine); };
    auto const integer = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine); };
    switch (type) {
    case DataType::kFLOAT: return fill<float>(memory, real);
    case DataType::kHALF: return fill<uint16_t>(memory, [&] { return encode(real(), kHalf); });
    case DataType::kBF16: return fill<uint16_t>(memory, [&] { return encode(real(), kBFloat); });
    case DataType::kFP8: return fill<uint8_t>(memory, [&] { return encode(real(), kFloat8); });
    case DataType::kINT64: return fill<int64_t>(memory, [&] { return integer(-128, 127); });
    case DataType::kINT32: return fill<int32_t>(memory, [&] { return integer(-128, 127); });
    case DataType::kINT8: return fill<int8_t>(memory, [&] { return integer(-128, 127); });
    case DataType::kUINT8:
    case DataType::kINT4: return fill<uint8_t>(memory, [&] { return integer(0, 255); });
    case DataType::kBOOL: return fill<uint8_t>(memory, [&] { return integer(0, 1); });
    case DataType::kFP4:
    case DataType::kE8M0: break;
    }
    fail("inputs of type ", static_cast<int32_t>(type), " cannot be filled; give values by --loadInputs");
}

std::string elementText(DataType type, std::byte const* memory, int64_t index) {
    switch (type) {
    case DataType::kFLOAT: return floatText(read<float>(memory, index));
    case DataType::kHALF: return floatText(decode(read<uint16_t>(memory, index), kHalf));
    case DataType::kBF16: return floatText(decode(read<uint16_t>(memory, index), kBFloat));
    case DataType::kFP8: return floatText(decode(read<uint8_t>(memory, index), kFloat8));
    case DataType::kINT64: return asText(read<int64_t>(memory, index));
    case DataType::kINT32: return asText(read<int32_t>(memory, index));
    case DataType::kINT8: return asText(int{read<int8_t>(memory, index)});
    case DataType::kUINT8: return asText(int{read<uint8_t>(memory, index)});
    case DataType::kBOOL: return read<uint8_t>(memory, index) == 0 ? "0" : "1";
    case DataType::kINT4: {
        int const nibble = (read<uint8_t>(memory, index / 2) >> (index % 2 * 4)) & 15;
        return asText(nibble < 8 ? nibble : nibble - 16);
    }
    case DataType::kFP4:
    case DataType::kE8M0: break;
    }
    fail("outputs of type ", static_cast<int32_t>(type), " cannot be printed");
}

} // namespace trtexec
