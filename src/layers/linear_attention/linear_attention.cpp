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

constexpr std::string_view kInputNames[]{"query", "key", "value", "state", "decay", "beta"};

DimExpr lastOf(Operands const& in, int input) { return in[input].shape.back(); }

/// Whether two extents are known to differ.
bool differ(DimExpr const& a, DimExpr const& b) { return a.isConstant() && b.isConstant() && !(a == b); }

/// The elements of one head of X [N,T,heads·elements].
DimExpr sizeOf(Operands const& in, int input, int64_t heads) {
    DimExpr const all = lastOf(in, input);
    if (all.isConstant() && all.constant() % heads != 0)
        fail(ErrorCode::InvalidArgument, "the ", kInputNames[input], ' ', in[input].shape, "; expected a multiple of ",
             heads, " elements, the number of heads");
    return floorDiv(all, DimExpr(heads));
}

/// [N,T,one of these]
void checkSteps(Operands const& in, int input, std::initializer_list<DimExpr> extents) {
    in.expectSameType(LinearAttention::kQuery, input).expectRank(input, 3, 3);
    Shape const& query = in[LinearAttention::kQuery].shape;
    Shape const& shape = in[input].shape;
    bool fits = false;
    for (DimExpr const& extent : extents) fits = fits || !differ(shape[2], extent);
    if (!fits || differ(shape[0], query[0]) || differ(shape[1], query[1]))
        fail(ErrorCode::InvalidArgument, "the ", kInputNames[input], ' ', shape, "; expected ",
             Shape{query[0], query[1], *extents.begin()});
}

void checkState(Operands const& in, Shape const& expected) {
    Shape const& state = in[LinearAttention::kState].shape;
    bool fits = state.size() == expected.size();
    for (size_t i = 0; fits && i < state.size(); ++i) fits = !differ(state[i], expected[i]);
    if (!fits) fail(ErrorCode::InvalidArgument, "the state ", state, "; expected ", expected);
}

/// The layer by its definition, with elements of type T and states of type S.
template <class T, class S>
void compute(LinearAttentionProblem const& p, std::span<HostTensor const> in, std::span<HostTensor const> out,
             int64_t batch, int64_t head) {
    auto const at = [&](int input, int64_t t, int64_t width, int64_t i) {
        return static_cast<double>(
            static_cast<T const*>(in[static_cast<size_t>(input)].data)[(batch * p.steps + t) * width + i]);
    };
    int64_t const first = (batch * p.keyHeads + head) * p.size * p.valueSize;
    for (int64_t e = 0; e < p.valueSize; ++e) {
        std::vector<double> state(static_cast<size_t>(p.size), 0); // its column e
        auto const placeOf = [&](int64_t d) { return first + d * p.valueSize + e; };
        auto const* before = static_cast<S const*>(in[LinearAttention::kState].data);
        for (int64_t d = 0; before != nullptr && d < p.size; ++d)
            state[static_cast<size_t>(d)] = static_cast<double>(before[placeOf(d)]);
        auto const times = [&](int input, int64_t t, int64_t heads, int64_t atHead) {
            double sum = 0;
            for (int64_t d = 0; d < p.size; ++d)
                sum += state[static_cast<size_t>(d)] * at(input, t, heads * p.size, atHead * p.size + d);
            return sum;
        };
        for (int64_t t = 0; t < p.steps; ++t) {
            for (int64_t d = 0; p.decaySize != 0 && d < p.size; ++d)
                state[static_cast<size_t>(d)] *= std::exp(
                    at(LinearAttention::kDecay, t, p.keyHeads * p.decaySize, head * p.decaySize + d % p.decaySize));
            double value = at(LinearAttention::kValue, t, p.keyHeads * p.valueSize, head * p.valueSize + e);
            if (p.betaHeads != 0)
                value = at(LinearAttention::kBeta, t, p.betaHeads, head % p.betaHeads) *
                        (value - times(LinearAttention::kKey, t, p.keyHeads, head));
            for (int64_t d = 0; d < p.size; ++d)
                state[static_cast<size_t>(d)] +=
                    value * at(LinearAttention::kKey, t, p.keyHeads * p.size, head * p.size + d);
            for (int64_t h = head * p.sharing(); h < (head + 1) * p.sharing(); ++h)
                out[0].as<T>()[static_cast<size_t>(((batch * p.steps + t) * p.heads + h) * p.valueSize + e)] =
                    static_cast<T>(static_cast<float>(p.scale * times(LinearAttention::kQuery, t, p.heads, h)));
        }
        for (int64_t d = 0; d < p.size; ++d)
            out[1].as<S>()[static_cast<size_t>(placeOf(d))] =
                static_cast<S>(static_cast<float>(state[static_cast<size_t>(d)]));
    }
}

} // namespace

std::string LinearAttention::inputName(int input) const { return std::string(kInputNames[input]); }

// Q [N,T,H·D], K [N,T,H'·D], V [N,T,H'·E] → Y [N,T,H·E], state [N,H',D,E]
std::vector<Result> LinearAttention::infer(Operands const& in) const {
    in.expectCount(3, kInputs).expectFloat(kQuery).expectRank(kQuery, 3, 3);
    if (keyHeads < 1 || heads < 1 || heads % keyHeads != 0)
        fail(ErrorCode::InvalidArgument, heads, " heads of the query and ", keyHeads,
             " of the key; expected 1 or more, and a multiple for the query");
    DimExpr const size = sizeOf(in, kQuery, heads);
    checkSteps(in, kKey, {size * DimExpr(keyHeads)});
    in.expectRank(kValue, 3, 3);
    checkSteps(in, kValue, {lastOf(in, kValue)});
    DimExpr const valueSize = sizeOf(in, kValue, keyHeads);
    Shape const& query = in[kQuery].shape;
    Shape const state{query[0], DimExpr(keyHeads), size, valueSize};
    if (in.has(kDecay)) checkSteps(in, kDecay, {DimExpr(keyHeads), size * DimExpr(keyHeads)});
    if (in.has(kBeta)) checkSteps(in, kBeta, {DimExpr(keyHeads), DimExpr(1)});
    if (in.has(kState)) {
        in.expectFloat(kState);
        checkState(in, state);
    }
    DataType const type = in[kQuery].type;
    return {{type, {query[0], query[1], valueSize * DimExpr(heads)}}, {in.has(kState) ? in[kState].type : type, state}};
}

LinearAttentionProblem problemOf(LinearAttention const& layer, std::span<Dims const> inputs) {
    Dims const& query = inputs[LinearAttention::kQuery];
    LinearAttentionProblem p{};
    p.batch = query[0];
    p.steps = query[1];
    p.heads = layer.heads;
    p.keyHeads = layer.keyHeads;
    p.size = query[2] / layer.heads;
    p.valueSize = inputs[LinearAttention::kValue][2] / layer.keyHeads;
    auto const lastOf = [&](size_t input) {
        return input < inputs.size() && inputs[input].rank() != 0 ? inputs[input][2] : 0;
    };
    p.decaySize = lastOf(LinearAttention::kDecay) / layer.keyHeads;
    p.betaHeads = lastOf(LinearAttention::kBeta);
    p.scale = layer.scale == 0 && p.size != 0 ? 1 / std::sqrt(static_cast<double>(p.size)) : layer.scale;
    return p;
}

void LinearAttention::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<HostTensor> inputs(in.begin(), in.end());
    inputs.resize(kInputs);
    std::vector<Dims> dims;
    for (HostTensor const& tensor : inputs) dims.push_back(tensor.data == nullptr ? Dims{} : tensor.dims);
    LinearAttentionProblem const p = problemOf(*this, dims);
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        dispatch(out[1].type, [&]<class S>(TypeTag<S>) {
            for (int64_t i = 0; i < p.states(); ++i) compute<T, S>(p, inputs, out, i / p.keyHeads, i % p.keyHeads);
        });
    });
}

} // namespace tenon
