// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Y [rank of X, n]: the coordinates of the n elements of X that are not zero, in row-major order, one row for each
/// axis; and n, a scalar. X [any shape, also rank 0: Y is then 0×1 or 0×0], any type with arithmetic; NaN is not zero.
/// n is known only after the run, at most the number of elements of X, which must fit int32 if indices are of that
/// type.
struct NonZero final : LayerOf<NonZero> {
    static constexpr std::string_view kKind = "NonZero";

    DataType indices = DataType::Int64; // of both outputs: int32 or int64

    void fields(Fields& f) override { f("indices", indices); }
    std::vector<Result> infer(Operands const& in) const override;
    std::vector<SizeTensor> sizes(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
