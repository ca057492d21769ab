// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tenon::plugins {

constexpr float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// The smallest number whose sigmoid is `score` or more; NaN, which compares false, if there is none. Logits are
/// compared with it, not their sigmoids with `score`: so all devices choose the same although their exp() differ.
inline float leastOfSigmoid(float score) {
    if (!(sigmoid(INFINITY) >= score)) return NAN;
    // Integers in the order of the floats that they represent: 0 is -infinity, the largest float.
    constexpr auto kInfinity = int64_t(std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity()));
    auto const at = [](int64_t i) {
        bool const isNegative = i < kInfinity;
        float const size = std::bit_cast<float>(uint32_t(isNegative ? kInfinity - i : i - kInfinity));
        return isNegative ? -size : size;
    };
    int64_t first = 0, last = 2 * kInfinity; // the sigmoid of this one is sufficient
    while (first < last) {
        int64_t const middle = (first + last) / 2;
        if (sigmoid(at(middle)) >= score)
            last = middle;
        else
            first = middle + 1;
    }
    return at(last);
}

/// One of several scores; index -1 if there is none.
struct Best {
    int32_t index;
    float score;
};

/// The largest of `count` scores with a stride of `step`, the first of equal ones; NaN is never the largest.
constexpr Best bestOf(float const* scores, int32_t count, int64_t step) {
    Best best{-1, -INFINITY};
    for (int32_t i = 0; i < count; ++i) {
        float const score = scores[i * step];
        if (score > best.score || (best.index < 0 && score == score)) best = {i, score};
    }
    return best;
}

/// Selects elements that satisfy a predicate, on all threads. Its memory is reused.
class Finder {
public:
    /// \param steps the cheap steps of one call of `stays`
    /// \param stays is called once for each of 0 to count - 1, by several threads at once
    /// \return the selected ones, in order; valid until the next call
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
