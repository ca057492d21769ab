// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "calibration/histogram.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

/// How a range is found from the values of a tensor.
enum class CalibrationMethod { Legacy, Entropy, Entropy2, MinMax };
std::span<std::string_view const> names(CalibrationMethod);
inline std::string_view nameOf(CalibrationMethod method) { return names(method)[static_cast<size_t>(method)]; }

/// The result of a calibration: for each tensor name, the value of 1 in int8, which is the range / 127. 0 for a tensor
/// whose values were all 0.
struct CalibrationTable {
    CalibrationMethod method = CalibrationMethod::Entropy2;
    std::vector<std::pair<std::string, float>> scales; // in the order of the network
};

/// The text format that TensorRT's builders write and read:
///
///   TRT-8601-EntropyCalibration2
///   conv1: 3c010a14
///
/// The number is the version (NV_TENSORRT_VERSION); the scale is the bits of a float32 in hexadecimal.
std::string writeCalibrationTable(CalibrationTable const& table, int32_t version);
/// Accepts any version. An Error names the invalid line, what was found there and what was expected.
CalibrationTable readCalibrationTable(std::string_view text);

using Histograms = std::map<std::string, Histogram>; // by the names of tensors

/// A text format of Tenon.
std::string writeHistograms(Histograms const& histograms);
/// Throws an Error as above.
Histograms readHistograms(std::string_view text);

} // namespace tenon
