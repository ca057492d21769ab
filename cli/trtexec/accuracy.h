// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inference.h"
#include "options.h"

#include <span>
#include <string>

namespace trtexec {

class Log;

/// The difference between `found` and `expected`, two arrays of one length: 0 is equal. Elements that are both NaN, or
/// the same infinity, are equal; one NaN alone is outside any tolerance, and makes the other measures NaN.
///
///     l0    the share of elements with |found - expected| > absolute + relative · |expected|
///     l1    the mean of |found - expected|
///     l2    the mean of |found - expected|²
///     lInf  the largest |found - expected|
///     cos   1 - found · expected / (|found| |expected|)
double accuracyLoss(AccuracyOptions const& options, std::span<double const> found, std::span<double const> expected);

/// Runs one query for each pair of --loadInputs and --loadRefOutputs, and logs the loss of each output. A Failure if a
/// file does not match. \return whether all losses are below the threshold
bool checkAccuracy(AccuracyOptions const& options, Stream& stream, Device& device, Log& log);

} // namespace trtexec
