// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inference.h"

#include <functional>

namespace trtexec {

/// Statistics of one value of each query.
struct Statistics {
    double min = 0;
    double max = 0;
    double mean = 0;
    double median = 0;
    std::vector<double> percentiles;
    double variation = 0; // standard deviation / mean, in percent; infinite if the mean is 0
};

/// \param percents percentiles to compute
/// \param values at least one
Statistics statisticsOf(std::vector<double> values, std::vector<double> const& percents);

/// The trace and the summary, in the log; and the times of each query as JSON, in a file. A Failure if all queries were
/// warm up. \param queuesWork whether the device computes after enqueueV3 has returned
void reportPerformance(std::vector<Query> const& queries, Options const& options, bool queuesWork, Log& log);

} // namespace trtexec
