// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

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
    Unknown // anything above
};

ElementType elementType(int64_t number);
std::string_view nameOf(ElementType type); // "float8e4m3fn"
int bitsOf(ElementType type);              // 0 for strings and what is not known
/// The type in the graph; none for strings, complex numbers and what is not known. See dataTypeOf().
std::optional<DataType> graphType(ElementType type);

inline void append(std::string& to, ElementType type) { to += nameOf(type); }

} // namespace tenon::onnx
