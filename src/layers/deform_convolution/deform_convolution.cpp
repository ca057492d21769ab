// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_convolution/deform_convolution.h"

#include "base/error.h"
#include "layers/deform_convolution/deform_places.h"
#include "steps/epilogue.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tenon {

namespace layers {
LayerEntry deformConvolutionLayer() { return entryOf<DeformConvolution>(); }
} // namespace layers

namespace {

using enum DeformConvolution::Inputs;

void expectList(std::vector<int64_t> const& list, size_t length, int64_t least, std::string_view what) {
    if (list.size() != length)
        fail(ErrorCode::InvalidArgument, "there are ", list.size(), ' ', what, "; expected ", length);
    if (int64_t const found = *std::ranges::min_element(list); found < least)
        fail(ErrorCode::InvalidArgument, "one of the ", what, " is ", found, "; expected at least ", least);
}

void expectFields(DeformConvolution const& layer) {
    expectList(layer.strides, 2, 1, "strides");
    expectList(layer.dilations, 2, 1, "dilations");
    expectList(layer.pads, 4, 0, "pads");
    if (layer.parts < 1 || layer.groups < 1)
        fail(ErrorCode::InvalidArgument, "there are ", layer.parts, " parts and ", layer.groups,
             " groups of the channels; expected at least 1");
}

bool differ(DimExpr const& a, DimExpr const& b) {
    return a.isConstant() && b.isConstant() && a.constant() != b.constant();
}

void expectShape(Shape const& found, Shape const& expected, std::string_view what) {
    for (size_t axis = 0; axis < expected.size(); ++axis) {
        if (differ(found[axis], expected[axis]))
            fail(ErrorCode::InvalidArgument, what, " has shape ", found, "; expected ", expected);
    }
}

void expectChannels(DeformConvolution const& layer, Shape const& x, Shape const& w) {
    if (x[1].constantOr(0) % layer.parts != 0)
        fail(ErrorCode::InvalidArgument, "X ", x, " has ", x[1], " channels; expected a multiple of ", layer.parts,
             " parts with offsets");
    if (differ(w[1] * DimExpr(layer.groups), x[1]))
        fail(ErrorCode::InvalidArgument, "W ", w, " has ", w[1], " channels in each of ", layer.groups, " groups, X ",
             x, " has ", x[1]);
    if (w[0].constantOr(0) % layer.groups != 0)
        fail(ErrorCode::InvalidArgument, "W ", w, " has ", w[0], " filters for ", layer.groups,
             " groups; expected a multiple");
    if (w[2].constantOr(1) < 1 || w[3].constantOr(1) < 1)
        fail(ErrorCode::InvalidArgument, "W ", w, " has filters without elements");
}

/// The positions of the filters along an axis of X.
DimExpr placesAlong(DeformConvolution const& layer, size_t axis, DimExpr const& extent, DimExpr const& size) {
    DimExpr const length = (size - 1) * DimExpr(layer.dilations[axis]) + 1;
    return floorDiv(extent + layer.pads[axis] + layer.pads[axis + 2] - length, layer.strides[axis]) + 1;
}

/// The elements that the filters read at a position: one for each channel and filter element.
std::vector<float> metAt(DeformPlaces const& places, std::span<HostTensor const> in, int64_t item, int64_t place) {
    auto const moves = static_cast<float const*>(in[kMoves].data);
    auto const factors = static_cast<float const*>(in[kFactors].data);
    int64_t const rows = places.parts * places.kernel();
    std::vector<float> met(static_cast<size_t>(places.channels * places.kernel()));
    for (int64_t row = item * rows; row < (item + 1) * rows; ++row) {
        DeformTaps const taps = places.taps(moves, row, place);
        float const factor = factors == nullptr ? 1 : factors[row * places.places() + place];
        for (int64_t c = 0; c < places.channelsOfPart(); ++c) {
            int64_t const channel = places.channel(row, c);
            float const* const x = static_cast<float const*>(in[kX].data) + channel * places.height * places.width;
            int64_t const to = (channel - item * places.channels) * places.kernel() + row % places.kernel();
            met[static_cast<size_t>(to)] = factor * taps.of(x);
        }
    }
    return met;
}

} // namespace

std::string DeformConvolution::inputName(int input) const {
    constexpr std::array<std::string_view, kInputs> all{"X", "W", "offset", "bias", "mask"};
    auto const at = static_cast<size_t>(input);
    return at < all.size() ? std::string(all[at]) : Layer::inputName(input);
}

std::vector<Result> DeformConvolution::infer(Operands const& in) const {
    in.expectCount(kMoves + 1, kInputs).expectFloat(kX).expectRank(kX, 4, 4).expectSameType(kX, kWeights);
    in.expectRank(kWeights, 4, 4).expectFloat(kMoves).expectRank(kMoves, 4, 4);
    expectFields(*this);
    Shape const& x = in[kX].shape;
    Shape const& w = in[kWeights].shape;
    Shape const& moves = in[kMoves].shape;
    expectChannels(*this, x, w);
    DimExpr const elements = w[2] * w[3] * DimExpr(parts);
    expectShape(moves,
                {x[0], elements * DimExpr(2), placesAlong(*this, 0, x[2], w[2]), placesAlong(*this, 1, x[3], w[3])},
                "offset");
    if (in.has(kBias)) {
        in.expectSameType(kX, kBias).expectRank(kBias, 1, 1);
        expectShape(in[kBias].shape, {w[0]}, "bias");
    }
    if (in.has(kFactors)) {
        in.expectSameType(kMoves, kFactors).expectRank(kFactors, 4, 4);
        expectShape(in[kFactors].shape, {x[0], elements, moves[2], moves[3]}, "mask");
    }
    return {{in[kX].type, {x[0], w[0], moves[2], moves[3]}}};
}

void DeformConvolution::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    DeformPlaces const places(*this, in[kX].dims, in[kWeights].dims, in[kMoves].dims);
    std::array<std::vector<float>, kInputs> numbers;
    std::array<HostTensor, kInputs> floats;
    for (size_t i = 0; i < in.size(); ++i) {
        numbers[i] = toFloats(in[i]);
        if (in[i].data != nullptr) floats[i] = {DataType::Float32, in[i].dims, numbers[i].data()};
    }
    Dims const& y = out[0].dims;
    auto const perFilter = static_cast<size_t>(in[kWeights].dims.volume(1, 4));
    std::vector<float> result(static_cast<size_t>(y.volume()));
    for (int64_t i = 0; i < y[0] * places.places(); ++i) {
        int64_t const item = i / places.places();
        int64_t const place = i % places.places();
        std::vector<float> const met = metAt(places, floats, item, place);
        for (int64_t k = 0; k < y[1]; ++k) {
            float const* const w = numbers[kWeights].data() + static_cast<size_t>(k) * perFilter;
            auto const ofGroup =
                met.begin() + static_cast<std::ptrdiff_t>(k / (y[1] / groups)) * std::ssize(met) / groups;
            double const bias = floats[kBias].data == nullptr ? 0 : numbers[kBias][static_cast<size_t>(k)];
            double const sum = std::inner_product(w, w + perFilter, ofGroup, bias);
            result[static_cast<size_t>((item * y[1] + k) * places.places() + place)] = static_cast<float>(sum);
        }
    }
    finish(result, {}, in, out[0]);
}

} // namespace tenon
