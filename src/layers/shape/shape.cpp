// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shape/shape.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {

namespace layers {
LayerEntry shapeLayer() { return entryOf<ShapeOf>(); }
} // namespace layers

ShapeOf ShapeOf::extents(int64_t from, int64_t to) {
    ShapeOf layer;
    layer.start = from;
    layer.end = to;
    return layer;
}

ShapeOf ShapeOf::product(int64_t from, int64_t to) {
    ShapeOf layer = extents(from, to);
    layer.volume = true;
    return layer;
}

namespace {

Shape chosen(ShapeOf const& layer, Shape const& shape) {
    auto const rank = static_cast<int64_t>(shape.size());
    auto const clamped = [&](int64_t axis) { return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
    int64_t const from = clamped(layer.start);
    int64_t const to = std::max(from, clamped(layer.end));
    Shape const part(shape.begin() + from, shape.begin() + to);
    return layer.volume ? Shape{volume(part)} : part;
}

void expectFits(int64_t extent) {
    if (extent > INT32_MAX)
        fail(ErrorCode::Unsupported, "an extent or a number of elements is ", extent, ", but the maximum of int32 is ",
             INT32_MAX, "; use int64");
}

} // namespace

// X [d0,…,dn] → Y [end - start], or a scalar
std::vector<Result> ShapeOf::infer(Operands const& in) const {
    in.expectCount(1, 1);
    if (type != DataType::Int32 && type != DataType::Int64)
        fail(ErrorCode::InvalidArgument, "extents as ", type, "; expected int32 or int64");
    Shape values = chosen(*this, in[0].shape);
    for (DimExpr const& extent : values) {
        if (type == DataType::Int32) expectFits(extent.constantOr(0));
    }
    Shape const shape = volume ? Shape{} : Shape{static_cast<int64_t>(values.size())};
    return {{type, shape, std::move(values)}};
}

void ShapeOf::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const extents = toDims(chosen(*this, toShape(in[0].dims)));
    if (type == DataType::Int64)
        std::ranges::copy(extents, out[0].as<int64_t>().begin());
    else
        std::ranges::transform(extents, out[0].as<int32_t>().begin(), [](int64_t extent) {
            expectFits(extent);
            return static_cast<int32_t>(extent);
        });
}

} // namespace tenon
