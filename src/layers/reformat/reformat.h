// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"
#include "graph/reformat.h"

namespace tenon {

/// The same tensor in another type, format or device: X labeled `from` → Y labeled `to`. plan/ inserts it on edges
/// whose ends disagree; it has no class in the public API.
struct Reformat final : LayerOf<Reformat> {
    static constexpr std::string_view kKind = kReformatKind;

    void fields(Fields&) override {} // the labels of its tensors are its parameters
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
