// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

namespace tenon::plugins {

struct Moments {
    double mean, variance;
};

inline Moments momentsOf(std::span<float const> values) {
    double sum = 0, squares = 0;
    for (float value : values) sum += value;
    double const mean = sum / double(values.size());
    for (float value : values) squares += (value - mean) * (value - mean);
    return {mean, squares / double(values.size())};
}

/// Gives values of these moments mean 0 and variance 1, then scales and moves them.
class Normalization {
public:
    Normalization(Moments const& moments, float epsilon, float scale, float bias)
        : mean_(float(moments.mean)), factor_(float(scale / std::sqrt(moments.variance + epsilon))), bias_(bias) {}

    float operator()(float value) const { return (value - mean_) * factor_ + bias_; }

private:
    float mean_, factor_, bias_;
};

} // namespace tenon::plugins
