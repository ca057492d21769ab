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

/// An array in the bytes of a .npy file, and the suffix of its name: types unknown to numpy are written as float32 or
/// int8.
struct NumpyFile {
    std::string bytes;
    std::string ending; // ".npy", "_to_float.npy"
};
NumpyFile numpyFile(TensorValue const& tensor);

/// Nested lists, one row of the last axis per line.
std::string nestedText(TensorValue const& tensor);

/// A JSON object: minimum, maximum and mean, null if there is none, and the first and last five elements. Infinity and
/// NaN are strings.
std::string statisticsJson(TensorValue const& tensor);

/// `name` for a file: characters other than letters, digits and "._-," become '_', and the middle of a long name is
/// left out.
std::string safeFileName(std::string_view name);

} // namespace trtexec
