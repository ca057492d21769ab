// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// A new axis, along which one index has another value than all others. Indices [O,J] int32 or int64, values [2] of any
/// type (off, on), depth (one int32 or int64, not negative) → Y [O,depth,J] of the values' type. A negative index
/// counts from the end; if an index is out of range, all values are off.
struct OneHot final : LayerOf<OneHot> {
    static constexpr std::string_view kKind = "OneHot";

    enum Input { kIndices, kValues, kDepth };

    int64_t axis = -1; // of Y, the new one; negative: counted from the end

    void fields(Fields& f) override { f("axis", axis); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kDepth; }
};

} // namespace tenon
