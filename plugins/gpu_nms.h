// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The data of a suppression on a GPU; the kernels are in nms.cuh.
#pragma once

#include "gpu.h"
#include "nms.h"

namespace tenon::plugins {

/// The extents of a suppression.
struct NmsExtents {
    /// \param scores [B,N,C] or [B,N,C,1]
    static NmsExtents of(nvinfer1::Dims const& scores) { return {scores.d[0], scores.d[2], scores.d[1]}; }

    int64_t pictures, classes;
    int64_t boxes; ///< Of each class.
};

/// The lists of candidates, in the workspace. There is a list for each class of each image, or one for each image if
/// classes compete.
struct GpuLists {
    using Key = Keys::Key;

    struct Long {
        int32_t list, found;
        int32_t firstPart; ///< In parts.
    };

    NmsExtents extents;
    int64_t ofPicture; ///< Lists of an image.
    int64_t room;      ///< Capacity of each list.
    NmsRules rules;

    int32_t* found;     ///< The number of candidates of each list.
    int32_t* kept;      ///< The number of kept candidates of each list.
    int32_t* longCount; ///< Of longLists.
    int32_t* partCount; ///< Of parts.
    int32_t* arrivals;  ///< Of blocks that synchronize: of all, and of each group.
    Long* longLists;    ///< Those that are too long for one block.
    int32_t* parts;     ///< Of their sorted runs; the index into longLists of each.
    Key* keys;          ///< Of each list, first of all candidates, then of those kept.
    Key* sorted;        ///< Of each long list.
    uint32_t* tiles;    ///< For each group of blocks, the overlaps within a tile.

    constexpr int64_t count() const { return extents.pictures * ofPicture; }
    /// The maximum number kept of a list.
    constexpr int64_t most() const { return std::min(rules.perClass, rules.perPicture); }
    constexpr int64_t pictureOf(int64_t list) const { return list / ofPicture; }
    constexpr Keys coding() const { return {uint32_t(extents.boxes)}; }

    /// Counters that the kernels expect to be zero: this many bytes from `found` on.
    size_t bytesToClear() const { return size_t(reinterpret_cast<char*>(longLists) - reinterpret_cast<char*>(found)); }
};

/// The maximum number of blocks of the kernel for long lists, and words of GpuLists::tiles for each group of them.
inline constexpr int64_t kMostBlocksOfLongLists = 256, kTileWords = 33 * 1024;

/// Keys in one of GpuLists::parts.
inline constexpr int kPartOfRun = 128;

/// Lists of at most this many candidates fit in one block, whatever their shapes.
inline constexpr int64_t kSurelyShort = 256;

/// \param pieces of a workspace of gpuNmsWorkspace() bytes; the pieces allocated so far remain the caller's
GpuLists gpuLists(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces);

/// Bytes: 8 for each score, 16 if long lists are possible, and at most 35 MB for the rest.
/// Throws std::invalid_argument if an image has more scores than indices or memory allow.
/// \param pieces allocated by the caller before
size_t gpuNmsWorkspace(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces = {});

} // namespace tenon::plugins
