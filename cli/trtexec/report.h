// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inference.h"

#include <functional>

namespace trtexec {

/// Of one number of each query.
struct Statistics {
    double min = 0;
    double max = 0;
    double mean = 0;
    double median = 0;
    std::vector<double> percentiles;
    double variation = 0; // standard deviation / mean, in percent; infinite where the mean is 0
};

/// \param percents for each the value below which so many percent of the values are
/// \param values at least one
Statistics statisticsOf(std::vector<double> values, std::vector<double> const& percents);

/// The trace and the summary, in the log; and the times of each query as JSON, in a file. A Failure where the warm up
/// took all queries. \param queuesWork whether the device computes after enqueueV3 has returned
void reportPerformance(std::vector<Query> const& queries, Options const& options, bool queuesWork, Log& log);

} // namespace trtexec
