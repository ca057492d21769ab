// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dist_collective/dist_collective.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class DistCollectiveFace final
    : public FaceOf<api::IDistCollectiveLayer, DistCollective, api::LayerType::kDIST_COLLECTIVE> {
public:
    using FaceOf::FaceOf;

    bool setNbRanks(int32_t ranks) noexcept override {
        return edit("setNbRanks", [&](DistCollective& layer) { layer.ranks = checkedRanks(ranks); });
    }
    int32_t getNbRanks() const noexcept override { return static_cast<int32_t>(layer().ranks); }
};

/// At any level: an application of level 11 has more operations than one of level 10.
DistCollective::Operation operationOf(api::CollectiveOperation op) {
    auto const number = static_cast<int64_t>(op);
    constexpr auto kLast = static_cast<int64_t>(DistCollective::Operation::Scatter);
    if (number < 0 || number > kLast)
        fail(ErrorCode::InvalidArgument, "collective operation ", number, " does not exist; the last one is ", kLast);
    return static_cast<DistCollective::Operation>(number);
}

} // namespace

FaceEntry distCollectiveFace() { return faceEntry<DistCollectiveFace>(); }

api::IDistCollectiveLayer* Network::addDistCollective(ITensor& input, api::CollectiveOperation distCollectiveOp,
                                                      api::ReduceOperation reduceOp, int64_t root, int64_t* groups,
                                                      int64_t groupSize) noexcept {
    return guarded(reporter_, "addDistCollective", [&] {
        DistCollective layer;
        layer.operation = operationOf(distCollectiveOp);
        layer.reduction = checkedEnum<ReduceOperation>(reduceOp, "reduction");
        layer.root = root;
        if (groupSize < 0 || (groupSize > 0 && groups == nullptr))
            fail(ErrorCode::InvalidArgument, "a group of ", groupSize, " ranks, which is ", groups ? "given" : "null",
                 "; expected that many, or none for all");
        layer.group.assign(groups, groups + groupSize);
        return addFace<DistCollectiveFace>({&input}, layer);
    });
}

} // namespace tenon::trt
