// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "anchors.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {

void Anchors::write(std::vector<float> const& variance, float* to) const {
    AnchorAxis const down{stepDown, offset, areClipped}, right{stepRight, offset, areClipped};
    for (int64_t row = 0; row < rows; ++row) {
        float const y = down.middle(row);
        for (int64_t column = 0; column < columns; ++column) {
            float const x = right.middle(column);
            for (auto const& [width, height] : sizes) {
                float const corners[] = {right.edge(x, width, false), down.edge(y, height, false),
                                         right.edge(x, width, true), down.edge(y, height, true)};
                to = std::ranges::copy(corners, to).out;
            }
        }
    }
    for (int64_t box = 0; box < count(); ++box) to = std::ranges::copy(variance, to).out;
}

void checkVariance(std::vector<float> const& variance) {
    bool const isFinite = std::ranges::all_of(variance, [](float value) { return std::isfinite(value); });
    if (variance.size() != 4 || !isFinite)
        throw std::invalid_argument("variance has to be four finite numbers; found " + std::to_string(variance.size()));
}

void checkPositive(char const* field, std::vector<float> const& values) {
    for (float value : values) {
        if (!(value > 0 && std::isfinite(value)))
            throw std::invalid_argument(field + (" has to be finite and above 0; found " + std::to_string(value)));
    }
}

} // namespace tenon::plugins
