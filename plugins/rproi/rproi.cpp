// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// RPROI_TRT: the region proposals of Faster R-CNN (arXiv 1506.01497), and the features of each pooled to the same size,
// as "Fast R-CNN" (arXiv 1504.08083, section 2.1) has it: the largest value of each bin. Anchors and what the deltas
// mean are those of the authors' py-faster-rcnn, but that a box is exp(d) times its anchor from corner to corner,
// without a pixel more; order of the tensors and fields: the README of the published plugin.
#include "feature_maps.h"
#include "proposals.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr char const* kAnchorFields = "anchorsRatios x anchorsScales";

// No place of a map is farther.
constexpr float kFar = 1 << 24;

// One axis of a region in its map, in whole pixels.
struct Axis {
    int64_t start, size, bins, extent;

    int64_t begin(int64_t bin) const { return std::min(start + bin * size / bins, extent); }
    int64_t end(int64_t bin) const { return std::min(start + ((bin + 1) * size + bins - 1) / bins, extent); }
};

// What is not a number is passed over.
float largestOf(Plane const& plane, Axis const& y, Axis const& x, int64_t row, int64_t column) {
    int64_t const left = x.begin(column), right = x.end(column);
    bool const isEmpty = y.begin(row) >= y.end(row) || left >= right;
    float largest = isEmpty ? 0 : std::numeric_limits<float>::quiet_NaN();
    for (int64_t i = y.begin(row); i < y.end(row); ++i) {
        for (int64_t j = left; j < right; ++j) {
            float const value = plane.values[i * plane.width + j];
            if (value > largest || std::isnan(largest)) largest = value;
        }
    }
    return largest;
}

class Rproi final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("poolingH", poolingHeight_);
        visit("poolingW", poolingWidth_);
        visit("featureStride", featureStride_);
        visit("preNmsTop", preNmsTop_);
        visit("nmsMaxOut", nmsMaxOut_);
        visit("anchorsRatioCount", ratioCount_);
        visit("anchorsScaleCount", scaleCount_);
        visit("iouThreshold", iouThreshold_);
        visit("minBoxSize", minBoxSize_);
        visit("spatialScale", spatialScale_);
        visit("anchorsRatios", ratios_);
        visit("anchorsScales", scales_);
    }

    void check() const override {
        checkOneOrMore("poolingH", poolingHeight_);
        checkOneOrMore("poolingW", poolingWidth_);
        checkOneOrMore("featureStride", featureStride_);
        checkOneOrMore("preNmsTop", preNmsTop_);
        checkOneOrMore("nmsMaxOut", nmsMaxOut_);
        checkCount("anchorsRatioCount", ratioCount_, "anchorsRatios", ratios_.size());
        checkCount("anchorsScaleCount", scaleCount_, "anchorsScales", scales_.size());
        checkNotNegative("iouThreshold", iouThreshold_);
        checkNotNegative("minBoxSize", minBoxSize_);
        checkPositive("spatialScale", {spatialScale_});
        checkPositive("anchorsRatios", ratios_);
        checkPositive("anchorsScales", scales_);
    }

    // Boxes in pixels of the picture take more digits than HALF has.
    Signature signature() const override {
        return Signature()
            .input("scores", "[N,A,H,W]", Kind::kFloat)
            .input("deltas", "[N,D,H,W]", Kind::kFloat)
            .input("fmap", "[N,C,H,W]")
            .input("iinfo", "[N,1,1,3]|[N,1,3]|[N,3]", Kind::kFloat)
            .output("rois", "[N,1,nmsMaxOut,4]", Kind::kFloat)
            .output("pfmap", "[N,nmsMaxOut,C,poolingH,poolingW]");
    }

    void checkInputs(KnownShapes inputs) const override {
        size_t const anchors = ratios_.size() * scales_.size();
        checkChannels("scores", inputs[0].d[1], 2, anchors, kAnchorFields);
        checkChannels("deltas", inputs[1].d[1], 4, anchors, kAnchorFields);
    }

    void run(Tensors inputs, Tensors outputs) override {
        setAnchors(inputs[2][2], inputs[2][3]);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            propose(inputs, picture);
            selection_.writeBest(nmsMaxOut_, outputs[0].floats() + picture * nmsMaxOut_ * 4);
        }
        pool(inputs[2], outputs);
    }

private:
    static void checkCount(char const* field, int32_t given, char const* list, size_t numbers) {
        if (numbers == 0) throw std::invalid_argument(list + std::string(" has to be given"));
        if (given < 0 || size_t(given) != numbers)
            throw std::invalid_argument(field + (" is " + std::to_string(given)) + "; expected " +
                                        std::to_string(numbers) + ", as many as there are in " + list);
    }

    void setAnchors(int64_t rows, int64_t columns) {
        auto const stride = float(featureStride_);
        anchors_.rows = rows, anchors_.columns = columns;
        anchors_.stepDown = anchors_.stepRight = stride;
        anchors_.offset = (stride - 1) / 2 / stride;
        anchors_.sizes.clear();
        for (float ratio : ratios_) {
            float const width = std::round(std::sqrt(stride * stride / ratio)), height = std::round(width * ratio);
            for (float scale : scales_) anchors_.sizes.push_back({width * scale, height * scale});
        }
    }

    // Of scores [N,2*A,H,W], the second half of each picture is how sure the network is of an object.
    void propose(Tensors inputs, int64_t picture) {
        float const* const info = inputs[3].floats() + picture * 3; // height, width, scale
        int64_t const boxes = anchors_.count();
        MapOfBoxes const map(anchors_, inputs[1].floats() + picture * boxes * 4, {info[1] - 1, info[0] - 1});
        float const* const scores = inputs[0].floats() + (picture * 2 + 1) * boxes;
        float const least = minBoxSize_ * info[2];
        auto const boxOf = [&](Candidate const& candidate) { return map.boxAt(candidate.box); };
        auto const surenessOf = [&](int64_t i) {
            Box const box = map.boxAt(i);
            bool const isLarge = box.x2 - box.x1 + 1 >= least && box.y2 - box.y1 + 1 >= least;
            return Sureness{isLarge ? scores[i] : Sureness::kNone};
        };
        selection_.clear();
        selection_.add(boxes, {preNmsTop_, iouThreshold_, nmsMaxOut_, 1}, surenessOf, boxOf, 32);
    }

    void pool(Tensor const& map, Tensors outputs) const {
        int64_t const channels = map[1], bins = int64_t(poolingHeight_) * poolingWidth_;
        parallelFor(outputs[1].count(0, 3), rowsPerThread(bins * 8), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const region = i / channels, picture = region / nmsMaxOut_;
                float const* const corners = outputs[0].floats() + region * 4;
                Axis const x = axisOf(corners[0], corners[2], poolingWidth_, map[3]);
                Axis const y = axisOf(corners[1], corners[3], poolingHeight_, map[2]);
                poolPlane(planeOf(map, picture, i % channels), y, x, outputs[1].floats() + i * bins);
            }
        });
    }

    Axis axisOf(float low, float high, int64_t bins, int64_t extent) const {
        auto const pixelAt = [this](float place) { return int64_t(std::min(std::round(place * spatialScale_), kFar)); };
        int64_t const start = pixelAt(low);
        return {start, std::max<int64_t>(pixelAt(high) - start + 1, 1), bins, extent};
    }

    static void poolPlane(Plane const& plane, Axis const& y, Axis const& x, float* pooled) {
        for (int64_t row = 0; row < y.bins; ++row) {
            for (int64_t column = 0; column < x.bins; ++column) *pooled++ = largestOf(plane, y, x, row, column);
        }
    }

    int32_t poolingHeight_ = 0;
    int32_t poolingWidth_ = 0;
    int32_t featureStride_ = 0;
    int32_t preNmsTop_ = 0;
    int32_t nmsMaxOut_ = 0;
    int32_t ratioCount_ = 0;
    int32_t scaleCount_ = 0;
    float iouThreshold_ = 0;
    float minBoxSize_ = 0;
    float spatialScale_ = 0;
    std::vector<float> ratios_, scales_;

    Anchors anchors_{};
    Selection selection_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Rproi>("RPROI_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1")};

} // namespace

std::span<StandardPlugin const> rproiPlugins() { return kDefinitions; }

} // namespace tenon::plugins
