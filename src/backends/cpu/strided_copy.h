// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/transpose.h"
#include "base/dims.h"

namespace tenon::cpu {

/// Copies elements of any size between two strided arrangements: to[i · toStrides] = from[i · fromStrides] for every
/// index i below `extents`. Contiguous elements stay together: axes are merged, runs are copied whole, and if the
/// innermost axes are swapped, squares are transposed. Strides are in elements; those of `to` are positive.
class StridedCopy {
public:
    StridedCopy() = default;
    StridedCopy(Dims const& extents, Dims const& from, Dims const& to, size_t elementBytes);

    /// Uses the threads of parallelFor; allocates nothing.
    void run(void const* from, void* to) const;
    bool isOneRun() const { return rank() == 1 && inner_ == Inner::Run; }

private:
    enum class Inner { Run, ShortRuns, Transpose, Elements };
    struct Piece;

    int rank() const { return extents_.rank(); }
    void drop(int axis);
    void sortAndMerge();
    void widen();
    void chooseInner();
    void copyPieces(std::byte const* from, std::byte* to, int64_t begin, int64_t end) const;
    void copyPiece(std::byte const* from, std::byte* to, Piece const& piece) const;

    Dims extents_;
    Dims from_;
    Dims to_;
    int64_t bytes_ = 1;
    Inner inner_ = Inner::Run;
    Transpose transpose_ = nullptr;
    int64_t chunk_ = 1; // elements along the axis before the last (ShortRuns, Transpose) or the last: one piece of work
    int64_t chunks_ = 1; // pieces along that axis
    int outer_ = 0;      // axes before the innermost one or two
};

} // namespace tenon::cpu
