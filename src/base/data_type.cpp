// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/data_type.h"

#include "base/error.h"

#include <array>

namespace tenon {
namespace {

struct Row {
    std::string_view name;
    int bits;
    bool isFloat;
    bool isInteger;
};

constexpr std::array<Row, 12> kRows{{{"float32", 32, true, false},
                                     {"float16", 16, true, false},
                                     {"bfloat16", 16, true, false},
                                     {"float8", 8, false, false},
                                     {"int4", 4, false, false},
                                     {"float4", 4, false, false},
                                     {"e8m0", 8, false, false},
                                     {"int8", 8, false, true},
                                     {"uint8", 8, false, true},
                                     {"int32", 32, false, true},
                                     {"int64", 64, false, true},
                                     {"bool", 8, false, false}}};

Row const& rowOf(DataType type) { return kRows[static_cast<size_t>(type)]; }

} // namespace

std::string_view nameOf(DataType type) { return rowOf(type).name; }

std::optional<DataType> dataTypeNamed(std::string_view name) {
    for (size_t i = 0; i < kRows.size(); ++i) {
        if (kRows[i].name == name) return static_cast<DataType>(i);
    }
    return std::nullopt;
}

int bitsOf(DataType type) { return rowOf(type).bits; }
bool isFloat(DataType type) { return rowOf(type).isFloat; }
bool isInteger(DataType type) { return rowOf(type).isInteger; }
bool isComputed(DataType type) { return isFloat(type) || isInteger(type) || type == DataType::Bool; }

size_t bytesOf(DataType type, int64_t count) {
    int64_t bits = 0;
    if (count < 0 || __builtin_mul_overflow(count, bitsOf(type), &bits) || bits > INT64_MAX - 7)
        fail(ErrorCode::Memory, count, " elements of ", type, " do not fit in memory");
    return static_cast<size_t>((bits + 7) / 8);
}

void failOnType(DataType type) {
    fail(ErrorCode::Unsupported, type, " is not supported for computation; cast it first");
}

} // namespace tenon
