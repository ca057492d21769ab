// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class GatherFace final : public FaceOf<api::IGatherLayer, Gather, api::LayerType::kGATHER> {
public:
    using FaceOf::FaceOf;

    void setGatherAxis(int32_t axis) noexcept override {
        edit("setGatherAxis", [&](Gather& layer) { layer.axis = inputAxes().fromApi(axis); });
    }
    int32_t getGatherAxis() const noexcept override {
        return ask("getGatherAxis", [&](Gather const& layer) { return inputAxes().toApi(layer.axis); });
    }
    void setNbElementWiseDims(int32_t elementWiseDims) noexcept override {
        edit("setNbElementWiseDims", [&](Gather& layer) {
            int const rank = inputAxes().shownRank();
            if (elementWiseDims < 0 || elementWiseDims > rank)
                fail(ErrorCode::InvalidArgument, elementWiseDims, " elementwise dimensions; expected 0 to ", rank);
            layer.elementWiseDims = elementWiseDims + network().hiddenAxes(); // each sample has indices of its own
        });
    }
    int32_t getNbElementWiseDims() const noexcept override {
        return static_cast<int32_t>(layer().elementWiseDims) - network().hiddenAxes();
    }
    void setMode(api::GatherMode mode) noexcept override {
        edit("setMode", [&](Gather& layer) { layer.mode = checkedEnum<Gather::Mode>(mode, "gather mode"); });
    }
    api::GatherMode getMode() const noexcept override { return sameEnum<api::GatherMode>(layer().mode); }
};

} // namespace

FaceEntry gatherFace() { return faceEntry<GatherFace>(); }

api::IGatherLayer* Network::addGather(ITensor& data, ITensor& indices, int32_t axis) noexcept {
    return guarded(reporter_, "addGather", [&] {
        Gather layer;
        layer.axis = axesOf(data).fromApi(axis);
        layer.elementWiseDims = hiddenAxes();
        std::vector<Tensor*> inputs{&tensorOf(data), &tensorOf(indices)};
        repeatSamples(inputs);
        return addNode<GatherFace>(std::move(inputs), layer);
    });
}

api::IGatherLayer* Network::addGatherV2(ITensor& data, ITensor& indices, api::GatherMode mode) noexcept {
    return guarded(reporter_, "addGatherV2", [&] {
        Gather layer;
        expectExplicitBatch("addGatherV2");
        layer.mode = checkedEnum<Gather::Mode>(mode, "gather mode");
        // Whether the shapes fit depends on axis and elementwise dimensions, which are set afterwards.
        return addFace<GatherFace>({&data, &indices}, layer, false);
    });
}

} // namespace tenon::trt
