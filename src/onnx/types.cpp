// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/types.h"

#include "onnx/parse_error_code.h"

#include <array>

namespace tenon::onnx {
namespace {

struct Row {
    std::string_view name;
    int bits;
    std::optional<DataType> inGraph;
    NumberForm numbers = NumberForm::Own; // of a floating point type that the graph stores in a wider one
};

// The types of ONNX and their types in the graph, in the order of ElementType: the same type, or the nearest one that
// holds every value of it. (float64 is the exception: values beyond float32 are refused.)
constexpr std::array<Row, 30> kRows{{{"undefined", 0, {}},
                                     {"float32", 32, DataType::Float32},
                                     {"uint8", 8, DataType::UInt8},
                                     {"int8", 8, DataType::Int8},
                                     {"uint16", 16, DataType::Int32},
                                     {"int16", 16, DataType::Int32},
                                     {"int32", 32, DataType::Int32},
                                     {"int64", 64, DataType::Int64},
                                     {"string", 0, {}},
                                     {"bool", 8, DataType::Bool},
                                     {"float16", 16, DataType::Float16},
                                     {"float64", 64, DataType::Float32},
                                     {"uint32", 32, DataType::Int64},
                                     {"uint64", 64, DataType::Int64},
                                     {"complex64", 64, {}},
                                     {"complex128", 128, {}},
                                     {"bfloat16", 16, DataType::BFloat16},
                                     {"float8e4m3fn", 8, DataType::Float8},
                                     {"float8e4m3fnuz", 8, DataType::Float16, NumberForm::E4M3FNUZ},
                                     {"float8e5m2", 8, DataType::Float16, NumberForm::E5M2},
                                     {"float8e5m2fnuz", 8, DataType::Float16, NumberForm::E5M2FNUZ},
                                     {"uint4", 4, DataType::UInt8},
                                     {"int4", 4, DataType::Int4},
                                     {"float4e2m1", 4, DataType::Float4},
                                     {"float8e8m0", 8, DataType::E8M0},
                                     {"uint2", 2, DataType::UInt8},
                                     {"int2", 2, DataType::Int8},
                                     {"float6e2m3", 6, DataType::Float16, NumberForm::E2M3},
                                     {"float6e3m2", 6, DataType::Float16, NumberForm::E3M2},
                                     {"unknown to this reader", 0, {}}}};

Row const& rowOf(ElementType type) { return kRows[static_cast<size_t>(type)]; }

} // namespace

ElementType elementType(int64_t number) {
    auto const last = static_cast<int64_t>(ElementType::Unknown);
    return static_cast<ElementType>(number < 0 || number > last ? last : number);
}

std::string_view nameOf(ElementType type) { return rowOf(type).name; }
int bitsOf(ElementType type) { return rowOf(type).bits; }
std::optional<DataType> graphType(ElementType type) { return rowOf(type).inGraph; }

NumberForm numberForm(ElementType type) { return rowOf(type).numbers; }

std::optional<WholeRange> wholeRange(ElementType type) {
    Row const& row = rowOf(type);
    bool const whole = row.inGraph && (isInteger(*row.inGraph) || *row.inGraph == DataType::Int4);
    if (!whole) return std::nullopt;
    bool const isSigned = row.name.starts_with('i');
    if (row.bits == 64) return WholeRange{isSigned ? INT64_MIN : 0, INT64_MAX};
    int64_t const count = int64_t{1} << row.bits;
    return isSigned ? WholeRange{-count / 2, count / 2 - 1} : WholeRange{0, count - 1};
}

ElementType elementTypeOf(DataType type) {
    size_t i = 0;
    while (kRows[i].inGraph != type || kRows[i].bits != bitsOf(type)) ++i; // there is one for each type
    return static_cast<ElementType>(i);
}

DataType dataTypeOf(int64_t onnxType) {
    if (auto const type = graphType(elementType(onnxType))) return *type;
    throw KnownError(ParseErrorCode::UnsupportedNodeDataType, ErrorCode::Unsupported,
                     text("type ", onnxType, " (", elementType(onnxType),
                          ") is not supported; expected float, float16, bfloat16, an integer type or bool"));
}

} // namespace tenon::onnx
