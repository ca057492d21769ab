// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// SpecialSlice_TRT: the boxes of detections y1, x1, y2, x2, class, score, without class and score.
#include "plugin.h"

#include <algorithm>

namespace tenon::plugins {
namespace {

class SpecialSlice final : public PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature().input("detections", "[B,N,6]").output("boxes", "[B,N,4]");
    }

    void run(Tensors inputs, Tensors outputs) override {
        for (int64_t detection = 0; detection < inputs[0].count(0, 2); ++detection)
            std::copy_n(inputs[0].floats() + detection * 6, 4, outputs[0].floats() + detection * 4);
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SpecialSlice>("SpecialSlice_TRT", "1", PluginGeneration::kV2DynamicExt, "6.0 to 10.16")};

} // namespace

std::span<StandardPlugin const> specialSlicePlugins() { return kDefinitions; }

} // namespace tenon::plugins
