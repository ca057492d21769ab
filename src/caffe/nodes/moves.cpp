// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "caffe/importer.h"
#include "layers/concatenation/concatenation.h"
#include "layers/elementwise/elementwise.h"
#include "layers/reduce/reduce.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"

#include <algorithm>

namespace tenon::caffe {
namespace {

/// All of them, at one rank: a product's [N,C,1,1] is Caffe's [N,C].
std::vector<Tensor*> bottoms(LayerReader& reader, size_t least) {
    std::vector<Tensor*> all;
    size_t rank = 0;
    for (size_t i = 0; i < std::max(least, reader.layer().bottom.size()); ++i) {
        all.push_back(reader.bottom(i));
        rank = std::max(rank, all.back()->shape.size());
    }
    for (Tensor*& each : all) {
        if (each->shape.size() == rank) continue;
        std::vector<int64_t> extents(each->shape.size(), 0); // unchanged
        extents.resize(rank, 1);
        each = reader.add(Shuffle::reshaping(extents), {each});
    }
    return all;
}

std::vector<Tensor*> importConcat(LayerReader& reader) {
    proto::Concat const& from = reader.layer().concat;
    auto const given = from.axis ? from.axis : from.oldAxis;
    std::optional<int64_t> const axis = given ? std::optional(axisOf(*reader.bottom(0), *given)) : std::nullopt;
    std::vector<Tensor*> all = bottoms(reader, 1);
    return {reader.add(Concatenation::along(axis.value_or(channelAxis(*all[0]))), all)};
}

/// Elements [start, end) of an axis.
Tensor* part(LayerReader& reader, Tensor* x, int64_t axis, int64_t start, int64_t end) {
    Slice layer;
    layer.axes = {axis};
    layer.start = {start};
    layer.size = {end - start};
    return reader.add(std::move(layer), {x});
}

std::vector<Tensor*> importSlice(LayerReader& reader) {
    proto::Slice const& from = reader.layer().slice;
    Tensor* const x = reader.bottom(0);
    int64_t const axis = axisOf(*x, from.axis.value_or(from.oldAxis.value_or(channelAxis(*x))));
    int64_t const extent = extentOf(*x, axis);
    auto const tops = static_cast<int64_t>(reader.layer().top.size());
    std::vector<int64_t> ends = from.points;
    if (ends.empty()) {
        if (tops == 0 || extent % tops != 0)
            fail(ErrorCode::InvalidModel, "has ", tops, " tops, which do not divide the ", extent, " of axis ", axis);
        for (int64_t i = 1; i < tops; ++i) ends.push_back(extent / tops * i);
    }
    if (static_cast<int64_t>(ends.size()) != tops - 1)
        fail(ErrorCode::InvalidModel, "has ", ends.size(), " slice_point and ", tops, " tops; expected ", tops - 1);
    ends.push_back(extent);
    std::vector<Tensor*> parts;
    int64_t start = 0;
    for (int64_t const end : ends) {
        if (end <= start || end > extent)
            fail(ErrorCode::InvalidModel, "has the slice_point ", end, " after ", start, ", of ", extent,
                 "; expected increasing numbers");
        parts.push_back(part(reader, x, axis, start, end));
        start = end;
    }
    return parts;
}

/// X from the offsets on, of the second bottom's size, from `axis` on.
std::vector<Tensor*> importCrop(LayerReader& reader) {
    proto::Crop const& from = reader.layer().crop;
    Tensor const& x = *reader.bottom(0);
    Tensor const& like = *reader.bottom(1);
    auto const rank = static_cast<int64_t>(x.shape.size());
    int64_t const axis = axisOf(x, from.axis.value_or(channelAxis(x) + 1));
    if (axis == 0) fail(ErrorCode::Unsupported, "axis is 0, the batch; expected one from 1 on");
    size_t const cropped = static_cast<size_t>(rank - axis);
    if (like.shape.size() != x.shape.size() || (from.offset.size() > 1 && from.offset.size() != cropped))
        fail(ErrorCode::InvalidModel, "crops ", x.shape, " from axis ", axis, " on to ", like.shape, " with ",
             from.offset.size(), " offsets; expected none, one or ", cropped);
    Slice layer;
    for (int64_t i = axis; i < rank; ++i) {
        auto const number = static_cast<size_t>(i - axis);
        int64_t const offset = from.offset.empty() ? 0 : from.offset[from.offset.size() == 1 ? 0 : number];
        int64_t const size = extentOf(like, i);
        if (offset < 0 || offset > extentOf(x, i) - size)
            fail(ErrorCode::InvalidModel, "crops ", size, " elements from ", offset, " on of the ", extentOf(x, i),
                 " of axis ", i);
        layer.axes.push_back(i);
        layer.start.push_back(offset);
        layer.size.push_back(size);
    }
    return {reader.add(std::move(layer), {reader.bottom(0)})};
}

/// Replaces axes [axis, axis + axes) by these extents; 0 copies X's extent at the same index, -1 is inferred.
std::vector<Tensor*> importReshape(LayerReader& reader) {
    proto::Reshape const& from = reader.layer().reshape;
    Tensor* const x = reader.bottom(0);
    auto const rank = static_cast<int64_t>(x->shape.size());
    int64_t axis = from.axis.value_or(0);
    if (axis < 0) axis += rank + 1;
    int64_t const axes = from.axes.value_or(-1);
    if (!from.shape) fail(ErrorCode::InvalidModel, "reshape_param has no shape");
    if (axis < 0 || axis > rank || axes < -1 || axes > rank - axis)
        fail(ErrorCode::InvalidModel, "reshapes ", axes, " axes from ", axis, " on of ", x->shape);
    int64_t const end = axes == -1 ? rank : axis + axes;
    std::vector<int64_t> extents;
    for (int64_t i = 0; i < axis; ++i) extents.push_back(i == 0 ? 0 : extentOf(*x, i));
    for (size_t i = 0; i < from.shape->dim.size(); ++i) {
        int64_t const extent = from.shape->dim[i];
        auto const at = axis + static_cast<int64_t>(i);
        if (extent == 0 && at >= end)
            fail(ErrorCode::InvalidModel, "dim ", i, " is 0, but ", x->shape, " has no axis ", at);
        bool const isBatch = at == 0;
        if (isBatch && extent != 0 && !x->shape[0].isConstant())
            fail(ErrorCode::Unsupported, "dim 0 is ", extent, ", of the batch; expected 0");
        extents.push_back(extent == 0 && !isBatch ? extentOf(*x, at) : extent);
    }
    for (int64_t i = end; i < rank; ++i) extents.push_back(extentOf(*x, i));
    return {reader.add(Shuffle::reshaping(extents), {x})};
}

/// Flattens all axes after the batch to [N,K,1,1], as TensorRT clients expect three axes besides it (for regions,
/// [N,P,K,1,1]); fewer axes to one.
std::vector<Tensor*> importFlatten(LayerReader& reader) {
    proto::Flatten const& from = reader.layer().flatten;
    Tensor* const x = reader.bottom(0);
    int64_t const first = axisOf(*x, from.axis.value_or(channelAxis(*x)));
    int64_t const last = axisOf(*x, from.endAxis.value_or(-1));
    auto const rank = static_cast<int64_t>(x->shape.size());
    if (first == 0 || last < first)
        fail(ErrorCode::Unsupported, "flattens axes ", first, " to ", last, "; expected axes after the batch");
    std::vector<int64_t> extents(static_cast<size_t>(first), 0);
    extents.push_back(extentsOf(*x, first, last + 1));
    for (int64_t i = last + 1; i < rank; ++i) extents.push_back(extentOf(*x, i));
    if ((first == 1 || first == channelAxis(*x)) && last == rank - 1) extents.insert(extents.end(), {1, 1});
    return {reader.add(Shuffle::reshaping(extents), {x})};
}

std::vector<Tensor*> importPermute(LayerReader& reader) {
    Tensor* const x = reader.bottom(0);
    auto const rank = static_cast<int64_t>(x->shape.size());
    std::vector<int64_t> order = reader.layer().permute.order;
    if (static_cast<int64_t>(order.size()) > rank)
        fail(ErrorCode::InvalidModel, "has an order of ", order.size(), " axes; expected each axis of ", x->shape,
             " once");
    for (int64_t const axis : order) axisOf(*x, axis);
    for (int64_t axis = 0; axis < rank; ++axis) { // unnamed axes follow, in order
        if (std::ranges::find(order, axis) == order.end()) order.push_back(axis);
    }
    if (static_cast<int64_t>(order.size()) != rank)
        fail(ErrorCode::InvalidModel, "has the order ", joined(order), "; expected each axis of ", x->shape, " once");
    return {reader.add(Shuffle::transposing(order), {x})};
}

std::vector<Tensor*> importTile(LayerReader& reader) {
    proto::Tile const& from = reader.layer().tile;
    Tensor* const x = reader.bottom(0);
    int64_t const axis = axisOf(*x, from.axis.value_or(channelAxis(*x)));
    if (from.tiles.value_or(0) < 1)
        fail(ErrorCode::InvalidModel, "tiles is ", from.tiles.value_or(0), "; expected a number from 1 on");
    Slice layer;
    layer.mode = Slice::Mode::Wrap;
    layer.bounds = Slice::Bounds::Repeats;
    layer.axes = {axis};
    layer.start = {0};
    layer.size = {*from.tiles};
    return {reader.add(std::move(layer), {x})};
}

PointwiseOp operationOf(proto::Eltwise const& from) {
    switch (from.operation.value_or(proto::kSum)) {
    case proto::kProduct: return PointwiseOp::Prod;
    case proto::kSum: return PointwiseOp::Sum;
    case proto::kGreatest: return PointwiseOp::Max;
    default: fail(ErrorCode::InvalidModel, "operation is ", *from.operation, "; expected PROD, SUM or MAX");
    }
}

Tensor* times(LayerReader& reader, Tensor* x, float factor) {
    return factor == 1 ? x : with(reader, PointwiseOp::Prod, x, factor);
}

std::vector<Tensor*> importEltwise(LayerReader& reader) {
    proto::Eltwise const& from = reader.layer().eltwise;
    PointwiseOp const operation = operationOf(from);
    std::vector<Tensor*> all = bottoms(reader, 2);
    if (!from.coefficients.empty() && (operation == PointwiseOp::Prod || from.coefficients.size() != all.size()))
        fail(ErrorCode::InvalidModel, "has ", from.coefficients.size(), " coeff and ", all.size(),
             " bottoms; expected one for each, and none with PROD");
    for (Tensor const* each : all) {
        if (each->shape != all[0]->shape)
            fail(ErrorCode::InvalidModel, "has bottoms ", all[0]->shape, " and ", each->shape,
                 "; expected equal shapes");
    }
    bool const isWeighted = operation == PointwiseOp::Sum && !from.coefficients.empty(); // those of MAX have no effect
    for (size_t i = 0; isWeighted && i < all.size(); ++i) all[i] = times(reader, all[i], from.coefficients[i]);
    Tensor* y = all[0];
    for (size_t i = 1; i < all.size(); ++i) y = reader.add(elementwise(operation), {y, all[i]});
    return {y};
}

/// Over all axes from one on; they are kept with extent 1, as in TensorRT's parser.
std::vector<Tensor*> importReduction(LayerReader& reader) {
    proto::Reduction const& from = reader.layer().reduction;
    Tensor* x = reader.bottom(0);
    int64_t const axis = axisOf(*x, from.axis.value_or(0));
    int32_t const operation = from.operation.value_or(proto::kSumOf);
    if (axis == 0 && !x->shape[0].isConstant())
        fail(ErrorCode::Unsupported, "reduces from axis 0 on, the batch too; expected an axis from 1 on");
    if (operation < proto::kSumOf || operation > proto::kMeanOf)
        fail(ErrorCode::InvalidModel, "operation is ", operation, "; expected SUM, ASUM, SUMSQ or MEAN");
    if (operation == proto::kSumOfSquares) x = reader.add(elementwise(PointwiseOp::Prod), {x, x});
    if (operation == proto::kSumOfMagnitudes) x = unary(reader, PointwiseOp::Abs, x);
    Reduce layer;
    layer.operation = operation == proto::kMeanOf ? ReduceOperation::Avg : ReduceOperation::Sum;
    layer.keepDimensions = true;
    for (int64_t i = axis; i < static_cast<int64_t>(x->shape.size()); ++i) layer.axes.push_back(i);
    return {times(reader, reader.add(std::move(layer), {x}), from.coefficient.value_or(1))};
}

constexpr Importer kAll[]{{"Concat", importConcat},   {"Slice", importSlice},     {"Crop", importCrop},
                          {"Reshape", importReshape}, {"Flatten", importFlatten}, {"Permute", importPermute},
                          {"Tile", importTile},       {"Eltwise", importEltwise}, {"Reduction", importReduction}};

} // namespace

ImporterList movesImporters() { return kAll; }

} // namespace tenon::caffe
