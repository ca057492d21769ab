// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rotary_embedding/rotary_embedding.h"

#include "base/error.h"
#include "graph/elements.h"

namespace tenon {

namespace layers {
LayerEntry rotaryEmbeddingLayer() { return entryOf<RotaryEmbedding>(); }
} // namespace layers

void failOnPosition(int64_t position, int64_t positions) {
    fail(ErrorCode::InvalidArgument, "position ", position, " is out of range; the number of cosines is ", positions);
}

namespace {

bool mayBeEqual(DimExpr const& a, DimExpr const& b) {
    return a.constantOr(b.constantOr(0)) == b.constantOr(a.constantOr(0));
}

void expectTurned(RotaryEmbedding const& layer, DimExpr const& size) {
    int64_t const turned = layer.turned == 0 ? size.constantOr(0) : layer.turned;
    if (turned < 0 || turned % 2 != 0 || turned > size.constantOr(INT64_MAX))
        fail(ErrorCode::InvalidArgument, "rotates ", turned, " elements of heads of ", size,
             "; expected an even number up to that");
}

/// Of cosines or sines.
void expectTable(RotaryEmbedding const& layer, Operands const& in, int input) {
    Shape const& x = in[RotaryEmbedding::kX].shape;
    DimExpr const turned = layer.turned == 0 ? x[3] : DimExpr(layer.turned);
    DimExpr const pairs = floorDiv(turned, 2);
    Shape const& found = in[input].shape;
    Shape expected{x[0], layer.sequenceFirst ? x[1] : x[2], pairs};
    if (in.has(RotaryEmbedding::kPositions)) expected = {in[RotaryEmbedding::kCosines].shape[0], pairs};
    bool fits = found.size() == expected.size();
    for (size_t axis = 0; fits && axis < expected.size(); ++axis) fits = mayBeEqual(found[axis], expected[axis]);
    if (!fits)
        fail(ErrorCode::InvalidArgument, layer.inputName(input), " have shape ", found, "; expected ", expected,
             in.has(RotaryEmbedding::kPositions) ? "" : " without positions");
}

void expectPositions(RotaryEmbedding const& layer, Operands const& in) {
    in.expectInteger(RotaryEmbedding::kPositions).expectRank(RotaryEmbedding::kPositions, 2, 2);
    Shape const& x = in[RotaryEmbedding::kX].shape;
    Shape const& found = in[RotaryEmbedding::kPositions].shape;
    DimExpr const& tokens = x[layer.sequenceFirst ? 1 : 2];
    if (!mayBeEqual(found[0], x[0]) || !mayBeEqual(found[1], tokens))
        fail(ErrorCode::InvalidArgument, "positions have shape ", found, "; expected ", Shape{x[0], tokens},
             ", one for each token of X ", x);
}

int64_t positionOf(std::span<int64_t const> positions, int64_t token, int64_t count) {
    int64_t const position = positions[static_cast<size_t>(token)];
    if (position < -count || position >= count) failOnPosition(position, count);
    return position < 0 ? position + count : position;
}

} // namespace

std::string RotaryEmbedding::inputName(int input) const {
    static constexpr std::string_view kNames[kInputs]{"X", "cosines", "sines", "positions"};
    return input < kInputs ? std::string(kNames[input]) : Layer::inputName(input);
}

// X [N,H,S,D], cosines and sines [N,S,r/2], or [P,r/2] and positions [N,S] → Y [N,H,S,D]
std::vector<Result> RotaryEmbedding::infer(Operands const& in) const {
    in.expectCount(3, 4).expectFloat(kX).expectRank(kX, 4, 4);
    in.expectSameType(kX, kCosines).expectSameType(kX, kSines);
    int const rank = in.has(kPositions) ? 2 : 3;
    in.expectRank(kCosines, rank, rank).expectRank(kSines, rank, rank);
    expectTurned(*this, in[kX].shape[3]);
    expectTable(*this, in, kCosines);
    expectTable(*this, in, kSines);
    if (in.has(kPositions)) expectPositions(*this, in);
    return {{in[kX].type, in[kX].shape}};
}

Rotation::Rotation(RotaryEmbedding const& layer, std::span<Dims const> inputs) {
    Dims const& x = inputs[RotaryEmbedding::kX];
    size = x[3];
    rows = x.volume(0, 3);
    pairs = (layer.turned == 0 ? size : layer.turned) / 2;
    apart = layer.interleaved ? 1 : pairs;
    next = layer.interleaved ? 2 : 1;
    tokensOuter = layer.sequenceFirst;
    tokens = x[tokensOuter ? 1 : 2];
    heads = x[tokensOuter ? 2 : 1];
    positions = inputs[RotaryEmbedding::kCosines].rank() == 2 ? inputs[RotaryEmbedding::kCosines][0] : 0;
}

void RotaryEmbedding::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<Dims> dims;
    for (HostTensor const& tensor : in) dims.push_back(tensor.dims);
    Rotation const rotation(*this, dims);
    bool const looksUp = in.size() > kPositions && in[kPositions].data != nullptr;
    auto const positions = looksUp ? integersIn(in[kPositions]) : std::vector<int64_t>{};
    dispatch(in[kX].type, [&]<class T>(TypeTag<T>) {
        for (int64_t row = 0; row < rotation.rows; ++row) {
            T const* x = in[kX].as<T>().data() + row * rotation.size;
            T* y = out[0].as<T>().data() + row * rotation.size;
            int64_t const token = rotation.tokenOf(row);
            int64_t const at = looksUp ? positionOf(positions, token, rotation.positions) : token;
            for (int64_t pair = 0; pair < rotation.pairs; ++pair) {
                auto const cosine = static_cast<double>(in[kCosines].as<T>().data()[at * rotation.pairs + pair]);
                auto const sine = static_cast<double>(in[kSines].as<T>().data()[at * rotation.pairs + pair]);
                auto const a = static_cast<double>(x[pair * rotation.next]);
                auto const b = static_cast<double>(x[pair * rotation.next + rotation.apart]);
                y[pair * rotation.next] = static_cast<T>(static_cast<float>(a * cosine - b * sine));
                y[pair * rotation.next + rotation.apart] = static_cast<T>(static_cast<float>(a * sine + b * cosine));
            }
            for (int64_t i = 2 * rotation.pairs; i < rotation.size; ++i) y[i] = x[i];
        }
    });
}

} // namespace tenon
