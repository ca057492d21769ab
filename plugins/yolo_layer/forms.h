// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What several published plugins of the name YoloLayer_TRT are told by their fields.
#pragma once

#include "plugin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::plugins {

/// The fields of all forms; those that were not given have their defaults.
struct YoloFields {
    std::vector<float> netinfo, kernels;
    std::vector<int32_t> combinedInfo;
    int32_t maxStride = 0, numClasses = 0;
    float threshold = 0;
    int32_t yoloWidth = 0, yoloHeight = 0, inputMultiplier = 0, newCoords = 0, classesOfMap = 0, numAnchors = 0;
    float scaleXY = 1;
    std::vector<float> anchors;
};

constexpr size_t kMostYoloMaps = 12;

struct YoloGrid {
    int64_t height, width;     ///< Of the map; 0 where any will do.
    float rowStep, columnStep; ///< Pixels of the picture from one of its places to the next.
};

struct YoloMap : YoloGrid {
    std::vector<float> anchors; ///< Width and height of each, in pixels.

    int64_t anchorCount() const { return int64_t(anchors.size() / 2); }
};

/// How the outputs are laid out, and which formula the boxes have.
enum class YoloLayout {
    kAnchors,     ///< Places of anchors, counted: YOLOv5 to v7 of tensorrtx.
    kAnchorFree,  ///< Places without anchors, counted: YOLOv8 and later of tensorrtx.
    kFourTensors, ///< Counts, boxes, scores and classes apart: YOLOv5 of yolov5_gpu_optimization.
    kAllPlaces,   ///< Each anchor of each place, the good and the bad: YOLOv3 and v4 of tensorrt_demos.
};

constexpr int64_t kYoloPlaceSize = 7; ///< Numbers of a box of kAllPlaces in the output.

/// What there is of a candidate in the maps, and room for in the output of a counted layout.
struct YoloBox {
    int32_t classes;
    bool hasMasks = false;                       ///< 32 coefficients of a mask go with each box.
    bool hasKeypoints = false, hasAngle = false; ///< So does this, in the maps.
    int32_t roomForMask = 0;                     ///< Numbers behind a box in the output.
    int32_t roomForKeypoints = 0, roomForAngle = 0;
    float keypointThreshold = 0;

    static constexpr int32_t kMaskSize = 32;
    static constexpr int64_t kBoxSize = 6; ///< Box, confidence, class.

    /// Numbers of one box in the output of a counted layout.
    constexpr int64_t detectionSize() const { return kBoxSize + roomForMask + roomForKeypoints + roomForAngle; }
    constexpr int64_t keypoints() const { return roomForKeypoints / 3; }
};

struct YoloForm : YoloBox {
    YoloLayout layout;
    int32_t mostBoxes = 0; ///< Of the counted layouts.
    std::vector<YoloMap> maps;
};

/// Throws std::invalid_argument where the fields are of no form, or of several, or do not make sense.
YoloForm yoloFormOf(YoloFields const& fields);

} // namespace tenon::plugins
