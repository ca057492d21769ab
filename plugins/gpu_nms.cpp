// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu_nms.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

GpuLists laidOut(NmsRules const& rules, NmsExtents const& extents, GpuPieces& pieces) {
    expectCountable(extents.boxes, extents.classes);
    if (rules.classesCompete && rules.candidates < extents.boxes)
        throw std::logic_error("if classes compete, a GPU needs all candidates");
    GpuLists lists{};
    lists.extents = extents;
    lists.ofPicture = rules.classesCompete ? 1 : extents.classes;
    lists.room = rules.classesCompete ? extents.boxes * extents.classes : extents.boxes;
    lists.rules = rules;
    int64_t count = 0, room = 0;
    if (__builtin_mul_overflow(extents.pictures, lists.ofPicture, &count) ||
        __builtin_mul_overflow(count, lists.room, &room) || count > std::numeric_limits<int32_t>::max())
        throw std::invalid_argument("not enough memory for the scores");
    bool const canBeLong = lists.room > kSurelyShort;
    int64_t const groups = canBeLong ? std::min(count, kMostBlocksOfLongLists) : 0;
    lists.found = pieces.take<int32_t>({count});
    lists.kept = pieces.take<int32_t>({count});
    lists.longCount = pieces.take<int32_t>({1});
    lists.partCount = pieces.take<int32_t>({1});
    lists.arrivals = pieces.take<int32_t>({1 + groups});
    lists.longLists = pieces.take<GpuLists::Long>({canBeLong ? count : 0});
    lists.parts = pieces.take<int32_t>({canBeLong ? count * ((lists.room + kPartOfRun - 1) / kPartOfRun) : 0});
    lists.keys = pieces.take<GpuLists::Key>({room});
    lists.sorted = pieces.take<GpuLists::Key>({canBeLong ? room : 0});
    lists.tiles = pieces.take<uint32_t>({groups * kTileWords});
    return lists;
}

} // namespace

GpuLists gpuLists(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces) {
    return laidOut(rules, extents, pieces);
}

size_t gpuNmsWorkspace(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces) {
    laidOut(rules, extents, pieces);
    return pieces.bytes();
}

} // namespace tenon::plugins
