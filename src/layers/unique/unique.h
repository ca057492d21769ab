// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The unique slices of X along an axis, or its unique elements. X [any shape], any type with arithmetic → Y, X with n
/// slices ([n] without an axis); for each of them, int64: firsts [n], its first index in X; counts [n]; for each slice
/// of X: places [extent of the axis, or elements of X], its index in Y; and n, a scalar. In rising order (of slices:
/// the first different element decides; NaN is equal to NaN and greater than all numbers), or in their order in X.
struct Unique final : LayerOf<Unique> {
    static constexpr std::string_view kKind = "Unique";

    enum Outputs { kY, kFirsts, kPlaces, kCounts, kNumber };

    bool hasAxis = false;
    int64_t axis = 0; // negative: counted from the end
    bool sorted = true;

    void fields(Fields& f) override {
        f("hasAxis", hasAxis);
        f("axis", axis);
        f("sorted", sorted);
    }
    std::vector<Result> infer(Operands const& in) const override;
    std::vector<SizeTensor> sizes(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// X as [outer, slices, inner].
struct UniqueSlices {
    int64_t outer = 1;
    int64_t count = 0;
    int64_t inner = 1;

    UniqueSlices(Unique const& layer, Dims const& x);
    constexpr int64_t at(int64_t o, int64_t slice, int64_t i) const { return (o * count + slice) * inner + i; }
};

} // namespace tenon
