// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unique/unique.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tenon {

namespace layers {
LayerEntry uniqueLayer() { return entryOf<Unique>(); }
} // namespace layers

namespace {

constexpr std::string_view kCount = "count"; // the name of n

template <class T> int compare(T a, T b) {
    auto const isNan = [](T value) { return value != value; };
    if (isNan(a) || isNan(b)) return static_cast<int>(isNan(a)) - static_cast<int>(isNan(b));
    return a < b ? -1 : b < a ? 1 : 0;
}

/// Negative, 0 or positive: slice a is before, equal to or after slice b.
template <class T> int compareSlices(T const* x, UniqueSlices const& slices, int64_t a, int64_t b) {
    for (int64_t o = 0; o < slices.outer; ++o) {
        for (int64_t i = 0; i < slices.inner; ++i) {
            if (int const order = compare(x[slices.at(o, a, i)], x[slices.at(o, b, i)])) return order;
        }
    }
    return 0;
}

/// Equal slices, by their indices in rising order; groups in rising order of their slices.
using Groups = std::vector<std::vector<int64_t>>;

template <class T> Groups groupsOf(T const* x, UniqueSlices const& slices) {
    std::vector<int64_t> order(static_cast<size_t>(slices.count));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return compareSlices(x, slices, a, b) < 0; });
    Groups groups;
    for (int64_t const slice : order) {
        if (groups.empty() || compareSlices(x, slices, groups.back()[0], slice) != 0) groups.emplace_back();
        groups.back().push_back(slice);
    }
    return groups;
}

} // namespace

UniqueSlices::UniqueSlices(Unique const& layer, Dims const& x) : count(x.volume()) {
    if (!layer.hasAxis) return;
    int const axis = resolveAxis(layer.axis, x.rank());
    outer = x.volume(0, axis);
    count = x[axis];
    inner = x.volume(axis + 1, x.rank());
}

// X [any shape] → Y [n] or X with n slices, firsts [n], places [slices of X], counts [n], n []
std::vector<Result> Unique::infer(Operands const& in) const {
    in.expectCount(1, 1);
    if (!isComputed(in[0].type))
        fail(ErrorCode::Unsupported, in.nameOf(0), " is ", in[0].type,
             ", which is not supported for computation; cast it first");
    DimExpr const n = in.unknown(kCount);
    Shape y{n};
    DimExpr slices = volume(in[0].shape);
    if (hasAxis) {
        auto const at = static_cast<size_t>(resolveAxis(axis, in.rank(0)));
        y = in[0].shape;
        slices = std::exchange(y[at], n);
    }
    constexpr DataType kIndices = DataType::Int64;
    return {{in[0].type, y}, {kIndices, {n}}, {kIndices, {slices}}, {kIndices, {n}}, {kIndices, {}}};
}

std::vector<SizeTensor> Unique::sizes(Operands const& in) const {
    DimExpr all = volume(in[0].shape);
    if (hasAxis) all = in[0].shape[static_cast<size_t>(resolveAxis(axis, in.rank(0)))];
    return {{in.unknown(kCount).name(), kNumber, ceilDiv(all, 2), all}};
}

void Unique::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    UniqueSlices const slices(*this, in[0].dims);
    Groups groups =
        dispatch(in[0].type, [&]<class T>(TypeTag<T>) { return groupsOf(static_cast<T const*>(in[0].data), slices); });
    if (!sorted) std::ranges::sort(groups, {}, [](auto const& group) { return group[0]; });
    auto const count = static_cast<int64_t>(groups.size());
    for (int64_t number = 0; number < count; ++number) {
        auto const& group = groups[static_cast<size_t>(number)];
        for (int64_t o = 0; o < slices.outer; ++o) {
            for (int64_t i = 0; i < slices.inner; ++i)
                copyElement(in[0], slices.at(o, group[0], i), out[kY], (o * count + number) * slices.inner + i);
        }
        static_cast<int64_t*>(out[kFirsts].data)[number] = group[0];
        static_cast<int64_t*>(out[kCounts].data)[number] = std::ssize(group);
        for (int64_t const slice : group) static_cast<int64_t*>(out[kPlaces].data)[slice] = number;
    }
    *static_cast<int64_t*>(out[kNumber].data) = count;
}

} // namespace tenon
