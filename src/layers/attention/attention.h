// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <algorithm>
#include <limits>

namespace tenon {

/// How a tensor is read as [N,H,S,D] (batch, heads, sequence, elements): the tensor's axis for each of them; -1: the
/// axis is missing and its extent is 1. One axis may remain: it is read at index `part` alone, for queries, keys and
/// values in one tensor [N,S,3,H,D].
struct AttentionView {
    std::vector<int64_t> axes{0, 1, 2, 3};
    int64_t part = 0;

    friend bool operator==(AttentionView const&, AttentionView const&) = default;
};

/// Y = normalize(cap(scale · Q Kᵀ) + mask) V for each batch and head, cap(x) = softcap · tanh(x / softcap). Q
/// [N,H,S,D], K [N,H',T,D], V [N,H',T,E], mask? [any that broadcasts to N,H,S,T] → Y [N,H,S,E], as mapped by the views;
/// floating point. H is a multiple of H': adjacent heads of Q share one of K and V. A mask of Q's type is added; in a
/// boolean mask, false replaces the score by maskedScore, whatever the score is, including NaN or infinity. A query
/// whose scores are all -infinity, which sees no key, gives zeros, or NaN with keepsNans. An optional second output is
/// an intermediate result computed from Q Kᵀ [N,H,S,T]. The weights normalize(…) may be quantized and dequantized by a
/// scale of one element, of any floating point type.
///
/// Sequences may have different lengths, in int32. Key lengths [N] are the numbers of valid keys and values. If
/// queries, or keys and values, are packed, their views have no batch, and sequences are concatenated: lengths [N+1]
/// are the start of each and the end of the last one. Elements after the last one, in Y too, are undefined.
///
/// With several ranks, devices that run the same engine at the same time, each has a part of the sequence of equal
/// length: its queries see the keys of all, which are concatenated in the order of ranks; T is the number of keys of
/// all in the mask's shape, and Y is that of its own queries.
struct Attention final : LayerOf<Attention> {
    static constexpr std::string_view kKind = "Attention";
    enum Input { kQuery, kKey, kValue, kMask, kQueryLengths, kKeyLengths, kPast, kWeightScale, kInputs };
    enum Output { kResult, kProducts };

    /// TensorRT's names and order. None: masked scores are 0.
    enum class Normalization { None, Softmax };

    /// TensorRT's names and order: the keys that query s sees, for a sequence with S queries and T keys. UpperLeft: up
    /// to s. LowerRight: up to s + T - S, so that the last query sees all. With the input `past` [N,H',P,D], of which
    /// only the shape is read, UpperLeft means: up to s + P.
    enum class Causal { None, UpperLeft, LowerRight };

    /// The contents of the second output. None: there is no such output. Raw: scale · Q Kᵀ. Capped: after the softcap.
    /// Masked: after the mask, -infinity for masked keys. Normalized: the weights of the values.
    enum class Products { None, Raw, Capped, Masked, Normalized };

    Normalization normalization = Normalization::Softmax;
    Causal causal = Causal::None;
    Products products = Products::None;
    double softcap = 0; // 0: none
    /// If causal: the number of keys that a query sees before and after the one given by `causal`; -1: all.
    int64_t before = -1, after = 0;
    bool cutsToMask = false; // a mask may have fewer keys than K; then the other keys are not seen
    bool packedQueries = false, packedKeys = false;
    int64_t ranks = 1; // a pass replaces layers of several ranks by layers of one and exchanges
    double scale = 1;
    double maskedScore = -std::numeric_limits<double>::infinity(); // the score for false in a boolean mask; not NaN
    bool keepsNans = false;                  // the softmax of scores that are all -infinity is NaN, as in Softmax
    DataType quantizeTo = DataType::Float32; // of the weights: int8 or float8; float32: not quantized
    AttentionView query, key, value;
    AttentionView output; // without a part

    void fields(Fields& f) override {
        f("normalization", normalization);
        f("causal", causal);
        f("products", products);
        f("softcap", softcap);
        f("before", before);
        f("after", after);
        f("cutsToMask", cutsToMask);
        f("packedQueries", packedQueries);
        f("packedKeys", packedKeys);
        f("scale", scale);
        if (f.visits("ranks", ranks != 1)) f("ranks", ranks);
        if (f.visits("maskedScore", !leavesOut())) f("maskedScore", maskedScore);
        if (f.visits("keepsNans", keepsNans)) f("keepsNans", keepsNans);
        if (f.visits("quantizeTo", isQuantized())) f("quantizeTo", quantizeTo);
        f("queryAxes", query.axes);
        f("queryPart", query.part);
        f("keyAxes", key.axes);
        f("keyPart", key.part);
        f("valueAxes", value.axes);
        f("valuePart", value.part);
        f("outputAxes", output.axes);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsShapeOnly(int input) const override { return input == kPast; }

    /// Whether a key for which a boolean mask is false is excluded entirely.
    bool leavesOut() const { return maskedScore == -std::numeric_limits<double>::infinity(); }
    bool isQuantized() const { return quantizeTo != DataType::Float32; }
    AttentionView const& viewOf(int input) const { return input == kQuery ? query : (input == kKey ? key : value); }
};

std::span<std::string_view const> names(Attention::Normalization);
std::span<std::string_view const> names(Attention::Causal);
std::span<std::string_view const> names(Attention::Products);

/// Throws an Error for a type to which weights cannot be quantized; float32 means none.
void expectQuantizesTo(DataType type);

/// The axis of a tensor of this rank that the view reads at its part alone; -1 if there is none.
int leftOver(AttentionView const& view, int rank);

/// A tensor as [N,H,S,D] with known extents; strides in elements.
struct AttentionTensor {
    Dims extents, strides;
    int64_t offset = 0;
};

/// One sequence: its rows of the tensors, and the keys that a query sees.
struct AttentionSequence {
    int64_t firstQuery, queries;
    int64_t firstKey, keys;
    int64_t lead;  // query s sees keys up to s + lead
    int64_t trail; // and none before s + trail

    /// The number of keys up to the last one that one of the first `count` queries sees.
    int64_t seenBy(int64_t count) const { return count <= -lead ? 0 : std::min(keys, count + lead); }
    /// The first key that query s and those after it see; earlier keys are not seen.
    int64_t firstSeenBy(int64_t s) const { return std::clamp(s + trail, int64_t{0}, keys); }
};

/// An attention in which everything but the lengths of sequences is known.
struct AttentionProblem {
    AttentionTensor query, key, value, output;
    Dims mask; // strides as [N,H,S,T]; of rank 0: none
    int64_t batch = 1;
    int64_t keysInMask = 0; // later keys are not seen
    int64_t past = 0;
    int64_t before = -1, after = 0; // at most the number of all keys and queries
    Attention::Causal causal = Attention::Causal::None;
    bool packedQueries = false, packedKeys = false;

    int64_t heads() const { return query.extents[1]; }
    int64_t keyHeads() const { return key.extents[1]; }
    /// Extents of the longest possible sequence.
    int64_t queries() const { return query.extents[2]; }
    int64_t keys() const { return key.extents[2]; }
    int64_t size() const { return query.extents[3]; }
    int64_t valueSize() const { return value.extents[3]; }
    bool hasMask() const { return mask.rank() != 0; }
    /// Sequence `index`. Lengths out of range are clamped; null if there are none.
    AttentionSequence sequence(int64_t index, int32_t const* queryLengths, int32_t const* keyLengths) const;
    /// Multiplications and additions, if packed sequences have equal lengths.
    double operations() const {
        double const keysOfOne = static_cast<double>(keys()) / static_cast<double>(packedKeys && batch > 0 ? batch : 1);
        return 2 * static_cast<double>(query.extents[0] * heads() * queries()) * keysOfOne *
               static_cast<double>(size() + valueSize());
    }
};
AttentionProblem problemOf(Attention const& layer, std::span<Dims const> inputs, Dims const& output);

/// Whether addAsPlainLayers() supports it: not packed, without products and not cut to its mask; if heads are shared,
/// their numbers must be known.
bool hasPlainLayers(Attention const& layer, std::vector<Tensor*> const& inputs);
/// Adds the same computation as separate layers.
Tensor* addAsPlainLayers(Graph& graph, Attention const& layer, std::vector<Tensor*> const& inputs);
/// Adds layers that gather the keys and values of all ranks, and an attention of this rank to them.
Tensor* addOverRanks(Graph& graph, Attention const& layer, std::vector<Tensor*> const& inputs);

} // namespace tenon
