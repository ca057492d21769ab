// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text_boxes.h"

#include <tenon/plugin_base.h>

namespace ocr {

// Turns the probability map of a text detector into boxes of text, one image at a time.
//
// boxes  the corners of M boxes as (x, y) in pixels of the map: top left, top right, bottom right, bottom left;
//        they may extend a little beyond the edge of the map
// scores the mean probability inside each box before it grew
// count  M, which depends on the map: 0 to max_candidates
class DBPostProcess final : public tenon::PluginBase {
public:
    void fields(FieldVisitor& visit) override;
    void check() const override;
    Signature signature() const override {
        return Signature()
            .input("map", "[1,1,H,W]", Kind::kFloat)
            .output("boxes", "[?,4,2]", Kind::kFloat)
            .output("scores", "[?]", Kind::kFloat)
            .output("count", "[]", Kind::kInt64);
    }
    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override;

    tenon::PluginDevices devices() const override;
    void run(Tensors inputs, Tensors outputs) override;
    size_t gpuWorkspace(KnownShapes largestInputs) const override;
    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override;

private:
    TextBoxFinder finder_{BoxRules{}};
};

// Data-dependent sizes came with the third generation.
inline constexpr tenon::PluginDefinition kDBPostProcess =
    tenon::definePlugin<DBPostProcess>("DBPostProcess", "1", tenon::PluginGeneration::kV3);

} // namespace ocr
