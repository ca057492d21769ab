// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "element.h"

#include "../tenon/small_float.h"
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

using tenon::cli::decode;
using tenon::cli::encode;
using tenon::cli::kBFloat;
using tenon::cli::kFloat4;
using tenon::cli::kFloat8;
using tenon::cli::kHalf;

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

/// A byte holds two elements, the first in its lower half.
uint32_t readNibble(std::byte const* memory, int64_t index) {
    return (read<uint8_t>(memory, index / 2) >> (index % 2 * 4)) & 15U;
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

bool isReal(DataType type) {
    switch (type) {
    case DataType::kFLOAT:
    case DataType::kHALF:
    case DataType::kBF16:
    case DataType::kFP8:
    case DataType::kFP4:
    case DataType::kE8M0: return true;
    case DataType::kINT64:
    case DataType::kINT32:
    case DataType::kINT8:
    case DataType::kUINT8:
    case DataType::kINT4:
    case DataType::kBOOL: return false;
    }
    fail("type ", static_cast<int32_t>(type), " does not exist");
}

float realElement(DataType type, std::byte const* memory, int64_t index) {
    switch (type) {
    case DataType::kFLOAT: return read<float>(memory, index);
    case DataType::kHALF: return decode(read<uint16_t>(memory, index), kHalf);
    case DataType::kBF16: return decode(read<uint16_t>(memory, index), kBFloat);
    case DataType::kFP8: return decode(read<uint8_t>(memory, index), kFloat8);
    case DataType::kFP4: return decode(readNibble(memory, index), kFloat4);
    case DataType::kE8M0: return tenon::cli::decodeScale(read<uint8_t>(memory, index));
    default: fail("elements of type ", static_cast<int32_t>(type), " are not floating point");
    }
}

int64_t integerElement(DataType type, std::byte const* memory, int64_t index) {
    switch (type) {
    case DataType::kINT64: return read<int64_t>(memory, index);
    case DataType::kINT32: return read<int32_t>(memory, index);
    case DataType::kINT8: return read<int8_t>(memory, index);
    case DataType::kUINT8: return read<uint8_t>(memory, index);
    case DataType::kBOOL: return read<uint8_t>(memory, index) == 0 ? 0 : 1;
    case DataType::kINT4: {
        auto const nibble = static_cast<int64_t>(readNibble(memory, index));
        return nibble < 8 ? nibble : nibble - 16;
    }
    default: fail("elements of type ", static_cast<int32_t>(type), " are not integers");
    }
}

std::string elementText(DataType type, std::byte const* memory, int64_t index) {
    return isReal(type) ? floatText(realElement(type, memory, index)) : asText(integerElement(type, memory, index));
}

} // namespace trtexec
