// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "base/error.h"

#include <cmath>

namespace tenon {

namespace layers {
LayerEntry linearAttentionLayer() { return entryOf<LinearAttention>(); }
} // namespace layers

namespace {

using enum LinearAttention::Input;

void expectHeads(LinearAttention const& layer) {
    if (layer.keyHeads < 1 || layer.queryHeads < 1 || layer.queryHeads % layer.keyHeads != 0)
        fail(ErrorCode::InvalidArgument, layer.queryHeads, " heads of the query for ", layer.keyHeads,
             " of the key; expected a multiple of them");
}

void expectShape(LinearAttention const& layer, Operands const& in, int input, Shape const& expected) {
    Shape const& found = in[input].shape;
    bool fits = found.size() == expected.size();
    for (size_t i = 0; fits && i < expected.size(); ++i)
        fits = found[i].constantOr(expected[i].constantOr(0)) == expected[i].constantOr(found[i].constantOr(0));
    if (!fits) fail(ErrorCode::InvalidArgument, layer.inputName(input), " has shape ", found, "; expected ", expected);
}

/// Of decay or beta: one number a head, or `other`.
void expectPerToken(LinearAttention const& layer, Operands const& in, int input, DimExpr const& other) {
    in.expectSameType(kQuery, input).expectRank(input, 3, 3);
    Shape expected{in[kQuery].shape[0], in[kQuery].shape[1], other};
    if (in[input].shape[2].constantOr(-1) == layer.keyHeads) expected[2] = layer.keyHeads;
    expectShape(layer, in, input, expected);
}

double number(HostTensor const& tensor, int64_t i) {
    return dispatch(tensor.type,
                    [&]<class T>(TypeTag<T>) { return static_cast<double>(tensor.as<T>()[static_cast<size_t>(i)]); });
}

void set(HostTensor const& tensor, int64_t i, double value) {
    dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        tensor.as<T>()[static_cast<size_t>(i)] = static_cast<T>(static_cast<float>(value));
    });
}

/// One head, token by token.
class HeadByHead {
public:
    HeadByHead(Recurrence const& of, std::span<HostTensor const> in, std::span<HostTensor const> out)
        : of_(of), in_(in), out_(out) {}

    void run(int64_t n, int64_t head) {
        int64_t const first = (n * of_.heads + head) * of_.stateSize();
        state_.assign(static_cast<size_t>(of_.stateSize()), 0);
        bool const hasPast = in_.size() > kPast && in_[kPast].data != nullptr;
        for (int64_t i = 0; hasPast && i < of_.stateSize(); ++i) at(i) = number(in_[kPast], first + i);
        for (int64_t t = 0; t < of_.tokens; ++t) {
            update(n * of_.tokens + t, head);
            for (int64_t member = 0; member < of_.group; ++member) read(n * of_.tokens + t, head * of_.group + member);
        }
        for (int64_t i = 0; i < of_.stateSize(); ++i) set(out_[1], first + i, at(i));
    }

private:
    double& at(int64_t i) { return state_[static_cast<size_t>(i)]; }

    void update(int64_t token, int64_t head) {
        int64_t const key = (token * of_.heads + head) * of_.keySize;
        for (int64_t i = 0; of_.decayWidth != 0 && i < of_.keySize; ++i) {
            int64_t const place = of_.decayWidth == of_.heads ? head : head * of_.keySize + i;
            double const factor = std::exp(number(in_[kDecay], token * of_.decayWidth + place));
            for (int64_t j = 0; j < of_.valueSize; ++j) at(i * of_.valueSize + j) *= factor;
        }
        for (int64_t j = 0; j < of_.valueSize; ++j) {
            double value = number(in_[kValue], (token * of_.heads + head) * of_.valueSize + j);
            for (int64_t i = 0; of_.corrects && i < of_.keySize; ++i)
                value -= at(i * of_.valueSize + j) * number(in_[kKey], key + i);
            if (of_.corrects) value *= number(in_[kBeta], token * of_.betaWidth + (of_.betaWidth == 1 ? 0 : head));
            for (int64_t i = 0; i < of_.keySize; ++i) at(i * of_.valueSize + j) += number(in_[kKey], key + i) * value;
        }
    }

    void read(int64_t token, int64_t queryHead) {
        int64_t const row = token * of_.heads * of_.group + queryHead;
        for (int64_t j = 0; j < of_.valueSize; ++j) {
            double sum = 0;
            for (int64_t i = 0; i < of_.keySize; ++i)
                sum += number(in_[kQuery], row * of_.keySize + i) * at(i * of_.valueSize + j);
            set(out_[0], row * of_.valueSize + j, sum * static_cast<double>(of_.scale));
        }
    }

    Recurrence of_;
    std::span<HostTensor const> in_, out_;
    std::vector<double> state_; // [K,V]
};

} // namespace

std::string LinearAttention::inputName(int input) const {
    static constexpr std::string_view kNames[kInputs]{"query", "key", "value", "past", "decay", "beta"};
    return input < kInputs ? std::string(kNames[input]) : Layer::inputName(input);
}

// query [N,T,Hq·K], key [N,T,H·K], value [N,T,H·V], past [N,H,K,V], decay [N,T,H…], beta [N,T,H]
// → Y [N,T,Hq·V], present [N,H,K,V]
std::vector<Result> LinearAttention::infer(Operands const& in) const {
    in.expectCount(3, kInputs).expectFloat(kQuery).expectSameType(kQuery, kKey).expectSameType(kQuery, kValue);
    for (int const input : {kQuery, kKey, kValue}) in.expectRank(input, 3, 3);
    expectHeads(*this);
    DimExpr const& n = in[kQuery].shape[0];
    DimExpr const& tokens = in[kQuery].shape[1];
    DimExpr const keySize = floorDiv(in[kQuery].shape[2], queryHeads);
    DimExpr const valueSize = floorDiv(in[kValue].shape[2], keyHeads);
    expectShape(*this, in, kQuery, {n, tokens, keySize * queryHeads});
    expectShape(*this, in, kKey, {n, tokens, keySize * keyHeads});
    expectShape(*this, in, kValue, {n, tokens, valueSize * keyHeads});
    Shape const state{n, keyHeads, keySize, valueSize};
    if (in.has(kPast)) expectShape(*this, in.expectFloat(kPast), kPast, state);
    if (in.has(kDecay)) expectPerToken(*this, in, kDecay, keySize * keyHeads);
    if (in.has(kBeta)) expectPerToken(*this, in, kBeta, 1);
    if (in.has(kBeta) != corrects)
        fail(ErrorCode::InvalidArgument,
             corrects ? "the delta rule expects a beta" : "has a beta, which no rule but delta reads");
    return {{in[kQuery].type, {n, tokens, valueSize * queryHeads}},
            {in.has(kPast) ? in[kPast].type : in[kQuery].type, state}};
}

Recurrence::Recurrence(LinearAttention const& layer, std::span<Dims const> inputs) {
    auto const width = [&](size_t input) {
        return inputs.size() > input && inputs[input].rank() == 3 ? inputs[input][2] : 0;
    };
    batch = inputs[kQuery][0];
    tokens = inputs[kQuery][1];
    heads = layer.keyHeads;
    group = layer.queryHeads / layer.keyHeads;
    keySize = inputs[kQuery][2] / layer.queryHeads;
    valueSize = inputs[kValue][2] / layer.keyHeads;
    decayWidth = width(kDecay);
    betaWidth = width(kBeta);
    corrects = layer.corrects;
    scale = static_cast<float>(layer.scale != 0 ? layer.scale : 1 / std::sqrt(static_cast<double>(keySize)));
}

void LinearAttention::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<Dims> dims;
    for (HostTensor const& tensor : in) dims.push_back(tensor.dims);
    Recurrence const of(*this, dims);
    HeadByHead heads(of, in, out);
    for (int64_t n = 0; n < of.batch; ++n) {
        for (int64_t head = 0; head < of.heads; ++head) heads.run(n, head);
    }
}

} // namespace tenon
