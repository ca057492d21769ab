// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// SpecialSlice_TRT: the boxes of detections y1, x1, y2, x2, class, score, without class and score.
#include "layers.h"

namespace tenon::plugins {
namespace {

class SpecialSlice final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature().input("detections", "[B,N,6]", Kind::kAny).output("boxes", "[B,N,4]", Kind::kAny);
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override { return {part(inputs[0], 2, 0, 4)}; }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SpecialSlice>("SpecialSlice_TRT", "1", PluginGeneration::kV2DynamicExt, "6.0 to 10.16")};

} // namespace

std::span<StandardPlugin const> specialSlicePlugins() { return kDefinitions; }

} // namespace tenon::plugins
