// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scatter/scatter.h"

#include "base/error.h"
#include "graph/elements.h"
#include "layers/gather/gather.h"

#include <array>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry scatterLayer() { return entryOf<Scatter>(); }
} // namespace layers

std::span<std::string_view const> names(Scatter::Mode) {
    static constexpr std::array<std::string_view, 2> all{"Element", "ND"};
    return all;
}

std::span<std::string_view const> names(Scatter::Reduction) {
    static constexpr std::array<std::string_view, 5> all{"None", "Add", "Mul", "Min", "Max"};
    return all;
}

std::string Scatter::inputName(int input) const {
    if (input == kIndices) return "indices";
    return input == kUpdates ? "updates" : Layer::inputName(input);
}

namespace {

int64_t inside(int64_t index, int64_t extent, int axis) {
    if (index < -extent || index >= extent) failOnIndex(index, extent, axis);
    return index < 0 ? index + extent : index;
}

/// Whether two extents are known to differ.
bool differ(DimExpr const& a, DimExpr const& b) { return a.isConstant() && b.isConstant() && !(a == b); }

void checkUpdates(Operands const& in, Shape const& expected) {
    Shape const& updates = in[Scatter::kUpdates].shape;
    bool fits = updates.size() == expected.size();
    for (size_t i = 0; fits && i < updates.size(); ++i) fits = !differ(updates[i], expected[i]);
    if (!fits) fail(ErrorCode::InvalidArgument, "updates have shape ", updates, "; expected ", expected);
}

void checkElements(Scatter const& layer, Operands const& in) {
    in.expectRank(Scatter::kIndices, in.rank(Scatter::kX), in.rank(Scatter::kX));
    int const at = resolveAxis(layer.axis, in.rank(Scatter::kX));
    Shape const& x = in[Scatter::kX].shape;
    Shape const& indices = in[Scatter::kIndices].shape;
    for (int axis = 0; axis < in.rank(Scatter::kX); ++axis) {
        auto const i = static_cast<size_t>(axis);
        if (axis != at && indices[i].constantOr(0) > x[i].constantOr(INT64_MAX))
            fail(ErrorCode::InvalidArgument, "indices ", indices, " are longer than X ", x, " at axis ", axis);
    }
    checkUpdates(in, indices);
}

void checkTuples(Operands const& in) {
    in.expectRank(Scatter::kIndices, 1, Dims::kMaxRank);
    Shape const& x = in[Scatter::kX].shape;
    Shape const& indices = in[Scatter::kIndices].shape;
    DimExpr const& length = indices.back();
    if (!length.isConstant() || length.constant() < 1 || length.constant() > in.rank(Scatter::kX))
        fail(ErrorCode::InvalidArgument, "the last extent of indices ", indices,
             " is the length of an index; expected 1 to ", in.rank(Scatter::kX), " for X ", x);
    Shape expected(indices.begin(), indices.end() - 1);
    expected.insert(expected.end(), x.begin() + length.constant(), x.end());
    checkUpdates(in, expected);
}

/// y[to] = y[to] and updates[from] combined.
void update(Scatter::Reduction reduction, HostTensor const& y, int64_t to, HostTensor const& updates, int64_t from) {
    if (reduction == Scatter::Reduction::None) return copyElement(updates, from, y, to);
    dispatch(y.type, [&]<class T>(TypeTag<T>) {
        using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
        T& element = y.as<T>()[static_cast<size_t>(to)];
        T const next = updates.as<T>()[static_cast<size_t>(from)];
        element = static_cast<T>(combined(reduction, static_cast<Wide>(element), static_cast<Wide>(next)));
    });
}

void scatterElements(Scatter const& layer, std::span<HostTensor const> in, HostTensor const& y) {
    int const at = resolveAxis(layer.axis, y.dims.rank());
    Dims const strides = rowMajorStrides(y.dims);
    HostTensor const& updates = in[Scatter::kUpdates];
    auto const numbers = integersIn(in[Scatter::kIndices]);
    Dims index = Dims::filled(y.dims.rank(), 0);
    for (size_t from = 0; from < numbers.size(); ++from, nextIndex(index, updates.dims)) {
        int64_t to = inside(numbers[from], y.dims[at], at) * strides[at];
        for (int axis = 0; axis < index.rank(); ++axis) to += axis == at ? 0 : index[axis] * strides[axis];
        update(layer.reduction, y, to, updates, static_cast<int64_t>(from));
    }
}

// indices [I,k], updates [I,J] → Y [P0,…,Pk-1,J]
void scatterTuples(Scatter const& layer, std::span<HostTensor const> in, HostTensor const& y) {
    Dims const& indices = in[Scatter::kIndices].dims;
    int const last = indices.rank() - 1;
    auto const length = static_cast<int>(indices[last]);
    int64_t const inner = y.dims.volume(length, y.dims.rank());
    auto const numbers = integersIn(in[Scatter::kIndices]);
    for (int64_t tuple = 0; tuple < indices.volume(0, last); ++tuple) {
        int64_t block = 0;
        for (int k = 0; k < length; ++k)
            block = block * y.dims[k] + inside(numbers[static_cast<size_t>(tuple * length + k)], y.dims[k], k);
        for (int64_t j = 0; j < inner; ++j)
            update(layer.reduction, y, block * inner + j, in[Scatter::kUpdates], tuple * inner + j);
    }
}

} // namespace

// X [d0,…,dn], indices, updates → Y [d0,…,dn]
std::vector<Result> Scatter::infer(Operands const& in) const {
    in.expectCount(3, 3).expectInteger(kIndices).expectRank(kX, 1, Dims::kMaxRank).expectSameType(kX, kUpdates);
    elementBytes(in[kX].type);
    if (reduction != Reduction::None) in.expectNumbers(kX);
    mode == Mode::Element ? checkElements(*this, in) : checkTuples(in);
    Result result{in[kX].type, in[kX].shape};
    if (reduction == Reduction::None) result.values = movedValues(*this, in, {kX, kUpdates}, in[kX].shape);
    return {result};
}

void Scatter::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    if (out[0].bytes() != 0) std::memcpy(out[0].data, in[kX].data, out[0].bytes());
    mode == Mode::Element ? scatterElements(*this, in, out[0]) : scatterTuples(*this, in, out[0]);
}

} // namespace tenon
