// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// RPROI_TRT: the region proposals of Faster R-CNN (arXiv 1506.01497), and the features of each max-pooled to the same
// size ("Fast R-CNN", arXiv 1504.08083, section 2.1). Anchors and the coding of the deltas are those of the authors'
// py-faster-rcnn, but a box is exp(d) times its anchor from corner to corner, without an additional pixel; order of the
// tensors and fields: the README of the published plugin.
#include "rproi.h"

#include "gpu.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace tenon::plugins {
namespace {

using namespace rproi;

constexpr char const* kAnchorFields = "anchorsRatios x anchorsScales";

constexpr float kNone = -std::numeric_limits<float>::infinity();

// NaN is ignored.
float larger(float value, float other) { return value > other ? value : other; }

// The larger of each column and the value below it.
void raise(float* columns, float const* values, int64_t count) {
    using Four [[gnu::vector_size(16)]] = float;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        Four before, more;
        std::memcpy(&before, columns + i, sizeof before);
        std::memcpy(&more, values + i, sizeof more);
        before = more > before ? more : before;
        std::memcpy(columns + i, &before, sizeof before);
    }
    for (; i < count; ++i) columns[i] = larger(values[i], columns[i]);
}

// One channel of one region: bins of a row share the maxima of its columns.
class PooledPlane {
public:
    PooledPlane(float const* values, Axis const& y, Axis const& x) : values_(values), y_(y), x_(x) {}

    // `columns` has room for a row of the map.
    void pool(std::span<float> columns, float* pooled) const {
        int64_t const left = x_.begin(0), width = x_.end(x_.bins - 1) - left;
        for (int64_t row = 0; row < y_.bins; ++row) {
            std::ranges::fill(columns, kNone);
            for (int64_t i = y_.begin(row); i < y_.end(row); ++i)
                raise(columns.data() + left, values_ + i * x_.extent + left, width);
            for (int64_t column = 0; column < x_.bins; ++column) *pooled++ = largest(columns, row, column);
        }
    }

private:
    float largest(std::span<float const> columns, int64_t row, int64_t column) const {
        float largest = kNone;
        for (int64_t j = x_.begin(column); j < x_.end(column); ++j) largest = larger(columns[size_t(j)], largest);
        return largest == kNone ? largestOf(values_, y_, x_, row, column) : largest; // without pixels, or only NaN
    }

    float const* values_;
    Axis const &y_, &x_;
};

class Rproi final : public GpuPlugin {
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

    // Boxes in pixels of the image need more digits than HALF has.
    Signature signature() const override {
        return Signature()
            .input("scores", "[N,A,H,W]", Kind::kFloat)
            .input("deltas", "[N,D,H,W]", Kind::kFloat)
            .input("fmap", "[N,C,H,W]")
            .input("iinfo", "[N,1,1,3]|[N,1,3]|[N,3]", Kind::kFloat)
            .output("rois", "[N,1,nmsMaxOut,4]", Kind::kFloat)
            .output("pfmap", "[N,nmsMaxOut,C,poolingH,poolingW]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override {
        size_t const anchors = ratios_.size() * scales_.size();
        checkChannels("scores", inputs[0].d[1], 2, anchors, kAnchorFields);
        checkChannels("deltas", inputs[1].d[1], 4, anchors, kAnchorFields);
    }

    void run(Tensors inputs, Tensors outputs) override {
        Settings const settings = this->settings();
        Regions const regions(settings, anchors(inputs[2]), inputs);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            selection_.clear();
            selection_.add(picture, regions, settings.limits, 32);
            selection_.writeBest(nmsMaxOut_, outputs[0].floats() + picture * nmsMaxOut_ * 4);
        }
        pool(inputs[2], outputs);
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        nvinfer1::Dims const& map = largestInputs[2];
        int64_t const anchors = int64_t(ratios_.size() * scales_.size());
        GpuPieces pieces;
        takeSizes(anchors, pieces);
        return gpuNmsWorkspace(settings().limits.rules(), {map.d[0], 1, map.d[2] * map.d[3] * anchors}, pieces);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels)
            proposeAndPoolOnGpu(settings(), anchors(inputs[2]), inputs, outputs, workspace, stream);
    }

private:
    static void checkCount(char const* field, int32_t given, char const* list, size_t numbers) {
        if (numbers == 0) throw std::invalid_argument(list + std::string(" has to be given"));
        if (given < 0 || size_t(given) != numbers)
            throw std::invalid_argument(field + (" is " + std::to_string(given)) + "; expected " +
                                        std::to_string(numbers) + ", the length of " + list);
    }

    Settings settings() const {
        return {minBoxSize_, {preNmsTop_, iouThreshold_, nmsMaxOut_, 1}, spatialScale_, poolingHeight_, poolingWidth_};
    }

    // For a map [N,C,H,W].
    AnyAnchors anchors(Tensor const& map) {
        auto const stride = float(featureStride_);
        anchorSizes_.clear();
        for (float ratio : ratios_) {
            float const width = std::round(std::sqrt(stride * stride / ratio)), height = std::round(width * ratio);
            for (float scale : scales_) anchorSizes_.push_back({width * scale, height * scale});
        }
        float const offset = (stride - 1) / 2 / stride;
        return {map[2], map[3], stride, stride, offset, anchorSizes_.data(), int64_t(anchorSizes_.size())};
    }

    void pool(Tensor const& map, Tensors outputs) const {
        int64_t const channels = map[1], bins = int64_t(poolingHeight_) * poolingWidth_;
        parallelFor(outputs[1].count(0, 3), rowsPerThread(bins * 8), [&](int64_t begin, int64_t end) {
            std::vector<float> columns(static_cast<size_t>(map[3]));
            for (int64_t i = begin; i < end; ++i) {
                int64_t const region = i / channels, picture = region / nmsMaxOut_;
                float const* const corners = outputs[0].floats() + region * 4;
                Axis const x(corners[0], corners[2], spatialScale_, poolingWidth_, map[3]);
                Axis const y(corners[1], corners[3], spatialScale_, poolingHeight_, map[2]);
                float const* const plane = map.floats() + (picture * channels + i % channels) * map[2] * map[3];
                PooledPlane(plane, y, x).pool(columns, outputs[1].floats() + i * bins);
            }
        });
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

    std::vector<Anchors::Size> anchorSizes_;
    Selection selection_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Rproi>("RPROI_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1")};

} // namespace

std::span<StandardPlugin const> rproiPlugins() { return kDefinitions; }

} // namespace tenon::plugins
