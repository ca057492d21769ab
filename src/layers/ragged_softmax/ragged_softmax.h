// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Softmax over the first elements of each row, whose number is the row's bound; 0 after them. X […,S] floating point,
/// bounds […,1] int32, 0 to S each → Y […,S].
struct RaggedSoftmax final : LayerOf<RaggedSoftmax> {
    static constexpr std::string_view kKind = "RaggedSoftmax";
    enum Input { kX, kBounds };

    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

/// Throws an Error for a bound outside of [0, length].
void checkBounds(std::span<int32_t const> bounds, int64_t length);

} // namespace tenon
