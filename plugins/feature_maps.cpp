// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "feature_maps.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {

Plane planeOf(PluginBase::Tensor const& map, int64_t picture, int64_t channel) {
    return {map.floats() + (picture * map[1] + channel) * map[2] * map[3], map[2], map[3]};
}

void checkImageSize(std::vector<int32_t> const& imageSize) {
    if (imageSize.size() != 3 || std::ranges::min(imageSize) < 1)
        throw std::invalid_argument("image_size has to be three numbers, channels, height and width, 1 or more");
}

} // namespace tenon::plugins
