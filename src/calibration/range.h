// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "calibration/histogram.h"

namespace tenon {

/// The largest magnitude T that 8 bits are to tell, for which the distribution of the values loses the least
/// information (the Kullback-Leibler divergence) when those above T are taken for T, and those below are put into 128
/// levels: S. Migacz, "8-bit Inference with TensorRT", GTC 2017. 0 where all values are 0.
double entropyRange(Histogram const& histogram);

/// The same among those T by which the mean square of what is lost is not larger than if no value were taken for T.
/// Where many values are the same, as those of an even background, the divergence alone may be least for a T with half
/// of all values above it.
double closeEntropyRange(Histogram const& histogram);

/// The magnitude below which lies this part of all values, at most `cutoff` times the largest. Each is a number from
/// 0 to 1, where 0 leaves it out. 0 where all values are 0.
double quantileRange(Histogram const& histogram, double quantile, double cutoff);

} // namespace tenon
