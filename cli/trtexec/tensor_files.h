// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntimeBase.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trtexec {

/// The elements of a tensor in host memory, row-major.
struct TensorValue {
    nvinfer1::DataType type;
    std::vector<int64_t> dims;
    std::string bytes;

    int64_t elements() const;
    std::byte const* memory() const { return reinterpret_cast<std::byte const*>(bytes.data()); }
};

/// An array in the bytes of a .npy file, and what its name ends with: elements that numpy has no type for are written
/// as float32 or int8.
struct NumpyFile {
    std::string bytes;
    std::string ending; // ".npy", "_to_float.npy"
};
NumpyFile numpyFile(TensorValue const& tensor);

/// Nested lists, a row of the last axis on a line.
std::string nestedText(TensorValue const& tensor);

/// A JSON object: least, largest and mean element, null where there is none, and the first and last five. What is no
/// finite number is a string.
std::string statisticsJson(TensorValue const& tensor);

/// `name` for a file: what is neither a letter nor a digit nor one of "._-," becomes '_', and the middle of a long name
/// is left out.
std::string safeFileName(std::string_view name);

} // namespace trtexec
