// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/strided_copy.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

constexpr int64_t kPieceBytes = 32768; // about 4 µs of copying

constexpr int64_t kShortRun = 64; // bytes that take less time than calling memcpy

constexpr int64_t kSquare = 8; // a multiple of the sides of squares that are transposed at once

void removeAxis(Dims& dims, int axis) {
    Dims rest;
    for (int i = 0; i < dims.rank(); ++i) {
        if (i != axis) rest.push(dims[i]);
    }
    dims = rest;
}

template <class T> void copyElements(void const* from, int64_t fromStride, void* to, int64_t toStride, int64_t count) {
    using At = Unaligned<T>;
    auto const* source = static_cast<At const*>(from);
    auto* target = static_cast<At*>(to);
    if (fromStride == 0 && toStride == 1) {
        T const value = source->value;
        for (int64_t i = 0; i < count; ++i) target[i].value = value;
    } else if (toStride == 1) {
        for (int64_t i = 0; i < count; ++i) target[i].value = source[i * fromStride].value;
    } else {
        for (int64_t i = 0; i < count; ++i) target[i * toStride].value = source[i * fromStride].value;
    }
}

struct Bytes32 {
    Bytes16 low, high;
};

/// Separate runs of equal length.
struct ShortRuns {
    std::byte const* from;
    int64_t fromStride;
    std::byte* to;
    int64_t toStride;
    int64_t count;
    int64_t bytes;
};

/// Copies each run as its first and its last half, which overlap unless they make up the run.
template <class Half> void copyRuns(ShortRuns const& runs) {
    auto const last = runs.bytes - static_cast<int64_t>(sizeof(Half));
    std::byte const* from = runs.from;
    std::byte* to = runs.to;
    for (int64_t i = 0; i < runs.count; ++i, from += runs.fromStride, to += runs.toStride) {
        Half first;
        Half second;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&second, from + last, sizeof second);
        std::memcpy(to, &first, sizeof first);
        std::memcpy(to + last, &second, sizeof second);
    }
}

void copyShortRuns(ShortRuns const& runs) {
    if (runs.bytes >= 32) return copyRuns<Bytes32>(runs);
    if (runs.bytes >= 16) return copyRuns<Bytes16>(runs);
    if (runs.bytes >= 8) return copyRuns<uint64_t>(runs);
    if (runs.bytes >= 4) return copyRuns<uint32_t>(runs);
    return runs.bytes >= 2 ? copyRuns<uint16_t>(runs) : copyRuns<uint8_t>(runs);
}

} // namespace

/// A piece of work: its start, in elements, and its extent along the axis that is cut into pieces.
struct StridedCopy::Piece {
    int64_t from, to, count;
};

StridedCopy::StridedCopy(Dims const& extents, Dims const& from, Dims const& to, size_t elementBytes)
    : extents_(extents), from_(from), to_(to), bytes_(static_cast<int64_t>(elementBytes)) {
    sortAndMerge();
    widen();
    chooseInner();
}

void StridedCopy::drop(int axis) {
    removeAxis(extents_, axis);
    removeAxis(from_, axis);
    removeAxis(to_, axis);
}

void StridedCopy::sortAndMerge() {
    for (int axis = rank() - 1; axis >= 0; --axis) {
        if (extents_[axis] == 1) drop(axis);
    }
    for (int i = 1; i < rank(); ++i) { // sorted by the strides of the target, so that it is written sequentially
        for (int j = i; j > 0 && to_[j - 1] < to_[j]; --j) {
            std::swap(extents_[j - 1], extents_[j]);
            std::swap(from_[j - 1], from_[j]);
            std::swap(to_[j - 1], to_[j]);
        }
    }
    for (int axis = rank() - 2; axis >= 0; --axis) {
        int64_t const next = extents_[axis + 1];
        if (to_[axis] != to_[axis + 1] * next || from_[axis] != from_[axis + 1] * next) continue;
        extents_[axis + 1] *= extents_[axis];
        drop(axis);
    }
    if (rank() == 0) extents_ = from_ = to_ = {1};
}

/// A short innermost run becomes one wider element, if all strides stay multiples of it.
void StridedCopy::widen() {
    int const last = rank() - 1;
    int64_t const run = extents_[last];
    int64_t const wide = run * bytes_;
    if (last == 0 || from_[last] != 1 || to_[last] != 1 || (wide != 2 && wide != 4 && wide != 8 && wide != 16)) return;
    for (int axis = 0; axis < last; ++axis) {
        if (from_[axis] % run != 0 || to_[axis] % run != 0) return;
    }
    drop(last);
    for (int axis = 0; axis < last; ++axis) from_[axis] /= run, to_[axis] /= run;
    bytes_ = wide;
}

void StridedCopy::chooseInner() {
    int const last = rank() - 1;
    int axis = last; // that is cut into pieces
    inner_ = from_[last] == 1 && to_[last] == 1 ? Inner::Run : Inner::Elements;
    if (inner_ == Inner::Elements && to_[last] == 1) {
        int const contiguous = static_cast<int>(std::ranges::find(from_.span(), 1) - from_.span().begin());
        if (contiguous < last && transposeFor(static_cast<size_t>(bytes_))) {
            inner_ = Inner::Transpose;
            transpose_ = transposeFor(static_cast<size_t>(bytes_));
            axis = last - 1;
            for (int i = contiguous; i < axis; ++i) { // move the two axes that are transposed to the end
                std::swap(extents_[i], extents_[i + 1]);
                std::swap(from_[i], from_[i + 1]);
                std::swap(to_[i], to_[i + 1]);
            }
        }
    }
    if (inner_ == Inner::Run && last > 0 && extents_[last] * bytes_ <= kShortRun) {
        inner_ = Inner::ShortRuns;
        axis = last - 1;
    }
    outer_ = axis;
    int64_t const whole = extents_.volume(axis, rank()) * bytes_;
    int64_t const wanted = std::max<int64_t>(1, std::min(extents_[axis], whole / kPieceBytes));
    chunk_ = std::max<int64_t>(1, (extents_[axis] + wanted - 1) / wanted);
    if (inner_ == Inner::Transpose) chunk_ = (chunk_ + kSquare - 1) / kSquare * kSquare;
    chunks_ = (extents_[axis] + chunk_ - 1) / chunk_;
}

void StridedCopy::copyPiece(std::byte const* from, std::byte* to, Piece const& piece) const {
    int const last = rank() - 1;
    std::byte const* source = from + piece.from * bytes_;
    std::byte* target = to + piece.to * bytes_;
    if (inner_ == Inner::Run) {
        std::memcpy(target, source, static_cast<size_t>(piece.count * bytes_));
        return;
    }
    if (inner_ == Inner::ShortRuns)
        return copyShortRuns(
            {source, from_[last - 1] * bytes_, target, to_[last - 1] * bytes_, piece.count, extents_[last] * bytes_});
    if (inner_ == Inner::Transpose)
        return transpose_({source, from_[last], extents_[last], piece.count}, target, to_[last - 1]);
    switch (bytes_) {
    case 1: return copyElements<uint8_t>(source, from_[last], target, to_[last], piece.count);
    case 2: return copyElements<uint16_t>(source, from_[last], target, to_[last], piece.count);
    case 4: return copyElements<uint32_t>(source, from_[last], target, to_[last], piece.count);
    case 8: return copyElements<uint64_t>(source, from_[last], target, to_[last], piece.count);
    case 16: return copyElements<Bytes16>(source, from_[last], target, to_[last], piece.count);
    }
    for (int64_t i = 0; i < piece.count; ++i)
        std::memcpy(target + i * to_[last] * bytes_, source + i * from_[last] * bytes_, static_cast<size_t>(bytes_));
}

void StridedCopy::copyPieces(std::byte const* from, std::byte* to, int64_t begin, int64_t end) const {
    Dims index = Dims::filled(outer_, 0);
    Piece start{0, 0, 0};
    for (int64_t rest = begin / chunks_, axis = outer_ - 1; axis >= 0; --axis) {
        int const at = static_cast<int>(axis);
        index[at] = rest % extents_[at];
        rest /= extents_[at];
        start.from += index[at] * from_[at];
        start.to += index[at] * to_[at];
    }
    int64_t chunk = begin % chunks_;
    for (int64_t piece = begin; piece < end; ++piece) {
        int64_t const first = chunk * chunk_;
        copyPiece(from, to,
                  {start.from + first * from_[outer_], start.to + first * to_[outer_],
                   std::min(chunk_, extents_[outer_] - first)});
        if (++chunk < chunks_) continue;
        chunk = 0;
        for (int axis = outer_ - 1; axis >= 0; --axis) {
            start.from += from_[axis];
            start.to += to_[axis];
            if (++index[axis] < extents_[axis]) break;
            start.from -= index[axis] * from_[axis];
            start.to -= index[axis] * to_[axis];
            index[axis] = 0;
        }
    }
}

void StridedCopy::run(void const* from, void* to) const {
    int64_t const all = extents_.volume();
    if (all == 0) return;
    int64_t const pieces = extents_.volume(0, outer_) * chunks_;
    int64_t const grain = std::max<int64_t>(1, kCopyGrain * pieces / (all * bytes_));
    parallelFor(pieces, grain, [&](int64_t begin, int64_t end) {
        copyPieces(static_cast<std::byte const*>(from), static_cast<std::byte*>(to), begin, end);
    });
}

} // namespace tenon::cpu
