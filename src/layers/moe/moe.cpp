// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moe/moe.h"

#include "base/error.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry moeLayer() { return entryOf<Moe>(); }
} // namespace layers

std::span<std::string_view const> names(Moe::Activation) {
    static constexpr std::array<std::string_view, 2> all{"None", "Silu"};
    return all;
}

namespace {

constexpr std::string_view kNames[]{
    "the hidden states", "the selected experts", "the scores",       "the gate weights",   "the up weights",
    "the down weights",  "the biases of gate",   "the biases of up", "the biases of down", "the scale of the products"};

void expectShape(Operands const& in, int input, Shape const& expected) {
    if (!in.has(input)) return;
    Shape const& found = in[input].shape;
    bool const fits = std::ranges::equal(found, expected, [](DimExpr const& a, DimExpr const& b) {
        return a == b || !a.isConstant() || !b.isConstant();
    });
    if (!fits)
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " have shape ", found, "; expected ", expected, " for ",
             in.nameOf(Moe::kX), ' ', in[Moe::kX].shape, " and ", in.nameOf(Moe::kGate), ' ', in[Moe::kGate].shape);
}

void expectFields(Moe const& layer) {
    if (!(layer.limit >= 0) || !std::isfinite(layer.limit) || !std::isfinite(layer.alpha) || !std::isfinite(layer.beta))
        fail(ErrorCode::InvalidArgument, "has limit ", layer.limit, ", alpha ", layer.alpha, " and beta ", layer.beta,
             "; expected a limit above 0 (or 0: none), and finite numbers");
}

/// [1,1,1,n] for h of rank 4
std::string blocksOfRank(int rank) {
    std::string ones;
    for (int axis = 1; axis < rank; ++axis) ones += "1,";
    return text('[', ones, "n]");
}

void expectBlocks(Moe const& layer, int rank) {
    auto const expected = [&] {
        return text("; expected ", blocksOfRank(rank), ", n products along the last axis, 1 or more, or -1 for all");
    };
    Shape const blocks(layer.blocks.begin(), layer.blocks.end());
    if (layer.blocks.empty())
        fail(ErrorCode::InvalidArgument, "has scales of type ", layer.scaleType, ", but their blocks are missing",
             expected());
    if (layer.scaleType == DataType::Float32)
        fail(ErrorCode::InvalidArgument, "quantizes in blocks of ", blocks,
             ", but the type of their scales is missing; expected float8 or e8m0");
    checkScaleType(layer.scaleType);
    int64_t const last = layer.blocks.back();
    bool const fit = static_cast<int>(layer.blocks.size()) == rank && (last >= 1 || last == -1) &&
                     std::ranges::count(layer.blocks.begin(), layer.blocks.end() - 1, 1) == rank - 1;
    if (!fit) fail(ErrorCode::InvalidArgument, "quantizes in blocks of ", blocks, expected());
}

void expectRounding(Moe const& layer, Operands const& in) {
    bool const hasBlocks = !layer.blocks.empty() || layer.scaleType != DataType::Float32;
    if (layer.quantizeTo == DataType::Float32) {
        if (in.has(Moe::kScale) || hasBlocks)
            fail(ErrorCode::InvalidArgument, "has ", in.has(Moe::kScale) ? in.nameOf(Moe::kScale) : "blocks",
                 ", but the type to quantize to is missing; expected float8 or float4");
        return;
    }
    checkQuantizeTo(layer.quantizeTo);
    if (!in.has(Moe::kScale))
        fail(ErrorCode::InvalidArgument, "quantizes to ", layer.quantizeTo, ", but ", in.nameOf(Moe::kScale),
             " is missing");
    in.expectFloat(Moe::kScale).expectOneElement(Moe::kScale);
    if (hasBlocks) expectBlocks(layer, in.rank(Moe::kX) + 1);
}

/// The elements of a tensor; empty if it is absent.
std::vector<double> numbersIn(std::span<HostTensor const> in, size_t input) {
    if (input >= in.size() || in[input].data == nullptr) return {};
    return dispatch(in[input].type, [&]<class T>(TypeTag<T>) {
        std::vector<double> all;
        for (T const& element : in[input].as<T>()) all.push_back(static_cast<double>(element));
        return all;
    });
}

/// x [rows] times the matrix of an expert among [E,rows,columns], plus its bias.
std::vector<double> times(std::span<double const> x, std::vector<double> const& matrices,
                          std::vector<double> const& biases, size_t expert, size_t columns) {
    std::vector<double> y(columns, 0);
    for (size_t column = 0; column < columns; ++column) {
        if (!biases.empty()) y[column] = biases[expert * columns + column];
        for (size_t row = 0; row < x.size(); ++row)
            y[column] += x[row] * matrices[(expert * x.size() + row) * columns + column];
    }
    return y;
}

double gated(Moe const& layer, double gate, double up) {
    if (layer.limit > 0) {
        gate = std::min(gate, layer.limit);
        up = std::clamp(up, -layer.limit, layer.limit);
    }
    if (layer.activation == Moe::Activation::Silu) gate /= 1 + std::exp(-layer.alpha * gate);
    return gate * (up + layer.beta);
}

std::vector<double> rounded(std::vector<double> const& hidden, MoeRounding const& rounding, double given) {
    std::vector<float> row(hidden.begin(), hidden.end());
    rounding.round(row, static_cast<float>(given));
    return {row.begin(), row.end()};
}

} // namespace

std::string Moe::inputName(int input) const { return std::string(kNames[input]); }

MoeProblem::MoeProblem(std::span<Dims const> inputs) {
    Dims const& x = inputs[Moe::kX];
    Dims const& chosenOnes = inputs[Moe::kExperts];
    Dims const& gate = inputs[Moe::kGate];
    tokens = x.volume(0, x.rank() - 1);
    chosen = chosenOnes[chosenOnes.rank() - 1];
    experts = gate[0];
    size = gate[1];
    inner = gate[2];
}

MoeRounding::MoeRounding(Moe const& layer, int64_t inner)
    : to(layer.quantizeTo), scaleType(layer.scaleType), block(std::max<int64_t>(inner, 1)) {
    if (!layer.blocks.empty() && layer.blocks.back() > 0) block = std::min(block, layer.blocks.back());
}

void MoeRounding::round(std::span<float> row, float given) const {
    for (size_t at = 0; at < row.size(); at += static_cast<size_t>(block)) {
        auto const part = row.subspan(at, std::min(row.size() - at, static_cast<size_t>(block)));
        float most = 0;
        for (float const h : part) most = std::max(most, std::abs(h));
        float const scale = scaleOf(most, given);
        for (float& h : part) h = rounded(h, scale);
    }
}

void checkQuantizeTo(DataType type) {
    if (type != DataType::Float8 && type != DataType::Float4)
        fail(ErrorCode::InvalidArgument, "quantizes to ", type, "; expected float8 or float4");
}

void checkScaleType(DataType type) {
    if (type != DataType::Float8 && type != DataType::E8M0)
        fail(ErrorCode::InvalidArgument, "has scales of type ", type, "; expected float8 or e8m0");
}

void checkExperts(std::span<int32_t const> chosen, int64_t experts) {
    auto const wrong = std::ranges::find_if(chosen, [&](int32_t one) { return one < 0 || one >= experts; });
    if (wrong != chosen.end())
        fail(ErrorCode::InvalidArgument, "expert ", *wrong, " is selected; there are ", experts, ", counted from 0");
}

// X […,C], experts and scores […,k], weights [E,C,H], [E,C,H], [E,H,C], biases?, scale? → Y […,C]
std::vector<Result> Moe::infer(Operands const& in) const {
    in.expectCount(3, kInputs);
    for (int const input : {kGate, kUp, kDown}) {
        if (!in.has(input)) fail(ErrorCode::InvalidArgument, in.nameOf(input), " are missing");
    }
    in.expectFloat(kX).expectRank(kX, 2, Dims::kMaxRank).expectRank(kGate, 3, 3);
    expectFields(*this);
    if (in[kExperts].type != DataType::Int32)
        fail(ErrorCode::InvalidArgument, in.nameOf(kExperts), " are ", in[kExperts].type, "; expected int32");
    for (int input = kScores; input < kScale; ++input) {
        if (in.has(input)) in.expectSameType(kX, input);
    }
    Shape choices = in[kX].shape;
    choices.back() = in[kExperts].shape.empty() ? DimExpr(1) : in[kExperts].shape.back();
    Shape const& gate = in[kGate].shape;
    DimExpr const& size = in[kX].shape.back();
    expectShape(in, kExperts, choices);
    expectShape(in, kScores, choices);
    expectShape(in, kGate, {gate[0], size, gate[2]});
    expectShape(in, kUp, {gate[0], size, gate[2]});
    expectShape(in, kDown, {gate[0], gate[2], size});
    for (int const input : {kGateBias, kUpBias}) expectShape(in, input, {gate[0], gate[2]});
    expectShape(in, kDownBias, {gate[0], size});
    expectRounding(*this, in);
    return {{in[kX].type, in[kX].shape}};
}

void Moe::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<Dims> dims;
    for (HostTensor const& tensor : in) dims.push_back(tensor.dims);
    MoeProblem const p(dims);
    MoeRounding const rounding(*this, p.inner);
    auto const chosen = in[kExperts].as<int32_t>();
    checkExperts(chosen, p.experts);
    std::vector<std::vector<double>> numbers;
    for (size_t input = 0; input < kInputs; ++input) numbers.push_back(numbersIn(in, input));
    auto const size = static_cast<size_t>(p.size);
    auto const inner = static_cast<size_t>(p.inner);
    std::vector<double> all(static_cast<size_t>(p.tokens) * size, 0);
    for (size_t row = 0; row < chosen.size(); ++row) {
        auto const expert = static_cast<size_t>(chosen[row]);
        size_t const token = row / static_cast<size_t>(p.chosen) * size;
        auto const x = std::span(numbers[kX]).subspan(token, size);
        auto hidden = times(x, numbers[kGate], numbers[kGateBias], expert, inner);
        auto const up = times(x, numbers[kUp], numbers[kUpBias], expert, inner);
        for (size_t i = 0; i < inner; ++i) hidden[i] = gated(*this, hidden[i], up[i]);
        if (rounding.rounds()) hidden = rounded(hidden, rounding, numbers[kScale][0]);
        auto const y = times(hidden, numbers[kDown], numbers[kDownBias], expert, size);
        for (size_t i = 0; i < size; ++i) all[token + i] += numbers[kScores][row] * y[i];
    }
    dispatch(out[0].type, [&]<class T>(TypeTag<T>) {
        for (size_t i = 0; i < all.size(); ++i) out[0].as<T>()[i] = static_cast<T>(static_cast<float>(all[i]));
    });
}

} // namespace tenon
