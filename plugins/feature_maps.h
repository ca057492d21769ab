// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <cstdint>
#include <vector>

namespace tenon::plugins {

/// One channel of a feature map, row by row; a view.
struct Plane {
    float const* values;
    int64_t height, width;
};

/// Channel `channel` of image `picture` of a map [B,C,H,W].
Plane planeOf(PluginBase::Tensor const& map, int64_t picture, int64_t channel);

/// Throws std::invalid_argument if the field image_size is not channels, height and width, each 1 or more.
void checkImageSize(std::vector<int32_t> const& imageSize);

} // namespace tenon::plugins
