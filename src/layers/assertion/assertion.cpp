// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/assertion/assertion.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>

namespace tenon {

namespace layers {
LayerEntry assertionLayer() { return entryOf<Assertion>(); }
} // namespace layers

namespace {

bool isSurelyFalse(Operand const& condition) {
    if (condition.literal) return std::ranges::count(condition.literal->as<bool>(), false) != 0;
    auto const values = valuesIn(condition);
    return values && std::ranges::any_of(*values, [](DimExpr const& value) { return value.constantOr(1) == 0; });
}

std::string found(Operands const& in) {
    auto const values = in.has(1) ? valuesIn(in[1]) : std::nullopt;
    if (!values) return {};
    return values->size() == 1 ? text("; found ", values->front()) : text("; found ", *values);
}

} // namespace

// condition [any], found [any]? →
std::vector<Result> Assertion::infer(Operands const& in) const {
    in.expectCount(1, 2);
    if (in.has(1)) in.expectInteger(1);
    if (in[0].type != DataType::Bool)
        fail(ErrorCode::InvalidArgument, in.nameOf(0), " is ", in[0].type,
             "; expected bool (add a comparison or a cast)");
    if (isSurelyFalse(in[0])) fail(ErrorCode::InvalidArgument, "does not hold: ", message, found(in));
    return {};
}

/// infer() does all checks; it is called wherever shapes are inferred.
void Assertion::reference(std::span<HostTensor const> /*in*/, std::span<HostTensor const> /*out*/) const {}

} // namespace tenon
