// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "base/error.h"
#include "graph/elements.h"

#include <array>

namespace tenon {

namespace layers {
LayerEntry gatherLayer() { return entryOf<Gather>(); }
} // namespace layers

std::span<std::string_view const> names(Gather::Mode) {
    static constexpr std::array<std::string_view, 3> all{"Default", "Element", "ND"};
    return all;
}

void failOnIndex(int64_t index, int64_t extent, int axis) {
    fail(ErrorCode::InvalidArgument, "index ", index, " is outside axis ", axis, ", which has extent ", extent);
}

namespace {

void appendAxes(Shape& to, Shape const& from, int64_t first) {
    for (size_t axis = static_cast<size_t>(first); axis < from.size(); ++axis) to.push_back(from[axis]);
}

int64_t inside(int64_t index, int64_t extent, int axis) {
    if (index < -extent || index >= extent) failOnIndex(index, extent, axis);
    return index < 0 ? index + extent : index;
}

void checkCommonAxes(Gather const& layer, Operands const& in, int most) {
    if (layer.elementWiseDims < 0 || layer.elementWiseDims > most)
        fail(ErrorCode::InvalidArgument, "elementWiseDims is ", layer.elementWiseDims, " for X ", in[0].shape,
             " and indices ", in[1].shape, "; expected 0 to ", most);
    for (size_t i = 0; i < static_cast<size_t>(layer.elementWiseDims); ++i) {
        DimExpr const& x = in[0].shape[i];
        if (x.constantOr(in[1].shape[i].constantOr(0)) != in[1].shape[i].constantOr(x.constantOr(0)))
            fail(ErrorCode::InvalidArgument, "X ", in[0].shape, " and indices ", in[1].shape, " differ at axis ", i,
                 ", one of the elementwise dimensions");
    }
}

Shape shapeByAxis(Gather const& layer, Operands const& in) {
    int const at = resolveAxis(layer.axis, in.rank(0));
    checkCommonAxes(layer, in, std::min(at, in.rank(1)));
    Shape shape(in[0].shape.begin(), in[0].shape.begin() + at);
    appendAxes(shape, in[1].shape, layer.elementWiseDims);
    appendAxes(shape, in[0].shape, at + 1);
    return shape;
}

Shape shapeByElement(Gather const& layer, Operands const& in) {
    checkCommonAxes(layer, in, 0);
    in.expectRank(1, in.rank(0), in.rank(0));
    int const at = resolveAxis(layer.axis, in.rank(0));
    for (int axis = 0; axis < in.rank(0); ++axis) {
        DimExpr const& x = in[0].shape[static_cast<size_t>(axis)];
        DimExpr const& indices = in[1].shape[static_cast<size_t>(axis)];
        if (axis != at && indices.constantOr(0) > x.constantOr(INT64_MAX))
            fail(ErrorCode::InvalidArgument, "indices ", in[1].shape, " are longer than X ", in[0].shape, " at axis ",
                 axis);
    }
    return in[1].shape;
}

Shape shapeByTuple(Gather const& layer, Operands const& in) {
    in.expectRank(0, 1, Dims::kMaxRank).expectRank(1, 1, Dims::kMaxRank);
    checkCommonAxes(layer, in, std::min(in.rank(0), in.rank(1)) - 1);
    DimExpr const& length = in[1].shape.back();
    int64_t const most = in.rank(0) - layer.elementWiseDims;
    if (!length.isConstant() || length.constant() < 1 || length.constant() > most)
        fail(ErrorCode::InvalidArgument, "the last extent of indices ", in[1].shape,
             " is the length of an index; expected 1 to ", most, " for X ", in[0].shape);
    Shape shape(in[1].shape.begin(), in[1].shape.end() - 1);
    appendAxes(shape, in[0].shape, layer.elementWiseDims + length.constant());
    return shape;
}

/// Blocks of `count` elements.
void copyBlock(HostTensor const& x, int64_t from, HostTensor const& y, int64_t to, int64_t count) {
    for (int64_t j = 0; j < count; ++j) copyElement(x, from * count + j, y, to * count + j);
}

// X [B,O,D,J], indices [B,I] → Y [B,O,I,J]
void gatherByAxis(Gather const& layer, HostTensor const& x, HostTensor const& indices, HostTensor const& y) {
    auto const common = static_cast<int>(layer.elementWiseDims);
    int const at = resolveAxis(layer.axis, x.dims.rank());
    int64_t const outer = x.dims.volume(common, at);
    int64_t const inner = x.dims.volume(at + 1, x.dims.rank());
    int64_t const count = indices.dims.volume(common, indices.dims.rank());
    auto const numbers = integersIn(indices);
    for (int64_t row = 0; row < x.dims.volume(0, at); ++row) {
        for (int64_t i = 0; i < count; ++i) {
            int64_t const index = numbers[static_cast<size_t>(row / outer * count + i)];
            copyBlock(x, row * x.dims[at] + inside(index, x.dims[at], at), y, row * count + i, inner);
        }
    }
}

void gatherByElement(Gather const& layer, HostTensor const& x, HostTensor const& indices, HostTensor const& y) {
    int const at = resolveAxis(layer.axis, x.dims.rank());
    Dims const strides = rowMajorStrides(x.dims);
    auto const numbers = integersIn(indices);
    Dims index = Dims::filled(x.dims.rank(), 0);
    for (size_t to = 0; to < numbers.size(); ++to, nextIndex(index, indices.dims)) {
        int64_t from = inside(numbers[to], x.dims[at], at) * strides[at];
        for (int axis = 0; axis < index.rank(); ++axis) from += axis == at ? 0 : index[axis] * strides[axis];
        copyElement(x, from, y, static_cast<int64_t>(to));
    }
}

// X [B,P0,…,Pk-1,J], indices [B,I,k] → Y [B,I,J]
void gatherByTuple(Gather const& layer, HostTensor const& x, HostTensor const& indices, HostTensor const& y) {
    auto const common = static_cast<int>(layer.elementWiseDims);
    int const last = indices.dims.rank() - 1;
    int const length = static_cast<int>(indices.dims[last]);
    int64_t const count = indices.dims.volume(common, last);
    int64_t const inner = x.dims.volume(common + length, x.dims.rank());
    auto const numbers = integersIn(indices);
    for (int64_t tuple = 0; tuple < indices.dims.volume(0, last); ++tuple) {
        int64_t from = tuple / count;
        for (int k = 0; k < length; ++k) {
            int64_t const extent = x.dims[common + k];
            from = from * extent + inside(numbers[static_cast<size_t>(tuple * length + k)], extent, common + k);
        }
        copyBlock(x, from, y, tuple, inner);
    }
}

} // namespace

std::vector<Result> Gather::infer(Operands const& in) const {
    in.expectCount(2, 2).expectInteger(1).expectRank(0, 1, Dims::kMaxRank);
    elementBytes(in[0].type);
    auto const shapeOf = [&] {
        switch (mode) {
        case Mode::Default: return shapeByAxis(*this, in);
        case Mode::Element: return shapeByElement(*this, in);
        case Mode::ND: break;
        }
        return shapeByTuple(*this, in);
    };
    Shape const shape = shapeOf();
    return {{in[0].type, shape, movedValues(*this, in, {0}, shape)}};
}

void Gather::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    switch (mode) {
    case Mode::Default: return gatherByAxis(*this, in[0], in[1], out[0]);
    case Mode::Element: return gatherByElement(*this, in[0], in[1], out[0]);
    case Mode::ND: return gatherByTuple(*this, in[0], in[1], out[0]);
    }
}

} // namespace tenon
