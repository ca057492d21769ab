// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// YoloLayer_TRT: boxes from the last maps of YOLO networks. Several published plugins have this name and version; the
// fields decide which of them is meant (forms.h). With s the sigmoid, p a position's column and row, and a an anchor,
// boxes are
//
//     YOLOv3, v4   centre (p + s(t)) in positions, size exp(t) * a; scaleXY scales s(t) around its centre
//     YOLOv5 - v7  centre (p - 0.5 + 2 s(t)) in positions, size (2 s(t))^2 * a
//     YOLOv8 on    corners p + 0.5 -+ t in positions; turned ones: centre and size of these corners, turned around p +
//     0.5 by
//                  (s(t) - 0.25) pi
//
// Sources: arXiv 1804.02767, section 2.1; the documentation of the YOLO releases; tensorrtx (yolov5 to yolov13),
// yolov5_gpu_optimization and tensorrt_demos for names, fields and layouts.
#include "gpu.h"
#include "yolo_layer/forms.h"
#include "yolo_layer/formulas.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr float kLeastConfidence = 0.1F; // of a box that is counted, in tensorrtx

class YoloLayer final : public GpuPlugin {
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

    // Without fields, for listings of plugins: the common properties of all forms.
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
        if (fields_.maxStride == 0) return; // all other forms define theirs
        nvinfer1::IDimensionExpr const* boxes = builder.constant(0);
        for (nvinfer1::DimsExprs const& map : inputs)
            boxes = combined(builder, kSUM, boxes, combined(builder, kPROD, map.d[2], map.d[3]));
        boxes = combined(builder, kPROD, boxes, builder.constant(3));
        for (int32_t i = 1; i < 4; ++i) outputs[i].d[1] = boxes;
    }

    void run(Tensors inputs, Tensors outputs) override {
        setForm(inputs);
        switch (form_.layout) {
        case YoloLayout::kAnchors:
        case YoloLayout::kAnchorFree: return runCounted(inputs, outputs);
        case YoloLayout::kFourTensors: return runFourTensors(inputs, outputs);
        case YoloLayout::kAllPlaces: return runAllPlaces(inputs, outputs);
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        YoloForm const form = yoloFormOf(fields_);
        if (form.layout == YoloLayout::kAllPlaces) return 0;
        int64_t count = 0;
        for (size_t i = 0; i < form.maps.size(); ++i) {
            nvinfer1::Dims const& map = largestInputs[i];
            count += anchorsOf(form.maps[i]) * map.d[2] * (map.nbDims == 4 ? map.d[3] : 1);
        }
        GpuPieces pieces;
        static_cast<void>(GpuFinder(largestInputs[0].d[0], count, pieces));
        return pieces.bytes();
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        setForm(inputs);
        if constexpr (kHasKernels) {
            if (form_.layout == YoloLayout::kAllPlaces)
                return forEachPart(inputs,
                                   [&](YoloPlaces const& places) { yoloPlacesOnGpu(places, outputs[0], stream); });
            GpuPieces pieces(workspace);
            YoloSearch const search = searchIn(inputs);
            GpuFinder const finder(inputs[0][0], search.count(), pieces);
            form_.layout == YoloLayout::kFourTensors
                ? yoloFourTensorsOnGpu(search, finder, outputs, stream)
                : yoloCountedOnGpu(form_, form_.mostBoxes, search, finder, outputs, stream);
        }
    }

private:
    // Elements of one anchor of one position.
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

    // Forms without anchors count as one.
    static int64_t anchorsOf(YoloMap const& map) { return std::max<int64_t>(map.anchorCount(), 1); }

    // With the properties of the maps that only the inputs determine.
    void setForm(Tensors inputs) {
        if (form_.maps.empty()) form_ = yoloFormOf(fields_);
        if (form_.layout != YoloLayout::kFourTensors) return;
        Tensor const& last = inputs[inputs.size() - 1];
        for (size_t i = 0; i < form_.maps.size(); ++i) {
            YoloMap& map = form_.maps[i];
            map.height = inputs[i][2];
            map.width = inputs[i][3];
            map.rowStep = float(last[2]) * float(fields_.maxStride) / float(map.height);
            map.columnStep = float(last[3]) * float(fields_.maxStride) / float(map.width);
        }
    }

    // Anchors from `first` on, a part at a time.
    YoloPart partOf(Tensors inputs, size_t which, int64_t first) const {
        YoloMap const& map = form_.maps[which];
        int64_t const numbers = numbersOf(form_), all = anchorsOf(map), places = map.height * map.width;
        YoloPart part{map,     inputs[which].floats() + first * numbers * places, all * numbers * places,
                      numbers, std::min(all - first, YoloPart::kMostAnchors),     {}};
        int64_t const sizes = std::min(map.anchorCount(), part.anchors) * 2;
        std::copy_n(map.anchors.begin() + first * 2, sizes, part.sizes);
        return part;
    }

    YoloSearch searchIn(Tensors inputs) const {
        bool const isThreshold = form_.layout == YoloLayout::kFourTensors;
        YoloSearch search{form_.layout,
                          form_.classes,
                          isThreshold ? fields_.threshold : leastOfSigmoid(kLeastConfidence),
                          int32_t(form_.maps.size()),
                          {},
                          {}};
        for (size_t i = 0; i < form_.maps.size(); ++i) {
            YoloPart const& part = search.part[i] = partOf(inputs, i, 0);
            search.firstOf[i + 1] = search.firstOf[i] + part.anchors * part.places();
        }
        return search;
    }

    // The count, then the boxes; 0 after them.
    void runCounted(Tensors inputs, Tensors outputs) {
        int64_t const size = form_.detectionSize();
        YoloSearch const search = searchIn(inputs);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            std::span<int64_t const> found =
                finder_.find(search.count(), form_.layout == YoloLayout::kAnchors ? 8 : 8 + form_.classes,
                             [&](int64_t i) { return search.isBox(picture, i); });
            found = found.first(std::min(found.size(), size_t(form_.mostBoxes)));
            float* const out = outputs[0].floats() + picture * (1 + form_.mostBoxes * size);
            *out = float(found.size());
            std::fill_n(out + 1, form_.mostBoxes * size, 0.0F);
            parallelFor(int64_t(found.size()), rowsPerThread(64 + form_.classes), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                    writeCountedBox(form_, form_.layout, search.candidate(picture, found[size_t(i)]),
                                    out + 1 + i * size);
            });
        }
    }

    void runFourTensors(Tensors inputs, Tensors outputs) {
        YoloSearch const search = searchIn(inputs);
        int64_t const room = search.count();
        std::fill_n(outputs[1].floats(), outputs[1].count(), 0.0F);
        std::fill_n(outputs[2].floats(), outputs[2].count(), 0.0F);
        std::fill_n(outputs[3].ints(), outputs[3].count(), 0);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            std::span<int64_t const> const found =
                finder_.find(room, 8, [&](int64_t i) { return search.isBox(picture, i); });
            outputs[0].ints()[picture] = int32_t(found.size());
            parallelFor(int64_t(found.size()), rowsPerThread(32 + form_.classes), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    int64_t const place = picture * room + i;
                    writeFourTensors(form_.classes, search.candidate(picture, found[size_t(i)]),
                                     outputs[1].floats() + place * 4, outputs[2].floats() + place,
                                     outputs[3].ints() + place);
                }
            });
        }
    }

    void runAllPlaces(Tensors inputs, Tensors outputs) const {
        forEachPart(inputs, [&](YoloPlaces const& places) {
            int64_t const count = places.count();
            parallelFor(inputs[0][0] * count, rowsPerThread(64 + form_.classes), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) places.write(i / count, i % count, outputs[0].floats());
            });
        });
    }

    // body(a few anchors) for all parts
    template <typename Body> void forEachPart(Tensors inputs, Body const& body) const {
        int64_t const anchors = form_.maps[0].anchorCount();
        for (int64_t first = 0; first < anchors; first += YoloPart::kMostAnchors)
            body(YoloPlaces{partOf(inputs, 0, first), first, anchors, form_.classes, fields_.newCoords == 0,
                            fields_.scaleXY});
    }

    YoloFields fields_;
    YoloForm form_{}; // without maps until the first run
    Finder finder_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<YoloLayer>("YoloLayer_TRT", "1", PluginGeneration::kV2DynamicExt, "")};

} // namespace

std::span<StandardPlugin const> yoloLayerPlugins() { return kDefinitions; }

} // namespace tenon::plugins
