// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The field formats of several published plugins named YoloLayer_TRT.
#pragma once

#include "plugin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::plugins {

/// The fields of all forms; missing ones have their defaults.
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
    int64_t height, width;     ///< Of the map; 0 for any.
    float rowStep, columnStep; ///< Pixels of the image from one of its positions to the next.
};

struct YoloMap : YoloGrid {
    std::vector<float> anchors; ///< Width and height of each, in pixels.

    int64_t anchorCount() const { return int64_t(anchors.size() / 2); }
};

/// The layout of the outputs, and the formula of the boxes.
enum class YoloLayout {
    kAnchors,     ///< Positions of anchors, counted: YOLOv5 to v7 of tensorrtx.
    kAnchorFree,  ///< Positions without anchors, counted: YOLOv8 and later of tensorrtx.
    kFourTensors, ///< Counts, boxes, scores and classes separately: YOLOv5 of yolov5_gpu_optimization.
    kAllPlaces,   ///< Each anchor of each position, with any score: YOLOv3 and v4 of tensorrt_demos.
};

constexpr int64_t kYoloPlaceSize = 7; ///< Elements of a box of kAllPlaces in the output.

/// Optional parts of a candidate in the maps, with room in the output of a counted layout.
struct YoloBox {
    int32_t classes;
    bool hasMasks = false;                       ///< Each box has 32 mask coefficients.
    bool hasKeypoints = false, hasAngle = false; ///< As does this, in the maps.
    int32_t roomForMask = 0;                     ///< Elements after a box in the output.
    int32_t roomForKeypoints = 0, roomForAngle = 0;
    float keypointThreshold = 0;

    static constexpr int32_t kMaskSize = 32;
    static constexpr int64_t kBoxSize = 6; ///< Box, confidence, class.

    /// Elements of one box in the output of a counted layout.
    constexpr int64_t detectionSize() const { return kBoxSize + roomForMask + roomForKeypoints + roomForAngle; }
    constexpr int64_t keypoints() const { return roomForKeypoints / 3; }
};

struct YoloForm : YoloBox {
    YoloLayout layout;
    int32_t mostBoxes = 0; ///< Of the counted layouts.
    std::vector<YoloMap> maps;
};

/// Throws std::invalid_argument if the fields match no form or several, or are invalid.
YoloForm yoloFormOf(YoloFields const& fields);

} // namespace tenon::plugins
