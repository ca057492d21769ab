// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/top_k/top_k.h"

#include "base/error.h"
#include "base/tensor_size.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tenon {

namespace layers {
LayerEntry topKLayer() { return entryOf<TopK>(); }
} // namespace layers

std::span<std::string_view const> names(TopK::Operation) {
    static constexpr std::array<std::string_view, 2> all{"Max", "Min"};
    return all;
}

namespace {

/// Whether a comes before b, for elements at different places.
template <class T> bool isBetter(TopK const& layer, T a, T b) {
    bool const max = layer.operation == TopK::Operation::Max;
    if (a != a || b != b) { // NaN
        bool const best = max || layer.nanFirst;
        return best ? a != a && b == b : a == a && b != b;
    }
    return max ? b < a : a < b;
}

// X [O,n,J] → values [O,k,J], indices [O,k,J]
template <class T> void select(TopK const& layer, HostTensor const& x, std::span<HostTensor const> out) {
    int const axis = resolveAxis(layer.axis, x.dims.rank());
    int64_t const inner = x.dims.volume(axis + 1, x.dims.rank());
    int64_t const n = x.dims[axis];
    int64_t const k = out[0].dims[axis];
    auto const elements = x.as<T>();
    std::vector<size_t> places(static_cast<size_t>(n));
    for (int64_t row = 0; row < x.dims.volume(0, axis) * inner; ++row) {
        auto const at = [&](size_t place) {
            int64_t const i = (row / inner * n + static_cast<int64_t>(place)) * inner + row % inner;
            return elements[static_cast<size_t>(i)];
        };
        std::iota(places.begin(), places.end(), size_t{0});
        if (layer.lastFirst) std::ranges::reverse(places);
        std::ranges::stable_sort(places, [&](size_t a, size_t b) {
            if constexpr (std::is_integral_v<T>)
                return isBetter(layer, at(a), at(b));
            else
                return isBetter(layer, static_cast<float>(at(a)), static_cast<float>(at(b)));
        });
        for (int64_t i = 0; i < k; ++i) {
            auto const to = static_cast<size_t>((row / inner * k + i) * inner + row % inner);
            size_t const place = places[static_cast<size_t>(i)];
            out[0].as<T>()[to] = at(place);
            if (out[1].type == DataType::Int64)
                out[1].as<int64_t>()[to] = static_cast<int64_t>(place);
            else
                out[1].as<int32_t>()[to] = static_cast<int32_t>(place);
        }
    }
}

} // namespace

// X [O,n,J], k [] → values [O,k,J], indices [O,k,J]
std::vector<Result> TopK::infer(Operands const& in) const {
    in.expectCount(1, 2).expectNumbers(kX).expectRank(kX, 1, Dims::kMaxRank);
    if (indicesType != DataType::Int32 && indicesType != DataType::Int64)
        fail(ErrorCode::InvalidArgument, "the type of the indices is ", indicesType, "; expected int32 or int64");
    auto const at = static_cast<size_t>(resolveAxis(axis, in.rank(kX)));
    Shape shape = in[kX].shape;
    DimExpr const extent = shape[at];
    expectCountable(indicesType, extent.constantOr(0), "elements along the axis");
    DimExpr count = k;
    if (in.has(kK)) count = in.expectInteger(kK).expectOneElement(kK).valuesOf(kK, "k").front();
    if (count.constantOr(0) < 0 || count.constantOr(0) > extent.constantOr(INT64_MAX))
        fail(ErrorCode::InvalidArgument, "k is ", count, " for axis ", at, " of extent ", extent,
             "; expected 0 to that extent");
    shape[at] = count;
    return {{in[kX].type, shape}, {indicesType, shape}};
}

void TopK::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    expectCountable(indicesType, in[kX].dims[resolveAxis(axis, in[kX].dims.rank())], "elements along the axis");
    dispatch(in[kX].type, [&]<class T>(TypeTag<T>) { select<T>(*this, in[kX], out); });
}

} // namespace tenon
