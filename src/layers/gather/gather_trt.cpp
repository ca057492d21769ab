// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "trt/network.h"

namespace tenon::trt {
namespace {

class GatherFace final : public FaceOf<api::IGatherLayer, Gather, api::LayerType::kGATHER> {
public:
    using FaceOf::FaceOf;

    void setGatherAxis(int32_t axis) noexcept override {
        edit("setGatherAxis", [&](Gather& layer) { layer.axis = resolveAxis(axis, inputRank()); });
    }
    int32_t getGatherAxis() const noexcept override {
        return ask("getGatherAxis", [&](Gather const& layer) { return resolveAxis(layer.axis, inputRank()); });
    }
    void setNbElementWiseDims(int32_t elementWiseDims) noexcept override {
        edit("setNbElementWiseDims", [&](Gather& layer) {
            if (elementWiseDims < 0 || elementWiseDims > inputRank())
                fail(ErrorCode::InvalidArgument, elementWiseDims, " elementwise dimensions; expected 0 to ",
                     inputRank());
            layer.elementWiseDims = elementWiseDims;
        });
    }
    int32_t getNbElementWiseDims() const noexcept override { return static_cast<int32_t>(layer().elementWiseDims); }
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
        layer.axis = resolveAxis(axis, rankOf(data));
        return addFace<GatherFace>({&data, &indices}, layer);
    });
}

api::IGatherLayer* Network::addGatherV2(ITensor& data, ITensor& indices, api::GatherMode mode) noexcept {
    return guarded(reporter_, "addGatherV2", [&] {
        Gather layer;
        layer.mode = checkedEnum<Gather::Mode>(mode, "gather mode");
        // Whether the shapes fit depends on axis and elementwise dimensions, which are set afterwards.
        return addFace<GatherFace>({&data, &indices}, layer, false);
    });
}

} // namespace tenon::trt
