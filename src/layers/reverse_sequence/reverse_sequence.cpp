// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reverse_sequence/reverse_sequence.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>

namespace tenon {

namespace layers {
LayerEntry reverseSequenceLayer() { return entryOf<ReverseSequence>(); }
} // namespace layers

void failOnLength(int64_t length, int64_t sequence, int64_t steps) {
    fail(ErrorCode::InvalidArgument, "sequence ", sequence, " has length ", length, "; expected 0 to ", steps,
         ", the extent of the reversed axis");
}

SequenceSpace::SequenceSpace(ReverseSequence const& layer, Dims const& x) {
    int const batch = resolveAxis(layer.batchAxis, x.rank());
    int const sequence = resolveAxis(layer.sequenceAxis, x.rank());
    batchFirst = batch < sequence;
    int const low = std::min(batch, sequence);
    int const high = std::max(batch, sequence);
    first = x[low];
    between = x.volume(low + 1, high);
    second = x[high];
    inner = x.volume(high + 1, x.rank());
    blocks = x.volume(0, high + 1);
}

// X [d0,…,dn], lengths [N] → Y [d0,…,dn]
std::vector<Result> ReverseSequence::infer(Operands const& in) const {
    in.expectCount(2, 2).expectRank(0, 2, Dims::kMaxRank).expectInteger(1).expectRank(1, 1, 1);
    elementBytes(in[0].type);
    int const batch = resolveAxis(batchAxis, in.rank(0));
    if (batch == resolveAxis(sequenceAxis, in.rank(0)))
        fail(ErrorCode::InvalidArgument, "axis ", batch, " is both the batch axis and the sequence axis");
    DimExpr const& sequences = in[0].shape[static_cast<size_t>(batch)];
    DimExpr const& lengths = in[1].shape[0];
    if (sequences.constantOr(lengths.constantOr(0)) != lengths.constantOr(sequences.constantOr(0)))
        fail(ErrorCode::InvalidArgument, "lengths has shape ", in[1].shape, "; expected one for each of the ",
             sequences, " sequences of ", in[0].shape, ", along axis ", batch);
    return {{in[0].type, in[0].shape}};
}

void ReverseSequence::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = in[0].dims;
    int const batch = resolveAxis(batchAxis, dims.rank());
    int const sequence = resolveAxis(sequenceAxis, dims.rank());
    auto const lengths = integersIn(in[1]);
    for (size_t n = 0; n < lengths.size(); ++n) {
        if (lengths[n] < 0 || lengths[n] > dims[sequence])
            failOnLength(lengths[n], static_cast<int64_t>(n), dims[sequence]);
    }
    Dims const strides = rowMajorStrides(dims);
    Dims index = Dims::filled(dims.rank(), 0);
    for (int64_t to = 0; to < dims.volume(); ++to, nextIndex(index, dims)) {
        int64_t const length = lengths[static_cast<size_t>(index[batch])];
        int64_t const step = index[sequence];
        int64_t const moved = step < length ? length - 1 - step - step : 0;
        copyElement(in[0], to + moved * strides[sequence], out[0], to);
    }
}

} // namespace tenon
