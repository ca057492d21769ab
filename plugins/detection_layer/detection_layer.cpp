// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// DetectionLayer_TRT, GenerateDetection_TRT: the objects that a Mask R-CNN (arXiv 1703.06870) finds in the regions of
// an image: each region has its highest-scoring class, and is refined by the network's deltas for that class; of each
// class boxes that overlap a higher-scoring one are dropped. DetectionLayer_TRT is the one of Matterport
// (github.com/matterport/Mask_RCNN, class DetectionLayer), with coordinates from 0 to 1, and GenerateDetection_TRT that
// of NVIDIA's TAO toolkit, with pixels. Order of the tensors and fields: the READMEs of the published plugins.
#include "detection_layer.h"

#include "gpu.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using namespace detection_layer;

class Detections : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("num_classes", classes_);
        visit("keep_topk", kept_);
        visit("score_threshold", scoreThreshold_);
        visit("iou_threshold", iouThreshold_);
    }

    void check() const override {
        checkOneOrMore("num_classes", classes_);
        checkOneOrMore("keep_topk", kept_);
        checkNotNegative("score_threshold", scoreThreshold_);
        checkPositive("iou_threshold", {iouThreshold_});
    }

    Signature signature() const override {
        return Signature()
            .input("delta_bbox", "[N,R,D,1,1]")
            .input("score", "[N,R,C,1,1]")
            .input("roi", "[N,R,4]")
            .output("detections", "[N,keep_topk,6]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const deltas = inputs[0].d[2], scores = inputs[1].d[2], classes = classes_;
        if (scores >= 0 && scores != classes)
            throw std::invalid_argument("score is of " + std::to_string(scores) + " classes, num_classes is " +
                                        std::to_string(classes));
        if (deltas >= 0 && deltas != classes * 4)
            throw std::invalid_argument("delta_bbox has " + std::to_string(deltas) +
                                        " numbers for a region; expected " + std::to_string(classes * 4) +
                                        ", 4 for each of num_classes");
    }

    void run(Tensors inputs, Tensors outputs) override {
        Settings const settings = this->settings(inputs[2][1]);
        Regions<float> const regions(settings, inputs);
        for (int64_t picture = 0; picture < inputs[2][0]; ++picture) {
            selection_.clear();
            selection_.add(picture, regions, settings.limits, classes_);
            write(outputs[0].floats() + picture * kept_ * 6);
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        nvinfer1::Dims const& rois = largestInputs[2];
        return gpuNmsWorkspace(settings(rois.d[1]).limits.rules(), {rois.d[0], classes_, rois.d[1]});
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) detectOnGpu(settings(inputs[2][1]), inputs, outputs[0], workspace, stream);
    }

protected:
    /// The coding of the deltas.
    virtual BoxCoding coding() const = 0;
    /// The largest coordinates, y and x.
    virtual Pair last() const = 0;
    /// The first class of regions; lower ones are background.
    virtual int32_t firstClass() const = 0;

private:
    Settings settings(int64_t regions) const {
        return {coding(), last(), firstClass(), classes_, scoreThreshold_, {regions, iouThreshold_, kept_}};
    }

    // Corners, class and score of each; padding has class -1, else 0.
    void write(float* detection) {
        float* const end = detection + int64_t(kept_) * 6;
        for (Candidate const& each : selection_.best(kept_)) {
            Box const& box = selection_.boxOf(each);
            for (float value : {box.x1, box.y1, box.x2, box.y2, float(each.label), each.score}) *detection++ = value;
        }
        for (; detection != end; detection += 6) {
            std::fill_n(detection, 6, 0.0F);
            detection[4] = -1;
        }
    }

    int32_t classes_ = 0;
    int32_t kept_ = 0;
    float scoreThreshold_ = 0;
    float iouThreshold_ = 0;

    Selection selection_;
};

class DetectionLayer final : public Detections {
    BoxCoding coding() const override { return {.move = 0.1F, .stretch = 0.2F}; }
    Pair last() const override { return {1, 1}; }
    int32_t firstClass() const override {
        return kBackground;
    } // a region whose highest score is this class holds no object
};

class GenerateDetection final : public Detections {
public:
    void fields(FieldVisitor& visit) override {
        Detections::fields(visit);
        visit("image_size", imageSize_);
    }

    void check() const override {
        Detections::check();
        checkImageSize(imageSize_);
    }

private:
    BoxCoding coding() const override { return {0.1F, 0.2F, kMostStretch, 1}; }
    Pair last() const override { return {float(imageSize_[1] - 1), float(imageSize_[2] - 1)}; }
    int32_t firstClass() const override { return kBackground + 1; }

    std::vector<int32_t> imageSize_ = {3, 832, 1344};
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<DetectionLayer>("DetectionLayer_TRT", "1", PluginGeneration::kV2DynamicExt, "from 6.0"),
    standardPlugin<GenerateDetection>("GenerateDetection_TRT", "1", PluginGeneration::kV2DynamicExt, "from 7.1"),
};

} // namespace

std::span<StandardPlugin const> detectionLayerPlugins() { return kDefinitions; }

} // namespace tenon::plugins
