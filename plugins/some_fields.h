// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests of all plugins: fields that each of them accepts.
#pragma once

#include "plugin.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tenon::plugins {

/// Values that every plugin accepts for its fields, with the length that each field needs. Their memory is static.
inline std::vector<nvinfer1::PluginField> someFields(PluginDefinition const& definition) {
    using namespace nvinfer1;
    // Fields that do not accept a 1.
    static std::map<std::string, std::vector<int32_t>> const kIntegers = {
        {"GridAnchorRect_TRT featureMapShapes", {1, 1}},
        {"NMSDynamic_TRT inputOrder", {2, 0, 1}},
        {"NMS_TRT inputOrder", {2, 0, 1}},
        {"DetectionLayer_TRT image_size", {3, 64, 64}},
        {"GenerateDetection_TRT image_size", {3, 64, 64}},
        {"MultilevelCropAndResize_TRT image_size", {3, 64, 64}},
        {"MultilevelProposeROI_TRT image_size", {3, 64, 64}},
        {"ProposalLayer_TRT image_size", {3, 64, 64}},
        {"Region_TRT coords", {4}},
        {"YoloLayer_TRT combinedInfo", {1, 32, 32, 1, 8}},
        {"YoloLayer_TRT max_stride", {0}},
        {"YoloLayer_TRT yoloWidth", {0}},
    };
    static std::map<std::string, std::vector<float>> const kReals = {
        {"DecodeBbox3DPlugin anchors", {1, 1, 1, 1, 1, 1, 1, 1}},
        {"DecodeBbox3DPlugin point_cloud_range", {0, 0, 0, 1, 1, 1}},
        {"VoxelGeneratorPlugin point_cloud_range", {0, 0, 0, 1, 1, 1}},
        {"VoxelGeneratorPlugin voxel_size", {1, 1, 1}},
        {"YoloLayer_TRT kernels", {}},
        {"YoloLayer_TRT netinfo", {}},
    };
    static int32_t const integers[] = {1, 1, 1, 1};
    static float const reals[] = {1, 1, 1, 1};
    std::vector<PluginField> fields = hosting::describeFields(*definition.make());
    for (PluginField& field : fields) {
        std::string const name = std::string(definition.name) + ' ' + field.name;
        bool const isInteger = field.type == PluginFieldType::kINT32;
        field.data = isInteger ? static_cast<void const*>(integers) : reals;
        field.length = std::max(field.length, 1);
        if (auto const found = kIntegers.find(name); found != kIntegers.end())
            field = PluginField(field.name, found->second.data(), field.type, int32_t(found->second.size()));
        if (auto const found = kReals.find(name); found != kReals.end())
            field = PluginField(field.name, found->second.data(), field.type, int32_t(found->second.size()));
        if (field.type == PluginFieldType::kCHAR) field = PluginField(field.name, "add", field.type, 4);
    }
    return fields;
}

} // namespace tenon::plugins
