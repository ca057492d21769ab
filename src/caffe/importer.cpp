// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "caffe/importer.h"

#include "base/error.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/shuffle/shuffle.h"
#include "layers/unary/unary.h"

#include <algorithm>

namespace tenon::caffe {

Literal LayerReader::blob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const {
    return rounded(exactBlob(i, dims, what, kind), what);
}

Tensor* LayerReader::constant(Literal value) {
    return graph().add(std::make_unique<Constant>(std::move(value)), {})->output();
}

int64_t axisOf(Tensor const& x, int64_t axis) {
    auto const rank = static_cast<int64_t>(x.shape.size());
    if (axis < -rank || axis >= rank) fail(ErrorCode::InvalidModel, "has the axis ", axis, " of a blob ", x.shape);
    return axis < 0 ? axis + rank : axis;
}

int64_t extentsOf(Tensor const& x, int64_t from, int64_t to) {
    int64_t all = 1;
    for (int64_t axis = from; axis < to; ++axis) {
        if (__builtin_mul_overflow(all, extentOf(x, axis), &all))
            fail(ErrorCode::InvalidModel, "the extents of ", x.shape, " are too large");
    }
    return all;
}

int64_t channelAxis(Tensor const& x) { return std::max<int64_t>(1, static_cast<int64_t>(x.shape.size()) - 3); }

int64_t extentOf(Tensor const& x, int64_t axis) {
    DimExpr const& extent = x.shape[static_cast<size_t>(axisOf(x, axis))];
    if (!extent.isConstant() && axisOf(x, axis) == 0)
        fail(ErrorCode::Unsupported, "axis is 0, the batch; expected one from 1 on");
    if (!extent.isConstant())
        fail(ErrorCode::Unsupported, "reads axis ", axis, " of ", x.shape, ", which is not known yet");
    return extent.constant();
}

Tensor* ofPictures(LayerReader& reader, std::function<Tensor*(Tensor*)> const& make) {
    Tensor* const x = reader.bottom(0);
    int64_t const channels = channelAxis(*x);
    if (channels == 1) return make(x);
    auto const rank = static_cast<int64_t>(x->shape.size());
    constexpr int64_t kRest = -1; // the batch, which is known only at run time
    std::vector<int64_t> together{kRest};
    for (int64_t axis = channels; axis < rank; ++axis) together.push_back(extentOf(*x, axis));
    Tensor* const y = make(reader.add(Shuffle::reshaping(together), {x}));
    std::vector<int64_t> apart{kRest};
    for (int64_t axis = 1; axis < channels; ++axis) apart.push_back(extentOf(*x, axis));
    for (int64_t axis = 1; axis < static_cast<int64_t>(y->shape.size()); ++axis) apart.push_back(extentOf(*y, axis));
    return reader.add(Shuffle::reshaping(apart), {y});
}

Tensor* unary(LayerReader& reader, PointwiseOp operation, Tensor* x) {
    Unary layer;
    layer.operation = operation;
    return reader.add(layer, {x});
}

Tensor* with(LayerReader& reader, PointwiseOp operation, Tensor* x, float number) {
    Dims const one = Dims::filled(static_cast<int>(x->shape.size()), 1);
    Tensor* const constant = reader.constant(Literal::of(one, std::vector<float>{number}));
    return reader.add(elementwise(operation), {x, constant});
}

} // namespace tenon::caffe
