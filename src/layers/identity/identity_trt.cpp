// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/identity/identity.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class IdentityFace final : public FaceOf<api::IIdentityLayer, Identity, api::LayerType::kIDENTITY> {
public:
    using FaceOf::FaceOf;
};

/// An engine runs on one device, on which every collective operation gives back what it gets.
class DistCollectiveFace final : public FaceOf<api::IDistCollectiveLayer, Identity, api::LayerType::kDIST_COLLECTIVE> {
public:
    using FaceOf::FaceOf;
};

enum class Collective {
    AllReduce,
    AllGather,
    Broadcast,
    Reduce,
    ReduceScatter,
    AllToAll,
    Gather,
    Scatter
}; // the API's

/// At any level: a program of level 11 has more of them than one of level 10.
Collective collectiveOf(api::CollectiveOperation op) {
    auto const number = static_cast<int64_t>(op);
    constexpr auto kLast = static_cast<int64_t>(Collective::Scatter);
    if (number < 0 || number > kLast)
        fail(ErrorCode::InvalidArgument, "collective operation ", number, " does not exist; the last one is ", kLast);
    return static_cast<Collective>(number);
}

bool combines(Collective op) {
    return op == Collective::AllReduce || op == Collective::Reduce || op == Collective::ReduceScatter;
}

} // namespace

FaceEntry identityFace() { return faceEntry<IdentityFace>(); }

api::IIdentityLayer* Network::addIdentity(ITensor& input) noexcept {
    return add<IdentityFace>("addIdentity", {&input}, Identity());
}

api::IDistCollectiveLayer* Network::addDistCollective(ITensor& input, api::CollectiveOperation distCollectiveOp,
                                                      api::ReduceOperation reduceOp, int64_t root, int64_t* groups,
                                                      int64_t groupSize) noexcept {
    return guarded(reporter_, "addDistCollective", [&] {
        auto const op = collectiveOf(distCollectiveOp);
        if (groups && groupSize > 1) notSupported(text("groups of ", groupSize, " devices; an engine runs on one"));
        if (groups && groupSize == 1 && groups[0] != 0)
            notSupported(text("a group of device ", groups[0], "; an engine runs on one, 0"));
        if (root > 0) notSupported(text("device ", root, " as the root; an engine runs on one, 0"));
        if (combines(op) && (reduceOp < api::ReduceOperation::kSUM || reduceOp > api::ReduceOperation::kAVG))
            fail(ErrorCode::InvalidArgument,
                 "a collective operation that combines has no reduction; give one from kSUM to kAVG");
        return addFace<DistCollectiveFace>({&input}, Identity());
    });
}

} // namespace tenon::trt
