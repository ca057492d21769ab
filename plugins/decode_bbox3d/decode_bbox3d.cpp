// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// DecodeBbox3DPlugin: boxes in space from the outputs of "PointPillars" (arXiv 1812.05784) for anchors on a map, two
// for each class. A box is the residual of "SECOND" (Sensors 18 (2018) 3337), section 3.2; its direction is the best of
// num_dir_bins. Names and numbers: the README of the published plugin.
#include "decode_bbox3d.h"

#include "gpu.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr int32_t kAnchorSize = 4; // dx, dy, dz, rotation

class DecodeBbox3D final : public GpuPlugin {
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
                "point_cloud_range has to be given, six numbers: the minimum x, y, z, then the maximum");
        if (bottoms_.empty()) throw std::invalid_argument("anchor_bottom_height has to be given, one for each class");
        if (anchors_.size() != bottoms_.size() * kBbox3dAnchorsOfClass * kAnchorSize)
            throw std::invalid_argument("anchors has " + std::to_string(anchors_.size()) + " numbers; expected " +
                                        std::to_string(bottoms_.size() * kBbox3dAnchorsOfClass * kAnchorSize) +
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
        int64_t const sizes[] = {classes(), Bbox3dMap::kResiduals, directions_};
        for (size_t i = 0; i < 3; ++i) {
            int64_t const extent = inputs[i].d[3], expected = anchors() * sizes[i];
            if (extent >= 0 && extent != expected)
                throw std::invalid_argument(std::string(kNames[i]) + " has " + std::to_string(extent) +
                                            " numbers at each position; expected " + std::to_string(expected) + ": " +
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
        constexpr int64_t kSize = Bbox3dMap::kBoxSize;
        Bbox3dMap const map = mapOf(inputs);
        std::vector<Bbox3dAnchor> const anchors = allAnchors();
        int64_t const boxes = map.boxes();
        for (int64_t frame = 0; frame < inputs[0][0]; ++frame) {
            int64_t const first = frame * boxes;
            std::span<int64_t const> const found =
                finder_.find(boxes, classes() + 8, [&](int64_t i) { return map.isFound(first + i); });
            float* const out = outputs[0].floats() + first * kSize;
            parallelFor(int64_t(found.size()), rowsPerThread(64), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    int64_t const box = found[size_t(i)];
                    map.decode(frame, box, anchors[size_t(box % map.anchors())], out + i * kSize);
                }
            });
            int64_t const rest = boxes - int64_t(found.size());
            parallelFor(rest, rowsPerThread(kSize), [&](int64_t begin, int64_t end) {
                float* const unused = out + int64_t(found.size()) * kSize;
                std::fill(unused + begin * kSize, unused + end * kSize, 0.0F);
            });
            outputs[1].ints()[frame] = int32_t(found.size());
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        GpuPieces pieces;
        static_cast<void>(finderOf(largestInputs[0], pieces));
        return pieces.bytes();
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        GpuPieces pieces(workspace);
        GpuFinder const finder = finderOf(inputs[0].dims, pieces);
        if constexpr (kHasKernels) decodeBbox3dOnGpu(mapOf(inputs), allAnchors(), finder, outputs, stream);
    }

private:
    int32_t classes() const { return int32_t(bottoms_.size()); }
    int32_t anchors() const { return classes() * kBbox3dAnchorsOfClass; }

    // Of cls_preds; a list for each frame.
    GpuFinder finderOf(nvinfer1::Dims const& scores, GpuPieces& pieces) const {
        return {scores.d[0], scores.d[1] * scores.d[2] * anchors(), pieces};
    }

    Bbox3dMap mapOf(Tensors inputs) const {
        Bbox3dMap map{inputs[0].floats(),
                      inputs[1].floats(),
                      inputs[2].floats(),
                      inputs[0][1],
                      inputs[0][2],
                      {},
                      classes(),
                      directions_,
                      directionOffset_,
                      limitOffset_,
                      leastOfSigmoid(threshold_)};
        std::copy_n(range_.data(), 6, map.range);
        return map;
    }

    std::vector<Bbox3dAnchor> allAnchors() const {
        std::vector<Bbox3dAnchor> all;
        for (size_t i = 0; i < size_t(anchors()); ++i) {
            float const* const anchor = anchors_.data() + i * kAnchorSize;
            all.push_back({{anchor[0], anchor[1], anchor[2]}, anchor[3], bottoms_[i / kBbox3dAnchorsOfClass]});
        }
        return all;
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
