// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "base/error.h"
#include "layers/dequantize/dequantize.h"
#include "layers/dist_collective/dist_collective.h"
#include "layers/quantize/quantize.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry attentionLayer() { return entryOf<Attention>(); }
} // namespace layers

namespace {

constexpr std::string_view kNormalizations[]{"None", "Softmax"};
constexpr std::string_view kCausals[]{"None", "UpperLeft", "LowerRight"};
constexpr std::string_view kProducts[]{"None", "Raw", "Capped", "Masked", "Normalized"};
constexpr std::string_view kInputNames[]{"query",         "key",         "value", "mask",
                                         "query lengths", "key lengths", "past",  "scale of the normalized products"};
constexpr std::string_view kAxes[]{"batch", "number of heads", "sequence", "head size"};
enum Axis { kBatch, kHeads, kSequence, kSize, kRank };

size_t at(int64_t axis) { return static_cast<size_t>(axis); }

/// Four axes, each at least -1 and none repeated.
void checkAxes(AttentionView const& view, std::string_view what) {
    bool valid = view.axes.size() == kRank;
    for (size_t i = 0; valid && i < kRank; ++i)
        valid = view.axes[i] >= -1 && (view.axes[i] == -1 || std::ranges::count(view.axes, view.axes[i]) == 1);
    if (!valid)
        fail(ErrorCode::InvalidArgument, "axes [", joined(view.axes, ","), "] of the ", what,
             "; expected the axes of batch, heads, sequence and elements, -1 for a missing one");
}

int64_t axesOf(AttentionView const& view) {
    return std::ranges::count_if(view.axes, [](int64_t axis) { return axis >= 0; });
}

/// An input as [N,H,S,D].
Shape viewed(Operands const& in, int input, AttentionView const& view) {
    std::string_view const name = kInputNames[input];
    checkAxes(view, name);
    Shape const& shape = in[input].shape;
    auto const rank = static_cast<int64_t>(shape.size());
    int64_t const rest = rank - axesOf(view);
    if (std::ranges::max(view.axes) >= rank || rest < 0 || rest > 1)
        fail(ErrorCode::InvalidArgument, "the ", name, " has shape ", shape, " of rank ", rank, "; expected rank ",
             axesOf(view));
    if (rest == 1) {
        DimExpr const& extent = shape[at(leftOver(view, static_cast<int>(rank)))];
        if (view.part < 0 || (extent.isConstant() && view.part >= extent.constant()))
            fail(ErrorCode::InvalidArgument, "part ", view.part, " of the ", name, ' ', shape, ", which has ", extent);
    }
    Shape result;
    for (int64_t const axis : view.axes) result.push_back(axis < 0 ? DimExpr(1) : shape[at(axis)]);
    return result;
}

/// Lengths of sequences: one per sequence, or (packed) the start of each and the end of the last one.
void checkLengths(Operands const& in, Attention::Input input, bool packed, bool withoutBatch) {
    std::string_view const name = kInputNames[input];
    if (packed && !in.has(input))
        fail(ErrorCode::InvalidArgument, "packed sequences need ", name, " [number of sequences + 1]");
    if (packed && !withoutBatch)
        fail(ErrorCode::InvalidArgument, "packed sequences require a tensor without batch, [all tokens,H,D]");
    if (!in.has(input)) return;
    if (in[input].type != DataType::Int32)
        fail(ErrorCode::InvalidArgument, "the ", name, " are ", in[input].type, "; expected int32");
    in.expectRank(input, 1, 1);
    if (packed && in[input].shape[0].constantOr(1) < 1)
        fail(ErrorCode::InvalidArgument, "the ", name, " are ", in[input].shape,
             "; expected [number of sequences + 1]");
}

void checkSequences(Operands const& in, Attention const& layer) {
    checkLengths(in, Attention::kQueryLengths, layer.packedQueries,
                 layer.query.axes[0] < 0 && layer.output.axes[0] < 0);
    checkLengths(in, Attention::kKeyLengths, layer.packedKeys, layer.key.axes[0] < 0 && layer.value.axes[0] < 0);
    if (!layer.packedQueries && !layer.packedKeys) return;
    if (in.has(Attention::kMask))
        fail(ErrorCode::Unsupported,
             "a mask with packed sequences; pad the sequences to [N,H,S,D], or remove the mask");
    if (layer.products != Attention::Products::None)
        fail(ErrorCode::Unsupported, "the products of packed sequences as an output; pad the sequences to [N,H,S,D]");
}

void checkScores(Operands const& in, Attention const& layer) {
    if (!(layer.softcap >= 0))
        fail(ErrorCode::InvalidArgument, "softcap ", layer.softcap, "; expected more than 0, or 0 for none");
    if (std::isnan(layer.maskedScore))
        fail(ErrorCode::InvalidArgument, "the score of masked keys is NaN; expected a number or -infinity");
    if (layer.before < -1 || layer.after < -1)
        fail(ErrorCode::InvalidArgument, "a window of ", layer.before, " keys before and ", layer.after,
             " after; expected 0 or more, or -1 for all");
    if (layer.products != Attention::Products::None && layer.normalization == Attention::Normalization::None)
        fail(ErrorCode::Unsupported, "the products as an output of an attention without softmax");
    if (in.has(Attention::kPast)) in.expectRank(Attention::kPast, kRank, kRank);
}

void checkRanks(Operands const& in, Attention const& layer) {
    if (layer.ranks == 1) return;
    auto const refuse = [&](std::string_view what) {
        fail(ErrorCode::Unsupported, "an attention of ", layer.ranks, " ranks ", what);
    };
    if (layer.ranks < 1 || layer.ranks > DistCollective::kMostRanks)
        fail(ErrorCode::InvalidArgument, layer.ranks, " ranks; expected 1 to ", DistCollective::kMostRanks);
    for (AttentionView const* view : {&layer.key, &layer.value}) {
        if (view->axes[kSequence] < 0) refuse("reads keys and values without a sequence");
    }
    if (layer.packedQueries || layer.packedKeys || in.has(Attention::kKeyLengths) || in.has(Attention::kQueryLengths))
        refuse("supports sequences of one length; pad them and add a mask");
    if (in.has(Attention::kPast)) refuse("does not support past keys");
    if (in.has(Attention::kMask) && layer.causal != Attention::Causal::None)
        refuse("is causal or has a mask, not both; use a mask that is causal too");
    if (layer.products != Attention::Products::None) refuse("does not support the products as an output");
}

void checkWeights(Operands const& in, Attention const& layer) {
    expectQuantizesTo(layer.quantizeTo);
    bool const hasScale = in.has(Attention::kWeightScale);
    if (hasScale && !layer.isQuantized())
        fail(ErrorCode::InvalidArgument, "a scale of the normalized products, but no type to quantize them to; "
                                         "expected int8 or float8");
    if (!layer.isQuantized()) return;
    if (!hasScale)
        fail(ErrorCode::InvalidArgument, "the normalized products are to be quantized to ", layer.quantizeTo,
             ", but their scale is missing");
    in.expectFloat(Attention::kWeightScale).expectOneElement(Attention::kWeightScale);
    if (layer.products != Attention::Products::None)
        fail(ErrorCode::Unsupported, "the products as an output of an attention that quantizes them");
}

/// The number of sequences.
DimExpr batchOf(Operands const& in, Shape const& viewed, Attention::Input lengths, bool packed) {
    return packed ? in[lengths].shape[0] - DimExpr(1) : viewed[kBatch];
}

void expectSame(Shape const& a, Shape const& b, Axis axis, std::string_view nameOfA, std::string_view nameOfB) {
    DimExpr const& left = a[axis];
    DimExpr const& right = b[axis];
    if (left.isConstant() && right.isConstant() && !(left == right))
        fail(ErrorCode::InvalidArgument, "the ", nameOfA, ' ', a, " and the ", nameOfB, ' ', b, " differ in the ",
             kAxes[axis], ": ", left, " against ", right);
}

void checkShapes(Shape const& query, Shape const& key, Shape const& value) {
    expectSame(query, key, kBatch, "query", "key");
    expectSame(query, key, kSize, "query", "key");
    for (Axis const axis : {kBatch, kHeads, kSequence}) expectSame(key, value, axis, "key", "value");
    int64_t const heads = query[kHeads].constantOr(0);
    int64_t const shared = key[kHeads].constantOr(1);
    if (shared == 0 ? heads != 0 : heads % shared != 0)
        fail(ErrorCode::InvalidArgument, "the query ", query, " has ", heads, " heads and the key ", key, " has ",
             shared, "; expected a multiple for the query");
}

void checkMask(Operands const& in, Shape const& scores, bool cutsToMask) {
    if (in[Attention::kMask].type != DataType::Bool) in.expectSameType(Attention::kQuery, Attention::kMask);
    in.expectRank(Attention::kMask, 1, kRank);
    Shape const& mask = in[Attention::kMask].shape;
    size_t const skipped = scores.size() - mask.size();
    for (size_t i = 0; i < mask.size(); ++i) {
        bool const known = mask[i].isConstant() && scores[skipped + i].isConstant();
        bool const isCut =
            known && cutsToMask && i + 1 == mask.size() && mask[i].constant() < scores[skipped + i].constant();
        if (known && !isCut && !(mask[i] == DimExpr(1)) && !(mask[i] == scores[skipped + i]))
            fail(ErrorCode::InvalidArgument, "the mask ", mask, " does not broadcast to the products ", scores,
                 " of query and key");
    }
}

AttentionTensor tensorOf(AttentionView const& view, Dims const& dims) {
    Dims const strides = rowMajorStrides(dims);
    AttentionTensor tensor;
    for (int64_t const axis : view.axes) {
        tensor.extents.push(axis < 0 ? 1 : dims[static_cast<int>(axis)]);
        tensor.strides.push(axis < 0 ? 0 : strides[static_cast<int>(axis)]);
    }
    int const rest = leftOver(view, dims.rank());
    if (rest >= 0) tensor.offset = view.part * strides[rest];
    return tensor;
}

/// The elements of a tensor at one batch and head, at one position of the sequence; data points to its first row.
template <class T> struct Rows {
    T* start;
    Dims const& strides;

    Rows(T* data, AttentionTensor const& tensor, int64_t batch, int64_t head, int64_t first)
        : start(data + tensor.offset + batch * tensor.strides[kBatch] + head * tensor.strides[kHeads] +
                first * tensor.strides[kSequence]),
          strides(tensor.strides) {}
    T& at(int64_t row, int64_t element) const { return start[row * strides[kSequence] + element * strides[kSize]]; }
};

/// Normalizes the scores of one query in place; masked ones are -infinity.
void normalize(std::vector<double>& scores, Attention const& layer) {
    if (layer.normalization == Attention::Normalization::None) {
        for (double& score : scores) score = score == -INFINITY ? 0 : score;
        return;
    }
    double const unseen = layer.keepsNans ? NAN : 0; // the weights of a query that sees no key
    double const most = scores.empty() ? -INFINITY : std::ranges::max(scores);
    double sum = 0;
    for (double& score : scores) sum += score = most == -INFINITY ? 0 : std::exp(score - most);
    for (double& score : scores) score = sum == 0 ? unseen : score / sum;
}

/// The layer by its definition, with elements of type T.
template <class T> class Computation {
public:
    Computation(Attention const& layer, AttentionProblem const& problem, std::span<HostTensor const> in,
                std::span<HostTensor const> out)
        : layer_(layer), p_(problem), in_(in), out_(out) {}

    void run(int64_t batch, int64_t head) const {
        int64_t const shared = head / (p_.keyHeads() == 0 ? 1 : p_.heads() / p_.keyHeads());
        AttentionSequence const sequence =
            p_.sequence(batch, lengths(Attention::kQueryLengths), lengths(Attention::kKeyLengths));
        auto const rows = [&](Attention::Input input, AttentionTensor const& tensor, int64_t atHead, int64_t first) {
            return Rows<T const>(in_[input].template as<T>().data(), tensor, batch, atHead, first);
        };
        auto const q = rows(Attention::kQuery, p_.query, head, sequence.firstQuery);
        auto const k = rows(Attention::kKey, p_.key, shared, sequence.firstKey);
        auto const v = rows(Attention::kValue, p_.value, shared, sequence.firstKey);
        Rows<T> const y(out_[0].template as<T>().data(), p_.output, batch, head, sequence.firstQuery);
        for (int64_t s = 0; s < sequence.queries; ++s) {
            auto weights = weightsOf(q, k, sequence, {batch, head, s});
            if (layer_.isQuantized()) quantize(weights);
            for (int64_t e = 0; e < p_.valueSize(); ++e) {
                double sum = 0;
                for (int64_t t = sequence.firstSeenBy(s); t < sequence.seenBy(s + 1); ++t)
                    sum += weights[at(t)] * static_cast<double>(v.at(t, e));
                y.at(s, e) = static_cast<T>(static_cast<float>(sum));
            }
        }
    }

private:
    int32_t const* lengths(size_t input) const {
        return input < in_.size() ? static_cast<int32_t const*>(in_[input].data) : nullptr;
    }

    /// The weights of all values for a query; `place`: batch, head and query.
    std::vector<double> weightsOf(Rows<T const> const& q, Rows<T const> const& k, AttentionSequence const& sequence,
                                  Dims const& place) const {
        int64_t const s = place[2];
        bool const readsAll = layer_.products != Attention::Products::None;
        int64_t const first = readsAll ? 0 : sequence.firstSeenBy(s);
        int64_t const end = readsAll ? p_.keys() : sequence.seenBy(s + 1);
        std::vector<double> scores(at(p_.keys()), -INFINITY);
        for (int64_t t = first; t < end; ++t) {
            double& score = scores[at(t)] = 0;
            for (int64_t d = 0; d < p_.size(); ++d)
                score += static_cast<double>(q.at(s, d)) * static_cast<double>(k.at(t, d));
            score *= layer_.scale;
        }
        write(Attention::Products::Raw, scores, place);
        for (double& score : scores)
            score = layer_.softcap == 0 ? score : layer_.softcap * std::tanh(score / layer_.softcap);
        write(Attention::Products::Capped, scores, place);
        for (int64_t t = 0; t < p_.keys(); ++t) {
            bool const isSeen = t >= sequence.firstSeenBy(s) && t < sequence.seenBy(s + 1);
            scores[at(t)] = isSeen ? masked(scores[at(t)], place, t) : -INFINITY;
        }
        write(Attention::Products::Masked, scores, place);
        normalize(scores, layer_);
        write(Attention::Products::Normalized, scores, place);
        return scores;
    }

    /// Quantizes and dequantizes.
    void quantize(std::vector<double>& weights) const {
        Dims const dims{static_cast<int64_t>(weights.size())};
        std::vector<float> numbers(weights.begin(), weights.end());
        std::vector<std::byte> bytes(weights.size());
        HostTensor const real{DataType::Float32, dims, numbers.data()};
        HostTensor const small{layer_.quantizeTo, dims, bytes.data()};
        HostTensor const& scale = in_[Attention::kWeightScale];
        Quantize quantize;
        quantize.to = layer_.quantizeTo;
        quantize.reference(std::array{real, scale}, std::array{small});
        Dequantize{}.reference(std::array{small, scale}, std::array{real});
        std::ranges::copy(numbers, weights.begin());
    }

    /// Applies the mask to a score.
    double masked(double score, Dims const& place, int64_t t) const {
        if (!p_.hasMask()) return score;
        HostTensor const& mask = in_[Attention::kMask];
        auto const i = at(place[0] * p_.mask[0] + place[1] * p_.mask[1] + place[2] * p_.mask[2] + t * p_.mask[kSize]);
        if (mask.type == DataType::Bool) return mask.as<bool>()[i] ? score : layer_.maskedScore;
        return score + static_cast<double>(mask.as<T>()[i]);
    }

    void write(Attention::Products stage, std::vector<double> const& scores, Dims const& place) const {
        if (layer_.products != stage) return;
        int64_t const row = (place[0] * p_.heads() + place[1]) * p_.queries() + place[2];
        T* const to = out_[Attention::kProducts].template as<T>().data() + row * p_.keys();
        for (int64_t t = 0; t < p_.keys(); ++t) to[t] = static_cast<T>(static_cast<float>(scores[at(t)]));
    }

    Attention const& layer_;
    AttentionProblem const& p_;
    std::span<HostTensor const> in_, out_;
};

} // namespace

std::span<std::string_view const> names(Attention::Normalization) { return kNormalizations; }
std::span<std::string_view const> names(Attention::Causal) { return kCausals; }
std::span<std::string_view const> names(Attention::Products) { return kProducts; }

std::string Attention::inputName(int input) const { return std::string(kInputNames[input]); }

void expectQuantizesTo(DataType type) {
    if (type == DataType::Float32 || type == DataType::Int8 || type == DataType::Float8) return;
    fail(ErrorCode::InvalidArgument, "the normalized products are to be quantized to ", type,
         "; expected int8 or float8");
}

int leftOver(AttentionView const& view, int rank) {
    for (int axis = 0; axis < rank; ++axis) {
        if (std::ranges::count(view.axes, axis) == 0) return axis;
    }
    return -1;
}

// Q [N,H,S,D], K [N,H',T,D], V [N,H',T,E], mask? [N,H,S,T] → Y [N,H,S,E], products? [N,H,S,T]
std::vector<Result> Attention::infer(Operands const& in) const {
    in.expectCount(3, kInputs).expectFloat(kQuery).expectSameType(kQuery, kKey).expectSameType(kQuery, kValue);
    Shape q = viewed(in, kQuery, query);
    Shape k = viewed(in, kKey, key);
    Shape v = viewed(in, kValue, value);
    checkAxes(output, "output");
    checkSequences(in, *this);
    checkScores(in, *this);
    checkRanks(in, *this);
    checkWeights(in, *this);
    Shape const result{q[kBatch], q[kHeads], q[kSequence], v[kSize]};
    q[kBatch] = batchOf(in, q, kQueryLengths, packedQueries);
    if (packedKeys) v[kBatch] = k[kBatch] = batchOf(in, k, kKeyLengths, true);
    checkShapes(q, k, v);
    if (in.has(kKeyLengths) && !packedKeys) expectSame({in[kKeyLengths].shape[0]}, k, kBatch, "key lengths", "key");
    Shape const scores{q[kBatch], q[kHeads], q[kSequence], k[kSequence] * DimExpr(ranks)};
    if (in.has(kMask)) checkMask(in, scores, cutsToMask);
    Shape shape(at(axesOf(output)), 1);
    for (size_t i = 0; i < kRank; ++i) {
        int64_t const axis = output.axes[i];
        if (axis >= static_cast<int64_t>(shape.size()) || (axis < 0 && result[i].constantOr(1) != 1))
            fail(ErrorCode::InvalidArgument, "axes [", joined(output.axes, ","), "] of the output do not fit ", result);
        if (axis >= 0) shape[at(axis)] = result[i];
    }
    std::vector<Result> results{{in[kQuery].type, shape}};
    if (products != Products::None) results.push_back({in[kQuery].type, scores});
    return results;
}

AttentionProblem problemOf(Attention const& layer, std::span<Dims const> inputs, Dims const& output) {
    if (layer.ranks != 1)
        fail(ErrorCode::Unsupported, "an attention of ", layer.ranks, " ranks, which only passes can lower");
    AttentionProblem problem{tensorOf(layer.query, inputs[Attention::kQuery]),
                             tensorOf(layer.key, inputs[Attention::kKey]),
                             tensorOf(layer.value, inputs[Attention::kValue]),
                             tensorOf(layer.output, output),
                             {}};
    problem.batch = layer.packedQueries ? inputs[Attention::kQueryLengths][0] - 1 : problem.query.extents[kBatch];
    problem.causal = layer.causal;
    problem.packedQueries = layer.packedQueries;
    problem.packedKeys = layer.packedKeys;
    problem.keysInMask = problem.keys();
    if (inputs.size() > Attention::kMask && inputs[Attention::kMask].rank() != 0) {
        Dims const& mask = inputs[Attention::kMask];
        if (layer.cutsToMask) problem.keysInMask = mask[mask.rank() - 1];
        problem.mask = broadcastStrides(mask, {problem.batch, problem.heads(), problem.queries(), problem.keysInMask});
    }
    if (inputs.size() > Attention::kPast && inputs[Attention::kPast].rank() != 0)
        problem.past = inputs[Attention::kPast][kSequence];
    int64_t const all = problem.past + problem.queries() + problem.keys();
    problem.before = std::min(layer.before, all);
    problem.after = std::min(layer.after, all);
    return problem;
}

AttentionSequence AttentionProblem::sequence(int64_t index, int32_t const* queryLengths,
                                             int32_t const* keyLengths) const {
    auto const within = [](int32_t const* lengths, int64_t i, int64_t least, int64_t most) {
        return std::clamp<int64_t>(lengths[i], least, most);
    };
    AttentionSequence sequence{0, queries(), 0, keys(), 0, 0};
    if (packedQueries) {
        sequence.firstQuery = within(queryLengths, index, 0, queries());
        sequence.queries = within(queryLengths, index + 1, sequence.firstQuery, queries()) - sequence.firstQuery;
    }
    if (packedKeys) {
        sequence.firstKey = within(keyLengths, index, 0, keys());
        sequence.keys = within(keyLengths, index + 1, sequence.firstKey, keys()) - sequence.firstKey;
    } else if (keyLengths != nullptr) {
        sequence.keys = within(keyLengths, index, 0, keys());
    }
    // the key up to which query 0 sees
    int64_t const first = causal == Attention::Causal::LowerRight ? sequence.keys - sequence.queries : past;
    bool const isBounded = causal != Attention::Causal::None;
    sequence.lead = isBounded && after >= 0 ? first + after : sequence.keys;
    sequence.trail = isBounded && before >= 0 ? first - before : -sequence.queries;
    sequence.keys = std::min(sequence.keys, keysInMask);
    return sequence;
}

void Attention::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<Dims> inputs;
    for (HostTensor const& tensor : in) inputs.push_back(tensor.data == nullptr ? Dims{} : tensor.dims);
    AttentionProblem const p = problemOf(*this, inputs, out[0].dims);
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        Computation<T> const computation(*this, p, in, out);
        for (int64_t i = 0; i < p.batch * p.heads(); ++i) computation.run(i / p.heads(), i % p.heads());
    });
}

} // namespace tenon
