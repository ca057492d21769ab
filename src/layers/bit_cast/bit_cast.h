// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Reinterprets the bits of elements as another type of the same width, not bool. X [any] → Y [the same].
struct BitCast final : LayerOf<BitCast> {
    static constexpr std::string_view kKind = "BitCast";

    DataType to = DataType::Float32;

    void fields(Fields& f) override { f("to", to); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
