// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// X with some elements or blocks replaced by updates, or combined with them; the reverse of Gather. X [any shape],
/// indices [any shape] int32 or int64, updates → Y [X].
///   Element  updates [indices]                      Y[o, indices[o,i,j], j] = updates[o,i,j]
///   ND       updates = indices[:-1] + X[k:]         k, the last extent of the indices, numbers form one index
/// Updates are of X's type, any; combining requires arithmetic. With equal indices, the last update stays, or all of
/// them are combined one after the other. (On a GPU the order is not defined: with equal indices any one update stays,
/// in a block possibly different updates for different elements.) A negative index counts from the end; one out of
/// range is an Error at run time; on a GPU its update is skipped.
struct Scatter final : LayerOf<Scatter> {
    static constexpr std::string_view kKind = "Scatter";

    enum class Mode { Element, ND };
    enum class Reduction { None, Add, Mul, Min, Max }; // None: the update replaces the element
    enum Input { kX, kIndices, kUpdates };

    Mode mode = Mode::Element;
    int64_t axis = 0; // not for ND; negative: counted from the end
    Reduction reduction = Reduction::None;

    void fields(Fields& f) override {
        f("mode", mode);
        f("axis", axis);
        f("reduction", reduction);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

std::span<std::string_view const> names(Scatter::Mode);
std::span<std::string_view const> names(Scatter::Reduction);

/// Combines an element and an update, on every device; 16-bit floats are combined in float32 and rounded each time,
/// narrow integers wrap around. NaN is propagated.
constexpr float combined(Scatter::Reduction reduction, float element, float update) {
    switch (reduction) {
    case Scatter::Reduction::Add: return element + update;
    case Scatter::Reduction::Mul: return element * update;
    case Scatter::Reduction::Min: return update < element || update != update ? update : element;
    case Scatter::Reduction::Max: return update > element || update != update ? update : element;
    case Scatter::Reduction::None: break;
    }
    return update;
}
constexpr int64_t combined(Scatter::Reduction reduction, int64_t element, int64_t update) {
    auto const a = static_cast<uint64_t>(element); // wraps around
    auto const b = static_cast<uint64_t>(update);
    switch (reduction) {
    case Scatter::Reduction::Add: return static_cast<int64_t>(a + b);
    case Scatter::Reduction::Mul: return static_cast<int64_t>(a * b);
    case Scatter::Reduction::Min: return update < element ? update : element;
    case Scatter::Reduction::Max: return update > element ? update : element;
    case Scatter::Reduction::None: break;
    }
    return update;
}

} // namespace tenon
