// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a suppression on a GPU works on; nms.cuh has the work.
#pragma once

#include "gpu.h"
#include "nms.h"

namespace tenon::plugins {

/// How large a suppression can be.
struct NmsExtents {
    /// \param scores [B,N,C] or [B,N,C,1]
    static NmsExtents of(nvinfer1::Dims const& scores) { return {scores.d[0], scores.d[2], scores.d[1]}; }

    int64_t pictures, classes;
    int64_t boxes; ///< Of each class.
};

/// The lists of candidates, in the workspace. There is a list for each class of each picture, or one for each picture
/// where classes compete.
struct GpuLists {
    using Key = Keys::Key;

    struct Long {
        int32_t list, found;
        int32_t firstPart; ///< In parts.
    };

    NmsExtents extents;
    int64_t ofPicture; ///< Lists of a picture.
    int64_t room;      ///< For so many candidates of each list.
    NmsRules rules;

    int32_t* found;     ///< So many candidates each list has.
    int32_t* kept;      ///< So many of each list stay.
    int32_t* longCount; ///< Of longLists.
    int32_t* partCount; ///< Of parts.
    int32_t* arrivals;  ///< Of blocks that wait for each other: of all, and of each group.
    Long* longLists;    ///< Those that are too long for one block.
    int32_t* parts;     ///< Of their sorted runs; of which of longLists each is.
    Key* keys;          ///< Of each list, first of all candidates, then of those that stay.
    Key* sorted;        ///< Of each long list.
    uint32_t* tiles;    ///< Of each group of blocks, what overlaps in a tile.

    constexpr int64_t count() const { return extents.pictures * ofPicture; }
    /// So many of a list stay, at most.
    constexpr int64_t most() const { return std::min(rules.perClass, rules.perPicture); }
    constexpr int64_t pictureOf(int64_t list) const { return list / ofPicture; }
    constexpr Keys coding() const { return {uint32_t(extents.boxes)}; }

    /// What the kernels expect to be zero: so many bytes from `found` on.
    size_t bytesToClear() const { return size_t(reinterpret_cast<char*>(longLists) - reinterpret_cast<char*>(found)); }
};

/// Blocks of the kernel for long lists, at most, and words of GpuLists::tiles for each group of them.
inline constexpr int64_t kMostBlocksOfLongLists = 256, kTileWords = 33 * 1024;

/// Keys in one of GpuLists::parts.
inline constexpr int kPartOfRun = 128;

/// Lists of no more candidates are for one block whatever their shapes are.
inline constexpr int64_t kSurelyShort = 256;

/// \param pieces of a workspace of as many bytes as gpuNmsWorkspace() says; those taken so far stay the caller's
GpuLists gpuLists(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces);

/// Bytes: 8 for each score, 16 where there can be long lists, and at most 35 MB for the rest.
/// Throws std::invalid_argument where a picture has more scores than there are numbers for them, or memory.
/// \param pieces what the caller takes before
size_t gpuNmsWorkspace(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces = {});

} // namespace tenon::plugins
