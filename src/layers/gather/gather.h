// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Gathers elements, rows or blocks of X by index; any element type. X [any shape], indices [any shape] int32 or int64
/// → Y. With b = elementWiseDims leading axes that X and the indices have in common:
///   Default  Y = X[:axis] + indices[b:] + X[axis+1:]    Y[o,i,j] = X[o, indices[i], j]
///   Element  Y = indices                                 Y[o,i,j] = X[o, indices[o,i,j], j], b = 0
///   ND       Y = indices[:-1] + X[b+k:]                  k, the last extent of the indices, numbers form one index
/// A negative index counts from the end; one out of range is an Error at run time.
struct Gather final : LayerOf<Gather> {
    static constexpr std::string_view kKind = "Gather";

    enum class Mode { Default, Element, ND };

    Mode mode = Mode::Default;
    int64_t axis = 0; // not for ND; negative: counted from the end
    int64_t elementWiseDims = 0;

    void fields(Fields& f) override {
        f("mode", mode);
        f("axis", axis);
        f("elementWiseDims", elementWiseDims);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

std::span<std::string_view const> names(Gather::Mode);

[[noreturn]] void failOnIndex(int64_t index, int64_t extent, int axis);

} // namespace tenon
