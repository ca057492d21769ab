// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization_rows.h"

#include "base/error.h"

namespace tenon {
namespace {

struct Axis {
    int64_t extent;
    int64_t stride;
};

/// The axes [from, to); adjacent ones that are traversed alike are merged.
std::vector<Axis> merged(Dims const& dims, Dims const& strides, int from, int to) {
    std::vector<Axis> axes;
    for (int i = from; i < to; ++i) {
        if (dims[i] == 1) continue;
        if (!axes.empty() && axes.back().stride == strides[i] * dims[i])
            axes.back() = {axes.back().extent * dims[i], strides[i]};
        else
            axes.push_back({dims[i], strides[i]});
    }
    return axes;
}

} // namespace

NormalizationRows::NormalizationRows(Normalization const& layer, std::span<Dims const> inputs) {
    NormalizationSpace const space(layer, inputs);
    refusal = findRows(space);
    run = length;
    std::vector<RowParameter*> before;
    auto const find = [&](Dims const& strides, RowParameter& parameter) {
        int64_t const runBefore = run;
        if (refusal.empty()) refusal = findParameter(space, strides, parameter);
        if (run != runBefore) {
            for (RowParameter* other : before) other->runStep = other->elementStep * run; // cut like this one
        }
        before.push_back(&parameter);
    };
    find(space.scale, scale);
    find(space.bias, bias);
    find(space.shift, shift);
}

NormalizationRows NormalizationRows::expected(Normalization const& layer, std::span<Dims const> inputs) {
    NormalizationRows rows(layer, inputs);
    if (!rows.refusal.empty())
        fail(ErrorCode::Unsupported, "the kernel ", rows.refusal, ", not inputs ", joined(inputs));
    return rows;
}

/// The normalized axes, except those of extent 1, are adjacent.
std::string NormalizationRows::findRows(NormalizationSpace const& space) {
    Dims const& dims = space.dims;
    auto const isNormalized = [&](int axis) { return space.folds[static_cast<size_t>(axis)] && dims[axis] != 1; };
    begin_ = end_ = dims.rank();
    for (int axis = dims.rank() - 1; axis >= 0; --axis) {
        if (isNormalized(axis)) begin_ = axis;
    }
    for (int axis = begin_; axis < dims.rank(); ++axis) {
        if (isNormalized(axis)) end_ = axis + 1;
    }
    for (int axis = begin_; axis < end_; ++axis) {
        if (!space.folds[static_cast<size_t>(axis)] && dims[axis] != 1)
            return "supports normalization along adjacent axes only";
    }
    outer = dims.volume(0, begin_);
    length = dims.volume(begin_, end_);
    inner = dims.volume(end_, dims.rank());
    return "";
}

std::string NormalizationRows::findParameter(NormalizationSpace const& space, Dims const& strides,
                                             RowParameter& parameter) {
    constexpr auto kRefusal = "supports scales, biases and shifts that vary along the rows or between rows only";
    int64_t repeats = 1;
    auto const outside = merged(space.dims, strides, 0, begin_);
    for (size_t i = outside.size(); i-- > 0; repeats *= outside[i].extent) {
        if (outside[i].stride == 0) continue;
        if (parameter.rowStep != 0) return kRefusal;
        parameter.repeats = repeats;
        parameter.count = outside[i].extent;
        parameter.rowStep = outside[i].stride;
    }
    for (Axis const& axis : merged(space.dims, strides, end_, space.dims.rank())) {
        if (axis.stride != 0) return kRefusal;
    }
    auto const along = merged(space.dims, strides, begin_, end_);
    if (along.empty()) return "";
    if (along.size() > 2 || along.back().stride > 1) return kRefusal;
    parameter.elementStep = along.back().stride;
    if (along.size() == 1) {
        parameter.runStep = parameter.elementStep * run;
        return "";
    }
    if (run != length && run != along.back().extent) return kRefusal;
    run = along.back().extent;
    parameter.runStep = along.front().stride;
    return "";
}

std::string refusalOf(Normalization const& layer, std::vector<Tensor*> const& inputs) {
    int64_t const some = 2 * layer.groups; // an extent that is divisible by the groups, and is not 1
    std::vector<Dims> dims;
    for (Tensor const* tensor : inputs) {
        dims.emplace_back();
        if (tensor == nullptr) continue;
        for (DimExpr const& extent : tensor->shape) dims.back().push(extent.constantOr(some));
    }
    return NormalizationRows(layer, dims).refusal;
}

} // namespace tenon
