// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "yolo_layer/forms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr int32_t kLargest = 1 << 24; // integers are exact in float up to this

[[noreturn]] void refuse(std::string const& text) { throw std::invalid_argument(text); }

// tensorrtx passes integers in arrays typed FLOAT32: read as floats they would be close to zero.
int32_t wholeNumber(float value, char const* field) {
    auto const bits = std::bit_cast<int32_t>(value);
    if (bits > 0 && bits <= kLargest / 2) return bits;
    if (value == std::floor(value) && std::fabs(value) <= float(kLargest)) return int32_t(value);
    refuse(std::string(field) + " has to be integers; found " + std::to_string(value));
}

std::vector<int32_t> wholeNumbers(std::vector<float> const& values, char const* field) {
    std::vector<int32_t> numbers;
    for (float value : values) numbers.push_back(wholeNumber(value, field));
    return numbers;
}

bool isFlag(int32_t value) { return value == 0 || value == 1; }

void expectSize(int32_t value, std::string const& what) {
    if (value >= 1 && value <= kLargest) return;
    refuse(what + " has to be 1 to " + std::to_string(kLargest) + "; found " + std::to_string(value));
}

// classes, width, height of the image and the maximum number of boxes, as netinfo and combinedInfo begin or end.
struct NetInfo {
    int32_t classes, width, height, mostBoxes;

    void check(std::string const& field) const {
        expectSize(classes, field + ": the number of classes");
        expectSize(width, field + ": the image's width");
        expectSize(height, field + ": the image's height");
        expectSize(mostBoxes, field + ": the maximum number of boxes");
    }
};

YoloMap mapOfStride(NetInfo const& info, int32_t stride) {
    return {{info.height / stride, info.width / stride, float(stride), float(stride)}, {}};
}

// netinfo: classes, width, height, most boxes; a fifth, whether there are masks, requires room for them.
YoloForm formOfNetInfo(YoloFields const& fields) {
    std::vector<int32_t> const numbers = wholeNumbers(fields.netinfo, "netinfo");
    if (numbers.size() != 4 && numbers.size() != 5)
        refuse("netinfo has " + std::to_string(numbers.size()) +
               " numbers; expected 4, classes, width, height and the maximum number of boxes, or 5, whether there are "
               "masks");
    NetInfo const info{numbers[0], numbers[1], numbers[2], numbers[3]};
    info.check("netinfo");
    YoloLayout const layout = fields.kernels.empty() ? YoloLayout::kAnchorFree : YoloLayout::kAnchors;
    YoloForm form{{info.classes}, layout, info.mostBoxes, {}};
    if (numbers.size() == 5) {
        if (!isFlag(numbers[4])) refuse("netinfo[4], whether there are masks, has to be 0 or 1");
        form.hasMasks = numbers[4] == 1;
        form.roomForMask = YoloForm::kMaskSize;
    }
    if (fields.kernels.empty())
        for (int32_t stride : {8, 16, 32}) form.maps.push_back(mapOfStride(info, stride));
    return form;
}

// kernels: for each map its width, its height, and width and height of three anchors.
void addKernels(YoloForm& form, YoloFields const& fields) {
    constexpr size_t kSize = 8;
    if (fields.kernels.size() % kSize != 0)
        refuse("kernels has " + std::to_string(fields.kernels.size()) +
               " numbers; expected 8 for each map: its width, its height, three anchors. Give the field's length in "
               "numbers, not in structures");
    if (fields.kernels.size() / kSize > kMostYoloMaps)
        refuse("kernels is of " + std::to_string(fields.kernels.size() / kSize) + " maps; expected at most " +
               std::to_string(kMostYoloMaps));
    std::vector<int32_t> const info = wholeNumbers(fields.netinfo, "netinfo");
    for (auto kernel = fields.kernels.begin(); kernel != fields.kernels.end(); kernel += kSize) {
        int32_t const width = wholeNumber(kernel[0], "kernels"), height = wholeNumber(kernel[1], "kernels");
        expectSize(width, "kernels: a map's width");
        expectSize(height, "kernels: a map's height");
        form.maps.push_back({{height, width, float(info[2]) / float(height), float(info[1]) / float(width)},
                             {kernel + 2, kernel + kSize}});
    }
}

// Whether the values from `first` on are strides of maps, up to the maximum number.
bool areStrides(std::vector<int32_t> const& numbers, size_t first) {
    if (numbers.size() <= first || numbers.size() - first > kMostYoloMaps || numbers[first] < 2) return false;
    return std::adjacent_find(numbers.begin() + int64_t(first), numbers.end(), std::greater_equal<>()) == numbers.end();
}

// The number of values before the strides in combinedInfo, by validity. 4: classes, width, height, most boxes; 5: and
// masks; 8: classes, keypoints, their threshold, width, height, most boxes, masks, keypoints; 9: and angles.
size_t headOf(std::vector<int32_t> const& numbers) {
    for (size_t const head : {9U, 8U, 5U, 4U}) {
        size_t const flags = head > 5 ? 6 : 4; // their start
        if (areStrides(numbers, head) &&
            std::all_of(numbers.begin() + int64_t(flags), numbers.begin() + int64_t(head), isFlag))
            return head;
    }
    refuse("combinedInfo has no known form: expected 4, 5, 8 or 9 numbers, those from the fifth or the seventh on 0 "
           "or 1, "
           "then the strides of 1 to 12 maps, 2 or more, each larger than the one before");
}

YoloForm formOfCombinedInfo(std::vector<int32_t> const& numbers) {
    size_t const head = headOf(numbers);
    size_t const sizes = head > 5 ? 3 : 1;
    NetInfo const info{numbers[0], numbers[sizes], numbers[sizes + 1], numbers[sizes + 2]};
    info.check("combinedInfo");
    YoloForm form{{info.classes}, YoloLayout::kAnchorFree, info.mostBoxes, {}};
    form.hasMasks = head > 4 && numbers[head > 5 ? 6 : 4] == 1;
    form.roomForMask = head > 4 ? YoloForm::kMaskSize : 0;
    if (head > 5) {
        expectSize(numbers[1], "combinedInfo: the number of keypoints");
        form.roomForKeypoints = 3 * numbers[1];
        form.keypointThreshold = float(numbers[2]);
        form.hasKeypoints = numbers[7] == 1;
    }
    if (head == 9) {
        form.roomForAngle = 1;
        form.hasAngle = numbers[8] == 1;
    }
    if (form.hasMasks + form.hasKeypoints + form.hasAngle > 1)
        refuse("combinedInfo: boxes have either masks, keypoints or angles");
    for (size_t i = head; i < numbers.size(); ++i) form.maps.push_back(mapOfStride(info, numbers[i]));
    return form;
}

// Three anchors for each map; the last map's positions are max_stride apart.
YoloForm formOfFourTensors(YoloFields const& fields) {
    constexpr size_t kSize = 6;
    expectSize(fields.maxStride, "max_stride");
    expectSize(fields.numClasses, "num_classes");
    if (fields.anchors.empty() || fields.anchors.size() % kSize != 0 || fields.anchors.size() > kSize * kMostYoloMaps)
        refuse("anchors has " + std::to_string(fields.anchors.size()) +
               " numbers; expected width and height of three for each of 1 to 12 maps");
    YoloForm form{{fields.numClasses}, YoloLayout::kFourTensors, 0, {}};
    for (auto anchors = fields.anchors.begin(); anchors != fields.anchors.end(); anchors += kSize)
        form.maps.push_back({{}, {anchors, anchors + kSize}});
    return form;
}

YoloForm formOfAllPlaces(YoloFields const& fields) {
    expectSize(fields.yoloWidth, "yoloWidth");
    expectSize(fields.yoloHeight, "yoloHeight");
    expectSize(fields.classesOfMap, "numClasses");
    expectSize(fields.inputMultiplier, "inputMultiplier");
    if (fields.numAnchors < 1 || fields.anchors.size() != 2 * size_t(fields.numAnchors))
        refuse("anchors has " + std::to_string(fields.anchors.size()) +
               " numbers; expected width and height of each of numAnchors, " + std::to_string(fields.numAnchors));
    if (!(fields.scaleXY >= 1)) refuse("scaleXY has to be 1 or more");
    if (!isFlag(fields.newCoords)) refuse("newCoords has to be 0 or 1");
    int64_t const most = std::numeric_limits<int32_t>::max() / kYoloPlaceSize / fields.numAnchors;
    if (int64_t(fields.yoloWidth) * fields.yoloHeight > most)
        refuse("yoloWidth times yoloHeight has to be at most " + std::to_string(most) +
               ", for the output to have no more numbers than fit in 32 bits; found " +
               std::to_string(fields.yoloWidth) + " x " + std::to_string(fields.yoloHeight));
    auto const step = float(fields.inputMultiplier);
    return {{fields.classesOfMap},
            YoloLayout::kAllPlaces,
            0,
            {{{fields.yoloHeight, fields.yoloWidth, step, step}, fields.anchors}}};
}

} // namespace

YoloForm yoloFormOf(YoloFields const& fields) {
    int const given =
        !fields.netinfo.empty() + !fields.combinedInfo.empty() + (fields.maxStride != 0) + (fields.yoloWidth != 0);
    if (given != 1)
        refuse("of netinfo, combinedInfo, max_stride and yoloWidth, which tell the forms apart, " +
               std::to_string(given) + " are given; expected one");
    if (fields.maxStride != 0) return formOfFourTensors(fields);
    if (fields.yoloWidth != 0) return formOfAllPlaces(fields);
    YoloForm form = fields.netinfo.empty() ? formOfCombinedInfo(fields.combinedInfo) : formOfNetInfo(fields);
    if (form.layout == YoloLayout::kAnchors) addKernels(form, fields);
    for (YoloMap const& map : form.maps)
        if (map.height < 1 || map.width < 1) refuse("the image is smaller than a stride of its maps");
    if (1 + form.mostBoxes * form.detectionSize() > std::numeric_limits<int32_t>::max())
        refuse("the output would have more numbers than fit in 32 bits");
    return form;
}

} // namespace tenon::plugins
