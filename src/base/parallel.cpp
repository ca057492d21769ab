// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <omp.h>
#include <string_view>

namespace tenon {

void parallelFor(int64_t count, int64_t grain, RangeBody body) {
    if (count <= 0) return;
    int64_t const ranges = std::min<int64_t>(omp_get_max_threads(), (count + grain - 1) / std::max<int64_t>(grain, 1));
    if (ranges <= 1 || omp_in_parallel()) return body(0, count);
#pragma omp parallel for num_threads(static_cast <int>(ranges)) schedule(static, 1)
    for (int64_t i = 0; i < ranges; ++i) body(count * i / ranges, count * (i + 1) / ranges);
}

int defaultThreads() {
    char const* wanted = std::getenv("TENON_THREADS");
    if (wanted == nullptr) return omp_get_num_procs();
    char* end = nullptr;
    long const threads = std::strtol(wanted, &end, 10);
    if (end == wanted || *end != '\0' || threads < 1 || threads > 1024)
        fail(ErrorCode::InvalidArgument, "TENON_THREADS is \"", std::string_view(wanted),
             "\"; give a number from 1 to 1024");
    return static_cast<int>(threads);
}

ThreadLimit::ThreadLimit(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
ThreadLimit::~ThreadLimit() { omp_set_num_threads(before_); }

} // namespace tenon
