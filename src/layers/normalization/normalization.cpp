// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon {

namespace layers {
LayerEntry normalizationLayer() { return entryOf<Normalization>(); }
} // namespace layers

namespace {

constexpr size_t kChannels = 1; // the axis

std::vector<bool> normalizedAxes(std::vector<int64_t> const& axes, int rank) {
    std::vector<bool> folds(static_cast<size_t>(rank), false);
    for (int64_t const axis : axes) {
        auto const resolved = static_cast<size_t>(resolveAxis(axis, rank));
        if (folds[resolved]) fail(ErrorCode::InvalidArgument, "names axis ", resolved, " twice");
        folds[resolved] = true;
    }
    return folds;
}

void checkAxes(Normalization const& layer, Shape const& x) {
    auto const folds = normalizedAxes(layer.axes, static_cast<int>(x.size()));
    if (layer.groups == 1 && layer.axes.empty()) fail(ErrorCode::InvalidArgument, "names no axis to normalize along");
    if (layer.groups == 1) return;
    if (layer.groups < 1) fail(ErrorCode::InvalidArgument, "has ", layer.groups, " groups; expected 1 or more");
    if (x.size() < 2 || x.size() >= Dims::kMaxRank)
        fail(ErrorCode::InvalidArgument, "input 0 has shape ", x, ", of rank ", x.size(),
             "; groups of channels expect rank 2 to ", Dims::kMaxRank - 1);
    for (size_t axis = 0; axis < folds.size(); ++axis) {
        if (folds[axis] != (axis > kChannels))
            fail(ErrorCode::InvalidArgument, "normalizes ", layer.groups,
                 " groups of channels along other axes than "
                 "all after the channels (2 and on)");
    }
    if (x[kChannels].constantOr(0) % layer.groups != 0)
        fail(ErrorCode::InvalidArgument, "input 0 ", x, " has ", x[kChannels], " channels, not divisible by ",
             layer.groups, " groups");
}

/// Whether numpy would broadcast it to X, or it has one element per group.
void checkParameter(Operands const& in, int input, int64_t groups) {
    Shape const& x = in[Normalization::kX].shape;
    Shape const& parameter = in[input].shape;
    bool fits = parameter.size() <= x.size();
    for (size_t i = 0; fits && i < parameter.size(); ++i) {
        size_t const axis = x.size() - parameter.size() + i;
        bool const grouped = groups != 1 && axis == kChannels && parameter[i] == DimExpr(groups);
        bool const known = parameter[i].isConstant() && x[axis].isConstant();
        fits = !known || parameter[i] == x[axis] || parameter[i] == DimExpr(1) || grouped;
    }
    if (fits) return;
    std::string const groupwise =
        groups == 1 ? "" : text(" and does not have one element for each of ", groups, " groups");
    fail(ErrorCode::InvalidArgument, in.nameOf(input), " has shape ", parameter, ", which does not broadcast to ", x,
         " of input 0", groupwise);
}

void checkSkip(Operands const& in) {
    Shape const& x = in[Normalization::kX].shape;
    Shape const& skip = in[Normalization::kSkip].shape;
    bool fits = x.size() == skip.size();
    for (size_t i = 0; fits && i < x.size(); ++i) fits = !x[i].isConstant() || !skip[i].isConstant() || x[i] == skip[i];
    if (!fits)
        fail(ErrorCode::InvalidArgument, in.nameOf(Normalization::kSkip), " has shape ", skip, "; expected ", x,
             " of input 0");
}

/// [N,C,…] → [N,groups,C/groups,…]; a parameter may have 1 channel, or one per group.
Dims split(Dims const& dims, int64_t groups) {
    Dims result{dims[0]};
    bool const repeats = dims[kChannels] == 1;
    result.push(repeats ? 1 : groups);
    result.push(repeats ? 1 : dims[kChannels] / groups);
    for (int axis = 2; axis < dims.rank(); ++axis) result.push(dims[axis]);
    return result;
}

Dims parameterStrides(Dims const& parameter, Dims const& x, NormalizationSpace const& space, int64_t groups) {
    if (parameter.rank() == 0) return Dims::filled(space.dims.rank(), 0);
    Dims whole = Dims::filled(x.rank() - parameter.rank(), 1);
    for (int64_t const extent : parameter) whole.push(extent);
    return broadcastStrides(groups == 1 ? whole : split(whole, groups), space.dims);
}

/// The offset of each element of `dims`, in order, by these strides.
std::vector<size_t> offsets(Dims const& dims, Dims const& strides) {
    std::vector<size_t> all(static_cast<size_t>(dims.volume()));
    Dims index = Dims::filled(dims.rank(), 0);
    for (size_t& offset : all) {
        offset = static_cast<size_t>(std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0}));
        nextIndex(index, dims);
    }
    return all;
}

std::vector<double> numbers(HostTensor const& tensor) {
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        std::vector<double> all;
        for (T const& element : tensor.as<T>()) all.push_back(static_cast<double>(element));
        return all;
    });
}

/// For each offset the mean of the numbers that belong to it.
std::vector<double> averages(std::vector<double> const& of, std::vector<size_t> const& places, size_t count) {
    std::vector<double> sums(count, 0);
    for (size_t i = 0; i < of.size(); ++i) sums[places[i]] += of[i];
    for (double& sum : sums) sum /= static_cast<double>(of.size()) / static_cast<double>(count);
    return sums;
}

} // namespace

NormalizationSpace::NormalizationSpace(Normalization const& layer, std::span<Dims const> inputs) : dims(inputs[0]) {
    folds = normalizedAxes(layer.axes, dims.rank());
    if (layer.groups != 1) {
        dims = split(dims, layer.groups);
        folds.insert(folds.begin() + kChannels, false);
        folds[kChannels + 1] = true;
    }
    auto const strides = [&](size_t input) {
        return parameterStrides(input < inputs.size() ? inputs[input] : Dims{}, inputs[0], *this, layer.groups);
    };
    scale = strides(Normalization::kScale);
    bias = strides(Normalization::kBias);
    shift = strides(Normalization::kShift);
}

std::string Normalization::inputName(int input) const {
    static constexpr std::string_view kNames[]{"input 0", "the scale", "the bias", "the skip", "the shift"};
    return input < kFirstExtra ? std::string(kNames[input]) : Layer::inputName(input);
}

// X [d0,…,dn], scale, bias and shift [broadcast to X], skip [d0,…,dn] → Y [d0,…,dn]
std::vector<Result> Normalization::infer(Operands const& in) const {
    in.expectCount(1, std::max(in.count(), int{kFirstExtra})).expectFloat(kX).expectRank(kX, 1, Dims::kMaxRank);
    checkAxes(*this, in[kX].shape);
    for (int input : {kScale, kBias, kShift}) {
        if (!in.has(input)) continue;
        in.expectSameType(kX, input);
        checkParameter(in, input, groups);
    }
    if (in.has(kSkip)) {
        in.expectSameType(kX, kSkip);
        checkSkip(in);
    }
    checkEpilogue(epilogue, in, kFirstExtra, in[kX].shape);
    return {{in[kX].type, in[kX].shape}};
}

void Normalization::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    auto const has = [&](size_t input) { return input < in.size() && in[input].data != nullptr; };
    std::vector<Dims> inputs;
    for (HostTensor const& tensor : in) inputs.push_back(tensor.dims);
    NormalizationSpace const space(*this, inputs);
    Dims kept = space.dims;
    for (int axis = 0; axis < kept.rank(); ++axis) kept[axis] = space.folds[static_cast<size_t>(axis)] ? 1 : kept[axis];
    auto const count = static_cast<size_t>(kept.volume());
    auto const place = offsets(space.dims, broadcastStrides(kept, space.dims));

    auto values = numbers(in[kX]);
    auto const skipped = has(kSkip) ? numbers(in[kSkip]) : std::vector<double>(values.size(), 0);
    auto const moved = has(kShift) ? numbers(in[kShift]) : std::vector<double>{0};
    auto const shiftAt = offsets(space.dims, space.shift);
    for (size_t i = 0; i < values.size(); ++i) values[i] += skipped[i] + moved[shiftAt[i]];
    auto const mean = averages(values, place, count);
    for (size_t i = 0; i < values.size(); ++i) values[i] -= centers ? mean[place[i]] : 0;
    auto squares = values;
    for (double& value : squares) value *= value;
    auto const variance = averages(squares, place, count);
    for (size_t i = 0; i < values.size(); ++i) values[i] /= std::sqrt(variance[place[i]] + epsilon);

    auto const scaled = has(kScale) ? numbers(in[kScale]) : std::vector<double>{1};
    auto const shifted = has(kBias) ? numbers(in[kBias]) : std::vector<double>{0};
    auto const scaleAt = offsets(space.dims, space.scale);
    auto const biasAt = offsets(space.dims, space.bias);
    std::vector<float> result;
    for (size_t i = 0; i < values.size(); ++i)
        result.push_back(static_cast<float>(values[i] * scaled[scaleAt[i]] + shifted[biasAt[i]]));
    finish(result, epilogue, in, out[0]);
}

} // namespace tenon
