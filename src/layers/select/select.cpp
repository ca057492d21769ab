// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/select/select.h"

#include "base/error.h"
#include "graph/elements.h"

namespace tenon {

namespace layers {
LayerEntry selectLayer() { return entryOf<Select>(); }
} // namespace layers

namespace {

int64_t offsetIn(HostTensor const& tensor, Dims const& index, Dims const& dims) {
    Dims const strides = broadcastStrides(tensor.dims, dims);
    int64_t offset = 0;
    for (int axis = 0; axis < index.rank(); ++axis) offset += index[axis] * strides[axis];
    return offset;
}

/// Booleans, but integers when movedValues() runs the reference.
bool isTrue(HostTensor const& condition, int64_t i) {
    return dispatch(condition.type,
                    [&]<class T>(TypeTag<T>) { return static_cast<T const*>(condition.data)[i] != T{}; });
}

} // namespace

// Condition [any], A [any], B [any] → Y [broadcast]
std::vector<Result> Select::infer(Operands const& in) const {
    in.expectCount(3, 3);
    if (in[0].type != DataType::Bool)
        fail(ErrorCode::InvalidArgument, "the condition, input 0, is ", in[0].type, "; expected bool (add a cast)");
    in.expectSameType(1, 2);
    elementBytes(in[1].type);
    Shape const shape = broadcast(in[0].shape, broadcast(in[1].shape, in[2].shape));
    return {{in[1].type, shape, movedValues(*this, in, {1, 2}, shape)}};
}

void Select::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = out[0].dims;
    Dims index = Dims::filled(dims.rank(), 0);
    for (int64_t i = 0; i < dims.volume(); ++i, nextIndex(index, dims)) {
        HostTensor const& chosen = in[isTrue(in[0], offsetIn(in[0], index, dims)) ? 1 : 2];
        copyElement(chosen, offsetIn(chosen, index, dims), out[0], i);
    }
}

} // namespace tenon
