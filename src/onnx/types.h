// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_float.h"
#include "onnx/importer.h"

namespace tenon::onnx {

/// The element types of ONNX: values of TensorProto.DataType, including those newer than this reader.
enum class ElementType {
    Undefined,
    Float32,
    UInt8,
    Int8,
    UInt16,
    Int16,
    Int32,
    Int64,
    String,
    Bool,
    Float16,
    Float64,
    UInt32,
    UInt64,
    Complex64,
    Complex128,
    BFloat16,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    UInt4,
    Int4,
    Float4E2M1,
    Float8E8M0,
    UInt2,
    Int2,
    Float6E2M3,
    Float6E3M2,
    Unknown // any larger number
};

ElementType elementType(int64_t number);
std::string_view nameOf(ElementType type); // "float8e4m3fn"
int bitsOf(ElementType type);              // 0 for strings and unknown types
/// The type whose elements the graph stores as in the file.
ElementType elementTypeOf(DataType type);
/// The type in the graph; none for strings, complex numbers and unknown types. See dataTypeOf().
std::optional<DataType> graphType(ElementType type);

/// The values of a floating point type that the graph stores in a wider one; Own for all others.
NumberForm numberForm(ElementType type);

struct WholeRange {
    int64_t least = 0;
    int64_t most = 0;
    bool holds(WholeRange const& other) const { return least <= other.least && other.most <= most; }
};
/// The range of integers of this type in the graph (for uint64 that of int64); none for other types.
std::optional<WholeRange> wholeRange(ElementType type);

inline void append(std::string& to, ElementType type) { to += nameOf(type); }

} // namespace tenon::onnx
