// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

/// The element types of numeric .npy files. Types unknown to numpy are stored as bytes ("V1", "V2").
enum class Element {
    Float16,
    Float32,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Bool,
    Raw1,
    Raw2
};

struct ElementInfo {
    Element element;
    std::string_view name;  // numpy's: "float32"
    std::string_view descr; // in a file, after the byte order: "f4"
    size_t bytes;
};
ElementInfo const& infoOf(Element element);
ElementInfo const* elementOf(std::string_view descr);
/// Whether numpy supports the elements as numbers.
inline bool hasNumpyType(Element element) { return element != Element::Raw1 && element != Element::Raw2; }

/// A dense row-major array in host memory.
struct Array {
    Element element = Element::Float32;
    std::vector<int64_t> dims;
    std::string bytes;

    size_t count() const { return bytes.size() / infoOf(element).bytes; }
};

/// The file's element type for a tensor of this type; none for types smaller than a byte.
std::optional<Element> elementOf(nvinfer1::DataType type);
/// "float32", "bfloat16"
char const* nameOf(nvinfer1::DataType type);

/// Element `index` as a number; Raw1 and Raw2 are decoded as `type`. Holds every int64 exactly.
long double numberAt(Array const& array, size_t index, nvinfer1::DataType type);

} // namespace tenon::cli
