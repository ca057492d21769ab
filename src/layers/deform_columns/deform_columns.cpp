// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_columns/deform_columns.h"

#include "base/error.h"
#include "layers/deform_columns/deform_places.h"

#include <algorithm>
#include <array>

namespace tenon {

namespace layers {
LayerEntry deformColumnsLayer() { return entryOf<DeformColumns>(); }
} // namespace layers

namespace {

enum Inputs { kX, kMoves, kFactors };

void expectList(std::vector<int64_t> const& list, size_t length, int64_t least, std::string_view what) {
    if (list.size() != length)
        fail(ErrorCode::InvalidArgument, "there are ", list.size(), ' ', what, "; expected ", length);
    if (int64_t const found = *std::ranges::min_element(list); found < least)
        fail(ErrorCode::InvalidArgument, "one of the ", what, " is ", found, "; expected at least ", least);
}

void expectFields(DeformColumns const& layer) {
    expectList(layer.kernel, 2, 1, "extents of the filters");
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

/// The places of the filters along an axis of X.
DimExpr placesAlong(DeformColumns const& layer, size_t axis, DimExpr const& extent) {
    int64_t const length = layer.dilations[axis] * (layer.kernel[axis] - 1) + 1;
    return floorDiv(extent + layer.pads[axis] + layer.pads[axis + 2] - length, layer.strides[axis]) + 1;
}

} // namespace

std::string DeformColumns::inputName(int input) const {
    constexpr std::array<std::string_view, 3> all{"X", "offset", "mask"};
    auto const at = static_cast<size_t>(input);
    return at < all.size() ? std::string(all[at]) : Layer::inputName(input);
}

// X [N,C,H,W], moves [N,M·kh·kw·2,h,w], factors? [N,M·kh·kw,h,w] → columns [N,groups,C/groups·kh·kw,h·w]
std::vector<Result> DeformColumns::infer(Operands const& in) const {
    in.expectCount(2, 3).expectFloat(kX).expectRank(kX, 4, 4).expectFloat(kMoves).expectRank(kMoves, 4, 4);
    expectFields(*this);
    Shape const& x = in[kX].shape;
    Shape const& moves = in[kMoves].shape;
    int64_t const elements = kernel[0] * kernel[1];
    if (x[1].constantOr(0) % parts != 0 || x[1].constantOr(0) % groups != 0)
        fail(ErrorCode::InvalidArgument, "X ", x, " has ", x[1], " channels, which are no multiple of ", parts,
             " parts with offsets and of ", groups, " groups");
    Shape const expected{x[0], 2 * parts * elements, placesAlong(*this, 0, x[2]), placesAlong(*this, 1, x[3])};
    for (size_t axis = 0; axis < expected.size(); ++axis) {
        if (differ(moves[axis], expected[axis]))
            fail(ErrorCode::InvalidArgument, "offset has shape ", moves, "; expected ", expected);
    }
    if (in.has(kFactors)) {
        in.expectSameType(kMoves, kFactors).expectRank(kFactors, 4, 4);
        Shape const ofFactors{x[0], parts * elements, moves[2], moves[3]};
        for (size_t axis = 0; axis < ofFactors.size(); ++axis) {
            if (differ(in[kFactors].shape[axis], ofFactors[axis]))
                fail(ErrorCode::InvalidArgument, "mask has shape ", in[kFactors].shape, "; expected ", ofFactors);
        }
    }
    return {{in[kX].type, {x[0], groups, floorDiv(x[1], groups) * elements, moves[2] * moves[3]}}};
}

void DeformColumns::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    DeformPlaces const places(*this, in[kX].dims, in[kMoves].dims);
    auto const numbers = [](HostTensor const& tensor) {
        return Literal::borrowed(tensor.type, tensor.dims, tensor.data, nullptr).toFloat();
    };
    auto const moves = numbers(in[kMoves]);
    bool const hasFactors = in.size() > kFactors && in[kFactors].data;
    auto const factors = hasFactors ? numbers(in[kFactors]) : std::vector<float>();
    int64_t const rows = in[kX].dims[0] * parts * places.kernel();
    for (int64_t i = 0; i < rows * places.places(); ++i) {
        DeformTaps const taps = places.taps(moves.data(), i / places.places(), i % places.places());
        float const factor = hasFactors ? factors[static_cast<size_t>(i)] : 1;
        dispatch(in[kX].type, [&]<class T>(TypeTag<T>) {
            for (int64_t c = 0; c < places.channelsOfPart(); ++c) {
                int64_t const row = i / places.places();
                T const* const channel =
                    static_cast<T const*>(in[kX].data) + places.channel(row, c) * places.height * places.width;
                static_cast<T*>(out[0].data)[places.column(row, c, i % places.places())] = T(factor * taps.of(channel));
            }
        });
    }
}

} // namespace tenon
