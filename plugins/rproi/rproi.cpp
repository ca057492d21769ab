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
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr char const* kAnchorFields = "anchorsRatios x anchorsScales";

// No place of a map is farther.
constexpr float kFar = 1 << 24;

// The pixels of a bin along one axis.
struct Bin {
    int64_t begin, end;
};
using Bins = std::vector<Bin>;

constexpr float kNone = -std::numeric_limits<float>::infinity();

// What is not a number is passed over.
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

// One channel of one region: bins of a row share the largest values of its columns.
class PooledPlane {
public:
    PooledPlane(Plane const& plane, Bins const& y, Bins const& x) : plane_(plane), y_(y), x_(x) {}

    // `columns` has room for a row of the map.
    void pool(std::span<float> columns, float* pooled) const {
        int64_t const left = x_.front().begin, width = x_.back().end - left;
        for (Bin const& rows : y_) {
            std::ranges::fill(columns, kNone);
            for (int64_t i = rows.begin; i < rows.end; ++i)
                raise(columns.data() + left, plane_.values + i * plane_.width + left, width);
            for (Bin const& bin : x_) *pooled++ = largestOf(columns, rows, bin);
        }
    }

private:
    float largestOf(std::span<float const> columns, Bin const& rows, Bin const& bin) const {
        if (rows.begin >= rows.end || bin.begin >= bin.end) return 0;
        float largest = kNone;
        for (int64_t j = bin.begin; j < bin.end; ++j) largest = larger(columns[size_t(j)], largest);
        return largest == kNone && !hasNumber(rows, bin) ? std::numeric_limits<float>::quiet_NaN() : largest;
    }

    bool hasNumber(Bin const& rows, Bin const& bin) const {
        auto const isNumber = [](float value) { return !std::isnan(value); };
        for (int64_t i = rows.begin; i < rows.end; ++i) {
            float const* const values = plane_.values + i * plane_.width;
            if (std::any_of(values + bin.begin, values + bin.end, isNumber)) return true;
        }
        return false;
    }

    Plane plane_;
    Bins const &y_, &x_;
};

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
            std::vector<float> columns(static_cast<size_t>(map[3]));
            Bins x, y;
            for (int64_t i = begin; i < end; ++i) {
                int64_t const region = i / channels, channel = i % channels;
                if (i == begin || channel == 0) {
                    float const* const corners = outputs[0].floats() + region * 4;
                    x = binsOf(corners[0], corners[2], poolingWidth_, map[3]);
                    y = binsOf(corners[1], corners[3], poolingHeight_, map[2]);
                }
                Plane const plane = planeOf(map, region / nmsMaxOut_, channel);
                PooledPlane(plane, y, x).pool(columns, outputs[1].floats() + i * bins);
            }
        });
    }

    // Of one axis of a region in its map, in whole pixels.
    Bins binsOf(float low, float high, int64_t count, int64_t extent) const {
        auto const pixelAt = [this](float place) { return int64_t(std::min(std::round(place * spatialScale_), kFar)); };
        int64_t const start = pixelAt(low), size = std::max<int64_t>(pixelAt(high) - start + 1, 1);
        Bins bins;
        for (int64_t bin = 0; bin < count; ++bin)
            bins.push_back({std::min(start + bin * size / count, extent),
                            std::min(start + ((bin + 1) * size + count - 1) / count, extent)});
        return bins;
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
