// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/fixed_extents.h"

#include <span>

namespace tenon {
namespace {

/// The shape of an input in which the extents that the profile fixes are constants.
Shape inputShapeIn(Profile const& profile, Tensor const& input) {
    Shape shape = input.shape;
    auto const range = profile.find(input.name);
    if (range == profile.end() || range->second.min.rank() != static_cast<int>(shape.size())) return shape;
    for (int axis = 0; axis < range->second.min.rank(); ++axis) {
        if (range->second.min[axis] == range->second.max[axis])
            shape[static_cast<size_t>(axis)] = range->second.min[axis];
    }
    return shape;
}

/// The value of each symbol of the inputs, if all of these profiles fix it to the same number; else nullopt.
using Symbols = std::map<std::string, std::optional<int64_t>>;

Symbols symbolsIn(std::span<Profile const> profiles, Graph const& graph) {
    Symbols symbols;
    for (Profile const& profile : profiles) {
        for (Tensor const* input : graph.inputs()) {
            Shape const fixed = inputShapeIn(profile, *input);
            for (size_t i = 0; i < fixed.size(); ++i) {
                if (input->shape[i].op() != DimExpr::Op::Symbol) continue;
                std::optional<int64_t> const extent =
                    fixed[i].isConstant() ? std::optional(fixed[i].constant()) : std::nullopt;
                auto const known = symbols.emplace(input->shape[i].name(), extent).first;
                if (known->second != extent) known->second.reset();
            }
        }
    }
    return symbols;
}

Shape replaced(Shape shape, Symbols const& symbols) {
    auto const valueOf = [&](std::string const& name) -> std::optional<DimExpr> {
        auto const found = symbols.find(name);
        return found == symbols.end() || !found->second ? std::nullopt : std::optional<DimExpr>(*found->second);
    };
    for (DimExpr& extent : shape) extent = extent.substitute(valueOf);
    return shape;
}

} // namespace

bool fixExtents(Graph& graph, std::vector<Profile> const& profiles) {
    Symbols const symbols = symbolsIn(profiles, graph);
    bool any = false;
    for (Tensor* input : graph.inputs()) {
        Shape fixed = replaced(input->shape, symbols);
        any = any || fixed != input->shape;
        input->shape = std::move(fixed);
    }
    return any;
}

Shape shapeIn(Profile const& profile, Graph const& graph, Tensor const& io) {
    if (isConstant(io.shape)) return io.shape;
    if (io.producer() == nullptr) return inputShapeIn(profile, io);
    return replaced(io.shape, symbolsIn({&profile, 1}, graph));
}

} // namespace tenon
