// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// DecodeBbox3DPlugin: boxes in space from the outputs of "PointPillars" (arXiv 1812.05784) for anchors on a map, two
// for each class. A box is the residual of "SECOND" (Sensors 18 (2018) 3337), section 3.2, its direction is that of the
// best of num_dir_bins. Names and numbers: the README of the published plugin.
#include "plugin.h"
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr int32_t kAnchorsOfClass = 2, kAnchorSize = 4; // dx, dy, dz, rotation
constexpr int64_t kResiduals = 7;                       // x, y, z, dx, dy, dz, rotation
constexpr int64_t kBoxSize = 9;                         // the same, class, score

class DecodeBbox3D final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("point_cloud_range", range_);
        visit("anchors", anchors_);
        visit("anchor_bottom_height", bottoms_);
        visit("dir_offset", directionOffset_);
        visit("dir_limit_offset", limitOffset_);
        visit("num_dir_bins", directions_);
        visit("score_thresh", threshold_);
    }

    void check() const override {
        if (range_.size() != 6)
            throw std::invalid_argument(
                "point_cloud_range has to be given, six numbers: the least x, y, z, then the largest");
        if (bottoms_.empty()) throw std::invalid_argument("anchor_bottom_height has to be given, one for each class");
        if (anchors_.size() != bottoms_.size() * kAnchorsOfClass * kAnchorSize)
            throw std::invalid_argument("anchors has " + std::to_string(anchors_.size()) + " numbers; expected " +
                                        std::to_string(bottoms_.size() * kAnchorsOfClass * kAnchorSize) +
                                        ", for each class two anchors of dx, dy, dz and rotation");
        if (directions_ < 1) throw std::invalid_argument("num_dir_bins has to be 1 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("cls_preds", "[N,H,W,C]", Kind::kFloat)
            .input("box_preds", "[N,H,W,D]", Kind::kFloat)
            .input("dir_cls_preds", "[N,H,W,E]", Kind::kFloat)
            .output("output_boxes", "[N,?,9]", Kind::kFloat)
            .output("num_boxes", "[N]", Kind::kInt32);
    }

    void checkInputs(KnownShapes inputs) const override {
        static char const* const kNames[] = {"cls_preds", "box_preds", "dir_cls_preds"};
        int64_t const sizes[] = {classes(), kResiduals, directions_};
        for (size_t i = 0; i < 3; ++i) {
            int64_t const extent = inputs[i].d[3], expected = anchors() * sizes[i];
            if (extent >= 0 && extent != expected)
                throw std::invalid_argument(std::string(kNames[i]) + " has " + std::to_string(extent) +
                                            " numbers at each place; expected " + std::to_string(expected) + ": " +
                                            std::to_string(sizes[i]) + " for each of " + std::to_string(anchors()) +
                                            " anchors");
        }
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        auto const times = [&](nvinfer1::IDimensionExpr const* a, nvinfer1::IDimensionExpr const* b) {
            return combined(builder, nvinfer1::DimensionOperation::kPROD, a, b);
        };
        outputs[0].d[1] = times(times(inputs[0].d[1], inputs[0].d[2]), builder.constant(anchors()));
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& scores = inputs[0];
        int64_t const boxes = outputs[0][1];
        for (int64_t frame = 0; frame < scores[0]; ++frame) {
            int64_t const first = frame * boxes;
            std::span<int64_t const> const found = finder_.find(boxes, classes() + 8, [&](int64_t i) {
                Best const best = bestOf(scores.floats() + (first + i) * classes(), classes(), 1);
                return best.index >= 0 && sigmoid(best.score) >= threshold_;
            });
            float* const out = outputs[0].floats() + first * kBoxSize;
            parallelFor(int64_t(found.size()), rowsPerThread(64), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) decode(inputs, first, found[size_t(i)], out + i * kBoxSize);
            });
            std::fill(out + int64_t(found.size()) * kBoxSize, out + boxes * kBoxSize, 0.0F);
            outputs[1].ints()[frame] = int32_t(found.size());
        }
    }

private:
    int32_t classes() const { return int32_t(bottoms_.size()); }
    int32_t anchors() const { return classes() * kAnchorsOfClass; }

    // The anchors stand from one end of the range to the other.
    float placeOn(int32_t axis, int64_t index, int64_t count) const {
        float const first = range_[size_t(axis)], last = range_[size_t(axis) + 3];
        return count > 1 ? first + float(index) * (last - first) / float(count - 1) : first;
    }

    // `first` is the number of the frame's first box in the inputs, `box` counts on from there.
    void decode(Tensors inputs, int64_t first, int64_t box, float* out) const {
        int64_t const place = box / anchors(), anchorIndex = box % anchors(), width = inputs[0][2];
        float const* const anchor = anchors_.data() + anchorIndex * kAnchorSize;
        float const* const residual = inputs[1].floats() + (first + box) * kResiduals;
        float const z = anchor[2] / 2 + bottoms_[size_t(anchorIndex / kAnchorsOfClass)];
        float const diagonal = std::sqrt(anchor[0] * anchor[0] + anchor[1] * anchor[1]);
        Best const best = bestOf(inputs[0].floats() + (first + box) * classes(), classes(), 1);
        out[0] = residual[0] * diagonal + placeOn(0, place % width, width);
        out[1] = residual[1] * diagonal + placeOn(1, place / width, inputs[0][1]);
        out[2] = residual[2] * anchor[2] + z;
        for (size_t axis = 0; axis < 3; ++axis) out[3 + axis] = std::exp(residual[3 + axis]) * anchor[axis];
        out[6] = rotation(residual[6] + anchor[3], inputs[2].floats() + (first + box) * directions_);
        out[7] = float(best.index);
        out[8] = sigmoid(best.score);
    }

    // Within a period from dir_offset on, then as many periods further as the direction says: the last of equal ones.
    float rotation(float angle, float const* directions) const {
        int32_t direction = 0;
        for (int32_t i = 1; i < directions_; ++i)
            if (!(directions[direction] > directions[i])) direction = i;
        float const period = 2 * std::numbers::pi_v<float> / float(directions_), turned = angle - directionOffset_;
        float const within = turned - std::floor(turned / period + limitOffset_) * period;
        return within + directionOffset_ + period * float(direction);
    }

    std::vector<float> range_, anchors_, bottoms_;
    float directionOffset_ = 0.78539F, limitOffset_ = 0;
    int32_t directions_ = 2;
    float threshold_ = 0;
    Finder finder_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<DecodeBbox3D>("DecodeBbox3DPlugin", "1", PluginGeneration::kV2DynamicExt, "from 8.4")};

} // namespace

std::span<StandardPlugin const> decodeBbox3dPlugins() { return kDefinitions; }

} // namespace tenon::plugins
