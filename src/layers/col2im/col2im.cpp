// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/col2im/col2im.h"

#include "base/error.h"
#include "graph/elements.h"
#include "layers/col2im/column_places.h"

#include <algorithm>

namespace tenon {

namespace layers {
LayerEntry col2imLayer() { return entryOf<Col2Im>(); }
} // namespace layers

namespace {

int64_t orElse(std::vector<int64_t> const& list, size_t i, int64_t otherwise) {
    return list.empty() ? otherwise : list[i];
}

void expectLength(std::vector<int64_t> const& list, size_t length, int64_t least, std::string_view what) {
    if (list.empty()) return;
    if (list.size() != length)
        fail(ErrorCode::InvalidArgument, "there are ", list.size(), ' ', what, "; expected ", length);
    if (int64_t const found = *std::ranges::min_element(list); found < least)
        fail(ErrorCode::InvalidArgument, "one of the ", what, " is ", found, "; expected at least ", least);
}

} // namespace

ColumnPlaces::ColumnPlaces(Col2Im const& layer, Dims const& y, std::span<int64_t const> blockExtents)
    : rank(y.rank() - 2) {
    for (int i = 0; i < rank; ++i) {
        auto const at = static_cast<size_t>(i);
        Axis& axis = axes[i];
        axis = {y[2 + i],
                blockExtents[at],
                0,
                orElse(layer.strides, at, 1),
                orElse(layer.dilations, at, 1),
                orElse(layer.pads, at, 0)};
        int64_t const behind = orElse(layer.pads, at + static_cast<size_t>(rank), 0);
        int64_t const room = axis.extent + axis.before + behind - axis.dilation * (axis.block - 1) - 1;
        axis.places = room < 0 ? 0 : room / axis.stride + 1;
        picture *= axis.extent;
        block *= axis.block;
        places *= axis.places;
    }
}

std::string Col2Im::inputName(int input) const {
    if (input == kImage) return "image";
    return input == kBlock ? "block" : "columns";
}

// columns [N,C·block,L], image [k], block [k] → Y [N,C,image…]
std::vector<Result> Col2Im::infer(Operands const& in) const {
    in.expectCount(3, 3).expectNumbers(kColumns).expectRank(kColumns, 3, 3);
    in.expectInteger(kImage).expectRank(kImage, 1, 1).expectInteger(kBlock).expectRank(kBlock, 1, 1);
    Shape const image = in.valuesOf(kImage, "image");
    Shape const block = in.valuesOf(kBlock, "block");
    if (image.empty() || image.size() != block.size() || image.size() > ColumnPlaces::kMost)
        fail(ErrorCode::InvalidArgument, "image has ", image.size(), " axes and block ", block.size(),
             "; expected the same number, 1 to ", ColumnPlaces::kMost);
    expectLength(strides, image.size(), 1, "strides");
    expectLength(dilations, image.size(), 1, "dilations");
    expectLength(pads, 2 * image.size(), 0, "pads");
    for (DimExpr const& extent : block) {
        if (extent.constantOr(1) < 1) fail(ErrorCode::InvalidArgument, "block is ", block, "; expected 1 or more");
    }
    Shape const& columns = in[kColumns].shape;
    DimExpr const size = volume(block);
    if (columns[1].isConstant() && size.isConstant() && columns[1].constant() % size.constant() != 0)
        fail(ErrorCode::InvalidArgument, "columns ", columns, " has ", columns[1], " rows; a block ", block, " makes ",
             size, " of each channel");
    Shape y{columns[0], floorDiv(columns[1], size)};
    y.insert(y.end(), image.begin(), image.end());
    bool const known = columns[2].isConstant() && isConstant(image) && isConstant(block);
    if (!known) return {{in[kColumns].type, y}};
    Dims const extents = toDims(block);
    Shape channel{0, 0};
    channel.insert(channel.end(), image.begin(), image.end());
    if (ColumnPlaces const places(*this, toDims(channel), extents.span()); places.places != columns[2].constant())
        fail(ErrorCode::InvalidArgument, "columns ", columns, " has ", columns[2], " columns; a block ", block, " has ",
             places.places, " positions in an image ", image);
    return {{in[kColumns].type, y}};
}

void Col2Im::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    ColumnPlaces const places(*this, out[0].dims, integersIn(in[kBlock]));
    dispatch(in[kColumns].type, [&]<class T>(TypeTag<T>) {
        using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
        for (int64_t i = 0; i < out[0].dims.volume(); ++i) {
            int64_t const channel = i / places.picture;
            T const* const columns = static_cast<T const*>(in[kColumns].data) + channel * places.block * places.places;
            static_cast<T*>(out[0].data)[i] = static_cast<T>(places.at<Sum>(columns, i % places.picture));
        }
    });
}

} // namespace tenon
