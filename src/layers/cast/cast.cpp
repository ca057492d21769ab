// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "base/cast_element.h"
#include "base/error.h"
#include "graph/elements.h"

namespace tenon {

namespace layers {
LayerEntry castLayer() { return entryOf<Cast>(); }
} // namespace layers

namespace {

bool holdsNumbersOf(DataType to, DataType from) {
    return to == DataType::Int64 || (to == DataType::Int32 && (isInteger(from) || from == DataType::Bool));
}

/// The values of small integer tensors in `to`: as they are, or whether they are not 0.
std::optional<Shape> castValues(Operand const& x, DataType to) {
    auto values = valuesIn(x);
    if (!values || holdsNumbersOf(to, x.type)) return values;
    if (to != DataType::Bool) return std::nullopt;
    for (DimExpr& value : *values)
        value = DimExpr::apply(DimExpr::Op::Equal, DimExpr::apply(DimExpr::Op::Equal, value, 0), 0);
    return values;
}

} // namespace

// X [any] → Y [the same]
std::vector<Result> Cast::infer(Operands const& in) const {
    in.expectCount(1, 1);
    for (DataType type : {in[0].type, to}) {
        if (!isComputed(type))
            fail(ErrorCode::Unsupported, "casts ", in[0].type, " to ", to, "; ", type,
                 " cannot be cast (dequantize it)");
    }
    return {{to, in[0].shape, castValues(in[0], to)}};
}

void Cast::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    dispatch(in[0].type, [&]<class From>(TypeTag<From>) {
        dispatch(out[0].type, [&]<class To>(TypeTag<To>) {
            auto const x = in[0].as<From>();
            auto const y = out[0].as<To>();
            for (size_t i = 0; i < x.size(); ++i) y[i] = castElement<From, To>(x[i]);
        });
    });
}

} // namespace tenon
