// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace tenon::plugins {

constexpr float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// One of several scores; index -1 where there is none.
struct Best {
    int32_t index;
    float score;
};

/// The largest of `count` scores that stand `step` apart, the first of equal ones; no NaN is the largest.
inline Best bestOf(float const* scores, int32_t count, int64_t step) {
    Best best{-1, -INFINITY};
    for (int32_t i = 0; i < count; ++i) {
        float const score = scores[i * step];
        if (score > best.score || (best.index < 0 && score == score)) best = {i, score};
    }
    return best;
}

/// Finds those of many that stay, on all threads. Its memory is used again.
class Finder {
public:
    /// \param steps how many cheap steps one call of `stays` takes
    /// \param stays is asked once about each of 0 to count - 1, by several threads at once
    /// \return those that stay, in their order; valid until the next call
    template <typename Stays> std::span<int64_t const> find(int64_t count, int64_t steps, Stays const& stays) {
        marks_.resize(size_t(count));
        parallelFor(count, rowsPerThread(steps), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) marks_[size_t(i)] = stays(i) ? 1 : 0;
        });
        found_.clear();
        found_.reserve(size_t(count));
        for (int64_t i = 0; i < count; ++i)
            if (marks_[size_t(i)]) found_.push_back(i);
        return found_;
    }

private:
    std::vector<unsigned char> marks_;
    std::vector<int64_t> found_;
};

} // namespace tenon::plugins
