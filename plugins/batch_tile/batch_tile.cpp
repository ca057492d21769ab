// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// BatchTilePlugin_TRT: one image for each sample of a batch. In a network with an implicit batch the image already
// exists once per sample; then, as in the original, all get the first one.
#include "layers.h"

namespace tenon::plugins {
namespace {

class BatchTile final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature()
            .input("batch", "[N,?...]", Kind::kAny)
            .input("image", "[1,C,H,W]|[N,1,C,H,W]", Kind::kAny)
            .output("images", "[N,C,H,W]", Kind::kAny);
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const batch = extents(inputs[0], 0, 1);
        Value const tiled = gather(inputs[1], broadcastTo(in.integers({0}), batch), 0);
        int32_t const rank = inputs[1].rank();
        return {rank == 4 ? tiled : reshape(tiled, concatenate({batch, extents(inputs[1], 2, rank)}, 0))};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<BatchTile>("BatchTilePlugin_TRT", "1", PluginGeneration::kV2DynamicExt, "6.0 to 10.16")};

} // namespace

std::span<StandardPlugin const> batchTilePlugins() { return kDefinitions; }

} // namespace tenon::plugins
