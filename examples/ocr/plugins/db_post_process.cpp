// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "db_post_process.h"

#include "gpu.h"
#include "text_boxes_gpu.h"

#include <algorithm>

namespace ocr {
namespace {

enum Output : int32_t { kBoxes, kScores, kCount };

void require(bool condition, char const* sentence) {
    if (!condition) throw std::invalid_argument(sentence);
}

bool isProbability(float value) { return value >= 0 && value <= 1; }

ProbabilityMap mapOf(tenon::PluginBase::Tensors inputs) {
    return {inputs[0].floats(), int32_t(inputs[0][2]), int32_t(inputs[0][3])};
}

FoundBoxes foundIn(tenon::PluginBase::Tensors outputs) {
    return {outputs[kBoxes].floats(), outputs[kScores].floats(), outputs[kCount].longs()};
}

void write(std::vector<TextBox> const& boxes, FoundBoxes found) {
    for (TextBox const& box : boxes) {
        for (Point corner : box.corners) {
            *found.corners++ = corner.x;
            *found.corners++ = corner.y;
        }
        *found.scores++ = box.score;
    }
    *found.count = int64_t(boxes.size());
}

} // namespace

void DBPostProcess::fields(FieldVisitor& visit) {
    BoxRules& rules = finder_.rules();
    visit("thresh", rules.threshold);
    visit("box_thresh", rules.boxThreshold);
    visit("unclip_ratio", rules.unclipRatio);
    visit("max_candidates", rules.maxCandidates);
    visit("use_dilation", rules.useDilation);
}

void DBPostProcess::check() const {
    BoxRules const& rules = finder_.rules();
    require(isProbability(rules.threshold), "thresh has to be between 0 and 1");
    require(isProbability(rules.boxThreshold), "box_thresh has to be between 0 and 1");
    require(rules.unclipRatio >= 0 && rules.unclipRatio <= 100, "unclip_ratio has to be between 0 and 100");
    require(rules.maxCandidates >= 1, "max_candidates has to be at least 1");
}

// The count is known only after the map: it is an output too, and the other shapes refer to it.
void DBPostProcess::outputShapes(Shapes, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const {
    int64_t const most = finder_.rules().maxCandidates, typical = std::min<int64_t>(most, 64);
    outputs[kBoxes].d[0] = outputs[kScores].d[0] =
        builder.declareSizeTensor(kCount, *builder.constant(typical), *builder.constant(most));
}

tenon::PluginDevices DBPostProcess::devices() const { return pluginDevices(); }

void DBPostProcess::run(Tensors inputs, Tensors outputs) { write(finder_.find(mapOf(inputs)), foundIn(outputs)); }

size_t DBPostProcess::gpuWorkspace(KnownShapes largestInputs) const {
    return workspaceOnGpu(largestInputs[0].d[2], largestInputs[0].d[3], finder_.rules());
}

void DBPostProcess::runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) {
    findBoxesOnGpu(mapOf(inputs), finder_.rules(), workspace, foundIn(outputs), stream);
}

} // namespace ocr
