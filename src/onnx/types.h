// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_float.h"
#include "onnx/importer.h"

namespace tenon::onnx {

/// The element types of ONNX: values of TensorProto.DataType, those that are values that are newer than this reader
/// too.
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
    Unknown // anything above
};

ElementType elementType(int64_t number);
std::string_view nameOf(ElementType type); // "float8e4m3fn"
int bitsOf(ElementType type);              // 0 for strings and what is not known
/// The type whose elements the graph keeps as they are in the file.
ElementType elementTypeOf(DataType type);
/// The type in the graph; none for strings, complex numbers and what is not known. See dataTypeOf().
std::optional<DataType> graphType(ElementType type);

/// The numbers of a floating point type that the graph keeps in a wider one; Own for all others.
NumberForm numberForm(ElementType type);

struct WholeRange {
    int64_t least = 0;
    int64_t most = 0;
    bool holds(WholeRange const& other) const { return least <= other.least && other.most <= most; }
};
/// The integers that tensors of this type hold in the graph (of uint64 those that int64 has); none for other types.
std::optional<WholeRange> wholeRange(ElementType type);

inline void append(std::string& to, ElementType type) { to += nameOf(type); }

} // namespace tenon::onnx
