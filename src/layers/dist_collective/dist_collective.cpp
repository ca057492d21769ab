// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dist_collective/dist_collective.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace tenon {

namespace layers {
LayerEntry distCollectiveLayer() { return entryOf<DistCollective>(); }
} // namespace layers

std::span<std::string_view const> names(DistCollective::Operation) {
    static constexpr std::string_view kNames[]{"all_reduce",     "all_gather", "broadcast", "reduce",
                                               "reduce_scatter", "all_to_all", "gather",    "scatter"};
    return kNames;
}

bool DistCollective::reduces() const {
    return operation == Operation::AllReduce || operation == Operation::Reduce || operation == Operation::ReduceScatter;
}

bool DistCollective::hasRoot() const {
    return operation == Operation::Broadcast || operation == Operation::Reduce || operation == Operation::Gather ||
           operation == Operation::Scatter;
}

void DistCollective::expectValid() const {
    if (ranks < 1 || ranks > kMostRanks) fail(ErrorCode::InvalidArgument, ranks, " ranks; expected 1 to ", kMostRanks);
    std::set<int64_t> members;
    for (int64_t const rank : group) {
        if (rank < 0 || rank > kMostRanks)
            fail(ErrorCode::InvalidArgument, "rank ", rank, " in its group; expected 0 to ", kMostRanks);
        if (!members.insert(rank).second) fail(ErrorCode::InvalidArgument, "rank ", rank, " is in its group twice");
    }
    if (!group.empty() && ranks != 1 && ranks != static_cast<int64_t>(group.size()))
        fail(ErrorCode::InvalidArgument, ranks, " ranks (setNbRanks), and a group of ", group.size(),
             "; expected the same number");
    if (reduces() && reduction > ReduceOperation::Avg)
        fail(ErrorCode::InvalidArgument, operation, " without a reduction; expected kSUM to kAVG");
    if (!hasRoot()) return;
    if (root < 0 || root > kMostRanks)
        fail(ErrorCode::InvalidArgument, operation, " with rank ", root, " as its root; expected 0 to ", kMostRanks);
    if (!group.empty() && !members.contains(root))
        fail(ErrorCode::InvalidArgument, operation, " with rank ", root, " as its root, which is not in its group");
}

// X [n,…] → Y [R·n,…], [n/R,…] or [n,…]
std::vector<Result> DistCollective::infer(Operands const& in) const {
    in.expectCount(1, 1);
    expectValid();
    if (reduces()) in.expectNumbers(0);
    if (bitsOf(in[0].type) % 8 != 0)
        fail(ErrorCode::InvalidModel, "supports elements of whole bytes, not ", in[0].type);
    Shape shape = in[0].shape;
    bool const isInParts = splits() || operation == Operation::AllToAll;
    if (ranks == 1 || !(joins() || isInParts)) return {{in[0].type, shape}};
    in.expectRank(0, 1, Dims::kMaxRank);
    if (isInParts && shape[0].isConstant() && shape[0].constant() % ranks != 0)
        fail(ErrorCode::InvalidModel, "axis 0 of ", in[0].shape, " is to be divided among ", ranks,
             " ranks; expected a multiple of that");
    if (joins()) shape[0] = shape[0] * DimExpr(ranks);
    if (splits()) shape[0] = floorDiv(shape[0], DimExpr(ranks));
    return {{in[0].type, shape}};
}

void DistCollective::expectAlone() const {
    bool const isAlone = ranks == 1 && (group.empty() || group == std::vector<int64_t>{0}) && (!hasRoot() || root == 0);
    if (isAlone) return;
    fail(ErrorCode::InvalidState, operation, " among ", std::max<int64_t>(ranks, static_cast<int64_t>(group.size())),
         " ranks, but the context has no communicator; set one of NCCL with setCommunicator, on a GPU");
}

void DistCollective::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    expectAlone();
    if (in[0].bytes() != 0) std::memcpy(out[0].data, in[0].data, in[0].bytes());
}

} // namespace tenon
