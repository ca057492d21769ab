// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cumulative/cumulative.h"

#include "graph/elements.h"

#include <array>
#include <type_traits>

namespace tenon {

namespace layers {
LayerEntry cumulativeLayer() { return entryOf<Cumulative>(); }
} // namespace layers

std::span<std::string_view const> names(Cumulative::Operation) {
    static constexpr std::array<std::string_view, 2> all{"Sum", "Prod"};
    return all;
}

namespace {

template <class T> void accumulate(Cumulative const& layer, CumulativeSpace const& space, T const* x, T* y) {
    using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    bool const isProduct = layer.operation == Cumulative::Operation::Prod;
    for (int64_t line = 0; line < space.outer * space.inner; ++line) {
        int64_t const first = line / space.inner * space.length * space.inner + line % space.inner;
        Sum all = isProduct ? 1 : 0;
        for (int64_t i = 0; i < space.length; ++i) {
            int64_t const at = first + (layer.reverse ? space.length - 1 - i : i) * space.inner;
            if (layer.exclusive) y[at] = static_cast<T>(all);
            all = isProduct ? all * static_cast<Sum>(x[at]) : all + static_cast<Sum>(x[at]);
            if (!layer.exclusive) y[at] = static_cast<T>(all);
        }
    }
}

} // namespace

CumulativeSpace::CumulativeSpace(Dims const& x, HostTensor const& axis) {
    int const along = resolveAxis(integersIn(axis).at(0), x.rank());
    outer = x.volume(0, along);
    length = x[along];
    inner = x.volume(along + 1, x.rank());
}

std::string Cumulative::inputName(int input) const { return input == kAxis ? "axis" : Layer::inputName(input); }

// X [d0,…,dn], axis → Y [d0,…,dn]
std::vector<Result> Cumulative::infer(Operands const& in) const {
    in.expectCount(2, 2)
        .expectNumbers(kX)
        .expectRank(kX, 1, Dims::kMaxRank)
        .expectInteger(kAxis)
        .expectOneElement(kAxis);
    if (auto const axis = valuesIn(in[kAxis]); axis && isConstant(*axis))
        resolveAxis((*axis)[0].constant(), in.rank(kX));
    return {{in[kX].type, in[kX].shape}};
}

void Cumulative::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    CumulativeSpace const space(in[kX].dims, in[kAxis]);
    if (out[0].dims.volume() == 0) return;
    dispatch(in[kX].type,
             [&]<class T>(TypeTag<T>) { accumulate(*this, space, in[kX].as<T>().data(), out[0].as<T>().data()); });
}

} // namespace tenon
