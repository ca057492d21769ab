// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "base/cast_element.h"
#include "base/small_types.h"
#include "graph/elements.h"

namespace tenon {

namespace layers {
LayerEntry castLayer() { return entryOf<Cast>(); }
} // namespace layers

namespace {

bool holdsNumbersOf(DataType to, DataType from) {
    return to == DataType::Int64 || (to == DataType::Int32 && (isInteger(from) || from == DataType::Bool));
}

/// The values of small integer tensors in `to`: unchanged, or for bool whether they are not 0.
std::optional<Shape> castValues(Operand const& x, DataType to) {
    auto values = valuesIn(x);
    if (!values) return values;
    if (holdsNumbersOf(to, x.type)) {
        for (DimExpr& value : *values) // like elements that are out of range
            if (to == DataType::Int32 && value.isConstant()) value = castElement<int64_t, int32_t>(value.constant());
        return values;
    }
    if (to != DataType::Bool) return std::nullopt;
    for (DimExpr& value : *values)
        value = DimExpr::apply(DimExpr::Op::Equal, DimExpr::apply(DimExpr::Op::Equal, value, 0), 0);
    return values;
}

} // namespace

// X [any] → Y [the same]
std::vector<Result> Cast::infer(Operands const& in) const {
    in.expectCount(1, 1);
    return {{to, in[0].shape, castValues(in[0], to)}};
}

void castElements(DataType from, void const* x, DataType to, void* y, int64_t begin, int64_t end) {
    auto const castEach = [&](auto const& load) {
        using From = decltype(load(begin));
        if (isSmall(to)) {
            for (int64_t i = begin; i < end; ++i) putSmall(to, y, i, smallBits(to, load(i)));
            return;
        }
        dispatch(to, [&]<class To>(TypeTag<To>) {
            for (int64_t i = begin; i < end; ++i) static_cast<To*>(y)[i] = castElement<From, To>(load(i));
        });
    };
    if (from == DataType::Int4)
        return castEach([&](int64_t i) { return static_cast<int32_t>(smallElement(from, x, i)); });
    if (isSmall(from)) return castEach([&](int64_t i) { return smallElement(from, x, i); });
    dispatch(from,
             [&]<class From>(TypeTag<From>) { castEach([&](int64_t i) { return static_cast<From const*>(x)[i]; }); });
}

void Cast::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    castElements(in[0].type, in[0].data, out[0].type, out[0].data, 0, in[0].dims.volume());
}

} // namespace tenon
