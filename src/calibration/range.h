// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "calibration/histogram.h"

namespace tenon {

/// The largest magnitude T that 8 bits represent, chosen so that the distribution of the values loses the least
/// information (the Kullback-Leibler divergence) when values above T are clamped to T, and values below are put into
/// 128 levels: S. Migacz, "8-bit Inference with TensorRT", GTC 2017. 0 if all values are 0.
double entropyRange(Histogram const& histogram);

/// The same among those T whose mean squared error is not larger than without clamping. If many values are equal, as in
/// an even background, the divergence alone may be least for a T with half of all values above it.
double closeEntropyRange(Histogram const& histogram);

/// The magnitude below which this fraction of all values is, at most `cutoff` times the largest. Each is a number from
/// 0 to 1; 0 disables it. 0 if all values are 0.
double quantileRange(Histogram const& histogram, double quantile, double cutoff);

} // namespace tenon
