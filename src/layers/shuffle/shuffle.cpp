// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry shuffleLayer() { return entryOf<Shuffle>(); }
} // namespace layers

namespace {

void checkPermutation(std::vector<int64_t> const& permutation, size_t rank) {
    if (permutation.empty()) return;
    std::vector<int64_t> sorted = permutation;
    std::ranges::sort(sorted);
    bool valid = sorted.size() == rank;
    for (size_t i = 0; valid && i < rank; ++i) valid = sorted[i] == static_cast<int64_t>(i);
    if (!valid)
        fail(ErrorCode::InvalidArgument, "permutation [", joined(permutation, ","), "] of a tensor of rank ", rank,
             "; expected each axis from 0 to ", static_cast<int64_t>(rank) - 1, " once");
}

/// `wanted` with each placeholder replaced by its extent of `from`.
Shape withoutPlaceholders(Shape wanted, Shape const& from, bool zeroIsPlaceholder) {
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
        if (!wanted[axis].isConstant() || wanted[axis].constant() > 0) continue;
        if (wanted[axis].constant() < -1)
            fail(ErrorCode::InvalidArgument, "a shape cannot have the extent ", wanted[axis], " (axis ", axis, ')');
        if (wanted[axis].constant() == -1 || !zeroIsPlaceholder) continue;
        if (axis >= from.size())
            fail(ErrorCode::InvalidArgument, "the 0 at axis ", axis, " refers to an axis that shape ", from,
                 " does not have");
        wanted[axis] = from[axis];
    }
    return wanted;
}

Shape reshaped(Shape const& from, Shape const& wanted, bool zeroIsPlaceholder) {
    Shape to = withoutPlaceholders(wanted, from, zeroIsPlaceholder);
    auto const isRest = [](DimExpr const& extent) { return extent == DimExpr(-1); };
    auto const rest = std::ranges::find_if(to, isRest);
    if (std::ranges::count_if(to, isRest) > 1)
        fail(ErrorCode::InvalidArgument, "shape ", wanted, " has more than one -1");
    if (rest != to.end()) {
        *rest = 1;
        DimExpr const others = volume(to);
        if (others == DimExpr(0))
            fail(ErrorCode::InvalidArgument, "the -1 in shape ", wanted, " is ambiguous with an extent of 0");
        *rest = divideExactly(from, to);
    }
    if (isConstant(from) && isConstant(to) && toDims(from).volume() != toDims(to).volume())
        fail(ErrorCode::InvalidArgument, "shape ", from, " has ", toDims(from).volume(),
             " elements and cannot be reshaped to ", wanted);
    return to;
}

void transpose(HostTensor const& from, std::vector<int64_t> const& permutation, HostTensor const& to) {
    if (to.dims.volume() == 0) return;
    Dims const strides = permuted(rowMajorStrides(from.dims), permutation);
    Dims index = Dims::filled(to.dims.rank(), 0);
    int64_t at = 0;
    do {
        int64_t source = 0;
        for (int axis = 0; axis < index.rank(); ++axis) source += index[axis] * strides[axis];
        copyElement(from, source, to, at++);
    } while (nextIndex(index, to.dims));
}

} // namespace

Shuffle Shuffle::transposing(std::vector<int64_t> permutation) {
    Shuffle layer;
    layer.firstTranspose = std::move(permutation);
    return layer;
}

Shuffle Shuffle::reshaping(std::vector<int64_t> extents) {
    Shuffle layer;
    layer.reshapes = true;
    layer.reshape = std::move(extents);
    return layer;
}

Shuffle Shuffle::reshapingToInput(std::vector<int64_t> secondTranspose) {
    Shuffle layer;
    layer.zeroIsPlaceholder = false;
    layer.secondTranspose = std::move(secondTranspose);
    return layer;
}

Dims beforeTranspose(Dims const& transposed, std::vector<int64_t> const& permutation) {
    Dims before = transposed;
    for (size_t i = 0; i < permutation.size(); ++i)
        before[static_cast<int>(permutation[i])] = transposed[static_cast<int>(i)];
    return before;
}

// X [any shape], shape? [n] → Y [n axes]
std::vector<Result> Shuffle::infer(Operands const& in) const {
    in.expectCount(1, 2);
    elementBytes(in[0].type);
    checkPermutation(firstTranspose, in[0].shape.size());
    Shape shape = permuted(in[0].shape, firstTranspose);
    if (in.has(1)) {
        in.expectInteger(1).expectRank(1, 1, 1);
        shape = reshaped(shape, in.valuesOf(1, "shape"), zeroIsPlaceholder);
    } else if (reshapes) {
        shape = reshaped(shape, {reshape.begin(), reshape.end()}, zeroIsPlaceholder);
    }
    checkPermutation(secondTranspose, shape.size());
    shape = permuted(shape, secondTranspose);
    return {{in[0].type, shape, movedValues(*this, in, {0}, shape)}};
}

void Shuffle::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    HostTensor const& x = in[0];
    auto const memory = allocateHost(x.bytes());
    transpose(x, firstTranspose, {x.type, permuted(x.dims, firstTranspose), memory.get()});
    transpose({x.type, beforeTranspose(out[0].dims, secondTranspose), memory.get()}, secondTranspose, out[0]);
}

MovedInputs Shuffle::moved(Operands const& /*in*/) const {
    return {.count = 1, .inOrder = std::ranges::is_sorted(firstTranspose) && std::ranges::is_sorted(secondTranspose)};
}

} // namespace tenon
