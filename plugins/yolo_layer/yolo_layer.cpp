// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// YoloLayer_TRT: boxes from the last maps of YOLO networks. Several published plugins have this name and version; the
// fields say which of them is meant (forms.h). With s the sigmoid, p a place's column and row, and a an anchor, boxes
// are
//
//     YOLOv3, v4   centre (p + s(t)) in places, size exp(t) * a; scaleXY stretches s(t) around its middle
//     YOLOv5 - v7  centre (p - 0.5 + 2 s(t)) in places, size (2 s(t))^2 * a
//     YOLOv8 on    corners p + 0.5 -+ t in places; turned ones: centre and size of these corners, turned around p + 0.5
//     by
//                  (s(t) - 0.25) pi
//
// Sources: arXiv 1804.02767, section 2.1; the documentation of the YOLO releases; tensorrtx (yolov5 to yolov13),
// yolov5_gpu_optimization and tensorrt_demos for names, fields and layouts.
#include "plugin.h"
#include "scores.h"
#include "yolo_layer/forms.h"
#include "yolo_layer/formulas.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr float kLeastConfidence = 0.1F; // of a box that is counted, in tensorrtx

class YoloLayer final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("netinfo", fields_.netinfo);
        visit("kernels", fields_.kernels);
        visit("combinedInfo", fields_.combinedInfo);
        visit("max_stride", fields_.maxStride);
        visit("num_classes", fields_.numClasses);
        visit("prenms_score_threshold", fields_.threshold);
        visit("anchors", fields_.anchors);
        visit("yoloWidth", fields_.yoloWidth);
        visit("yoloHeight", fields_.yoloHeight);
        visit("inputMultiplier", fields_.inputMultiplier);
        visit("newCoords", fields_.newCoords);
        visit("numClasses", fields_.classesOfMap);
        visit("numAnchors", fields_.numAnchors);
        visit("scaleXY", fields_.scaleXY);
    }

    void check() const override { static_cast<void>(yoloFormOf(fields_)); }

    // Without fields, for those who list plugins: what all forms have.
    Signature signature() const override {
        bool const isKnown = !fields_.netinfo.empty() || !fields_.combinedInfo.empty() || fields_.maxStride != 0 ||
                             fields_.yoloWidth != 0;
        Signature signature;
        if (!isKnown)
            return signature.input("map_0", "[B,...]", Kind::kFloat).output("output", "[B,?,1,1]", Kind::kFloat);
        YoloForm const form = yoloFormOf(fields_);
        for (size_t i = 0; i < form.maps.size(); ++i)
            signature.input("map_" + std::to_string(i), shapeOfMap(form, i), Kind::kFloat);
        if (form.layout != YoloLayout::kFourTensors)
            return signature.output("output", shapeOfOutput(form), Kind::kFloat);
        return signature.output("num_detections", "[B,1]", Kind::kInt32)
            .output("detection_boxes", "[B,?,4]", Kind::kFloat)
            .output("detection_scores", "[B,?]", Kind::kFloat)
            .output("detection_classes", "[B,?]", Kind::kInt32);
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        using enum nvinfer1::DimensionOperation;
        if (fields_.maxStride == 0) return; // all other forms know theirs
        nvinfer1::IDimensionExpr const* boxes = builder.constant(0);
        for (nvinfer1::DimsExprs const& map : inputs)
            boxes = combined(builder, kSUM, boxes, combined(builder, kPROD, map.d[2], map.d[3]));
        boxes = combined(builder, kPROD, boxes, builder.constant(3));
        for (int32_t i = 1; i < 4; ++i) outputs[i].d[1] = boxes;
    }

    void run(Tensors inputs, Tensors outputs) override {
        if (form_.maps.empty()) form_ = yoloFormOf(fields_);
        setSizes(inputs);
        switch (form_.layout) {
        case YoloLayout::kAnchors:
        case YoloLayout::kAnchorFree: return runCounted(inputs, outputs);
        case YoloLayout::kFourTensors: return runFourTensors(inputs, outputs);
        case YoloLayout::kAllPlaces: return runAllPlaces(inputs, outputs);
        }
    }

private:
    // Numbers of one anchor of one place.
    static int64_t numbersOf(YoloForm const& form) {
        int64_t const own = form.layout == YoloLayout::kAnchorFree ? 4 : 5;
        return own + form.classes + (form.hasMasks ? YoloForm::kMaskSize : 0) +
               (form.hasKeypoints ? form.roomForKeypoints : 0) + (form.hasAngle ? 1 : 0);
    }

    static std::string shapeOfMap(YoloForm const& form, size_t index) {
        YoloMap const& map = form.maps[index];
        auto const text = [](int64_t number) { return std::to_string(number); };
        if (form.layout == YoloLayout::kAnchorFree)
            return "[B," + text(numbersOf(form)) + ',' + text(map.height * map.width) + ']';
        std::string const channels = text(map.anchorCount() * numbersOf(form));
        auto const letter = char('C' + 2 * index); // of the height; the next one is of the width
        if (map.height == 0) return "[B," + channels + ',' + letter + ',' + char(letter + 1) + ']';
        return "[B," + channels + ',' + text(map.height) + ',' + text(map.width) + ']';
    }

    static std::string shapeOfOutput(YoloForm const& form) {
        YoloMap const& map = form.maps[0];
        int64_t const numbers = form.layout == YoloLayout::kAllPlaces
                                    ? map.anchorCount() * map.height * map.width * kYoloPlaceSize
                                    : 1 + form.mostBoxes * form.detectionSize();
        return "[B," + std::to_string(numbers) + ",1,1]";
    }

    // What only the inputs tell of the maps, and how many candidates are before each map's.
    void setSizes(Tensors inputs) {
        firstOf_.assign(1, 0);
        for (size_t i = 0; i < form_.maps.size(); ++i) {
            YoloMap& map = form_.maps[i];
            if (form_.layout == YoloLayout::kFourTensors) {
                Tensor const& last = inputs[inputs.size() - 1];
                map.height = inputs[i][2];
                map.width = inputs[i][3];
                map.rowStep = float(last[2]) * float(fields_.maxStride) / float(map.height);
                map.columnStep = float(last[3]) * float(fields_.maxStride) / float(map.width);
            }
            firstOf_.push_back(firstOf_.back() + map.height * map.width * std::max<int64_t>(map.anchorCount(), 1));
        }
    }

    // Candidates are counted by map, place and anchor.
    YoloCandidate candidate(Tensors inputs, int64_t picture, int64_t index) const {
        size_t which = 0;
        while (index >= firstOf_[which + 1]) ++which;
        YoloMap const& map = form_.maps[which];
        int64_t const anchors = std::max<int64_t>(map.anchorCount(), 1), places = map.height * map.width;
        int64_t const place = (index - firstOf_[which]) / anchors, anchor = (index - firstOf_[which]) % anchors;
        float const* const numbers =
            inputs[which].floats() + (picture * anchors + anchor) * numbersOf(form_) * places + place;
        return {numbers, places, float(place / map.width), float(place % map.width), &map, anchor};
    }

    bool isCounted(YoloCandidate const& candidate) const {
        if (form_.layout == YoloLayout::kAnchors) return sigmoid(candidate[4]) >= kLeastConfidence;
        return classOf(candidate, 4, form_.classes, true).score >= kLeastConfidence;
    }

    // The count, then the boxes; 0 behind them.
    void runCounted(Tensors inputs, Tensors outputs) {
        int64_t const size = form_.detectionSize();
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            std::span<int64_t const> found =
                finder_.find(firstOf_.back(), form_.layout == YoloLayout::kAnchors ? 16 : 8 + form_.classes,
                             [&](int64_t i) { return isCounted(candidate(inputs, picture, i)); });
            found = found.first(std::min(found.size(), size_t(form_.mostBoxes)));
            float* const out = outputs[0].floats() + picture * (1 + form_.mostBoxes * size);
            *out = float(found.size());
            std::fill_n(out + 1, form_.mostBoxes * size, 0.0F);
            parallelFor(int64_t(found.size()), rowsPerThread(64 + form_.classes), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                    writeCounted(candidate(inputs, picture, found[size_t(i)]), out + 1 + i * size);
            });
        }
    }

    void writeCounted(YoloCandidate const& candidate, float* box) const {
        bool const hasAnchors = form_.layout == YoloLayout::kAnchors;
        hasAnchors ? writeAnchorBox(form_, candidate, box) : writeAnchorFreeBox(form_, candidate, box);
        int64_t const mask = (hasAnchors ? 5 : 4) + form_.classes;
        for (int64_t i = 0; form_.hasMasks && i < YoloForm::kMaskSize; ++i)
            box[YoloForm::kBoxSize + i] = candidate[mask + i];
    }

    void runFourTensors(Tensors inputs, Tensors outputs) {
        int64_t const room = firstOf_.back();
        std::fill_n(outputs[1].floats(), outputs[1].count(), 0.0F);
        std::fill_n(outputs[2].floats(), outputs[2].count(), 0.0F);
        std::fill_n(outputs[3].ints(), outputs[3].count(), 0);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            std::span<int64_t const> const found =
                finder_.find(room, 8, [&](int64_t i) { return candidate(inputs, picture, i)[4] >= fields_.threshold; });
            outputs[0].ints()[picture] = int32_t(found.size());
            parallelFor(int64_t(found.size()), rowsPerThread(32 + form_.classes), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    int64_t const place = picture * room + i;
                    writeFourTensors(form_, candidate(inputs, picture, found[size_t(i)]),
                                     outputs[1].floats() + place * 4, outputs[2].floats() + place,
                                     outputs[3].ints() + place);
                }
            });
        }
    }

    // By anchor, then by place.
    void runAllPlaces(Tensors inputs, Tensors outputs) const {
        YoloMap const& map = form_.maps[0];
        int64_t const places = map.height * map.width, room = places * map.anchorCount();
        parallelFor(inputs[0][0] * room, rowsPerThread(64 + form_.classes), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const index = i % room, counted = index % places * map.anchorCount() + index / places;
                writePlace(form_, fields_, candidate(inputs, i / room, counted),
                           outputs[0].floats() + i * kYoloPlaceSize);
            }
        });
    }

    YoloFields fields_;
    YoloForm form_{}; // without maps until the first run
    std::vector<int64_t> firstOf_;
    Finder finder_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<YoloLayer>("YoloLayer_TRT", "1", PluginGeneration::kV2DynamicExt, "")};

} // namespace

std::span<StandardPlugin const> yoloLayerPlugins() { return kDefinitions; }

} // namespace tenon::plugins
