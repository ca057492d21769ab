// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntimeBase.h>

#include <cstddef>
#include <span>
#include <string>

namespace trtexec {

/// Bits of one element.
int bitsOf(nvinfer1::DataType type);

/// Random values: floats from -1 to 1, integers from -128 to 127, uint8 from 0 to 255, bools. The same in every run. A
/// Failure for types without such values.
void fillRandom(nvinfer1::DataType type, std::span<std::byte> memory);

/// Whether elements are floating point numbers; the others are integers and bools.
bool isReal(nvinfer1::DataType type);
/// Element `index` of a type that isReal().
float realElement(nvinfer1::DataType type, std::byte const* memory, int64_t index);
/// Element `index` of any other type; bools are 0 or 1.
int64_t integerElement(nvinfer1::DataType type, std::byte const* memory, int64_t index);

/// Element `index` as a number: floats with enough digits to read the same value back, bools as 0 or 1.
std::string elementText(nvinfer1::DataType type, std::byte const* memory, int64_t index);

} // namespace trtexec
