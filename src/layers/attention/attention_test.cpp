// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "base/error.h"
#include "support/expect_same.h"
#include "support/layer_case.h"
#include "support/recorded.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;

Attention scaled(double scale) {
    Attention layer;
    layer.scale = scale;
    return layer;
}

Literal booleans(Dims const& dims, std::function<bool(int64_t)> const& at) {
    auto const memory = allocateHost(static_cast<size_t>(dims.volume()));
    for (int64_t i = 0; i < dims.volume(); ++i) static_cast<bool*>(memory.get())[i] = at(i);
    return Literal::borrowed(DataType::Bool, dims, memory.get(), memory);
}

void expectInAllTypes(LayerCase const& test, Attention const& layer) {
    test.expect(layer);
    for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
}

/// The inputs that record_attention.py passed to ONNX Runtime, and its results.
void expectRecorded(std::string const& name, std::vector<Dims> const& dims, Attention const& layer,
                    std::optional<Literal> const& mask = {}) {
    LayerCase test{.inputs = {spread(dims[0], -1, 1), spread(dims[1], -2, 2), spread(dims[2], -1, 1)},
                   .expected = {test::recorded("src/layers/attention/attention_test.txt", name)}};
    if (mask) test.inputs.push_back(*mask);
    expectInAllTypes(test, layer);
}

TEST(Attention, weighsValuesByTheProductsOfQueriesAndKeys) {
    expectRecorded("plain", {{2, 3, 7, 8}, {2, 3, 17, 8}, {2, 3, 17, 5}}, scaled(1));
    expectRecorded("scaled", {{1, 2, 17, 15}, {1, 2, 7, 15}, {1, 2, 7, 15}}, scaled(0.25));
}

TEST(Attention, whenCausalSeesNoLaterKeys) {
    Attention layer;
    layer.causal = Attention::Causal::UpperLeft;
    expectRecorded("causal", {{1, 2, 9, 8}, {1, 2, 12, 8}, {1, 2, 12, 8}}, layer);
}

TEST(Attention, addsAMask) {
    expectRecorded("added", {{2, 2, 5, 4}, {2, 2, 6, 4}, {2, 2, 6, 4}}, scaled(1), spread({5, 6}, -3, 3));
    expectRecorded("addedToHeads", {{2, 3, 5, 4}, {2, 3, 6, 4}, {2, 3, 6, 4}}, scaled(1), spread({2, 3, 5, 6}, -3, 3));
}

TEST(Attention, leavesOutWhereAMaskIsFalse) {
    Literal const numbers = spread({5, 6}, -1, 3);
    auto const mask = booleans({5, 6}, [&](int64_t i) { return numbers.as<float>()[static_cast<size_t>(i)] > 0; });
    expectRecorded("leftOut", {{2, 2, 5, 4}, {2, 2, 6, 4}, {2, 2, 6, 4}}, scaled(1), mask);
}

TEST(Attention, sharesKeysAndValuesAmongHeads) {
    expectRecorded("shared", {{1, 6, 4, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}}, scaled(1));
}

/// The largest score is 2, by a formula: with u a vector of the head's size, x(t) = (t + 1) / T and c of the batch,
/// head and query, Q = c u / |u|², K = ±x u and V = x v + w, with the sign and w of the head of K and V. Then the
/// scores are ±c x, and Y is v times the mean of x, so weighted, + w.
struct Formula {
    int64_t batch = 1, heads = 2, keyHeads = 2, queries, keys, size, valueSize;
    Attention layer = {};
    enum class Mask { None, Added, Sees, SeesNothing } mask = Mask::None;
    std::vector<int32_t> keyLengths = {};   // of each sequence, or as packed
    std::vector<int32_t> queryLengths = {}; // of packed queries
    int64_t past = 0;
    int64_t notInMask = 0; // keys at the end
    float weightScale = 0; // if weights are quantized

    using Element = std::function<double(int64_t n, int64_t h, int64_t s, int64_t d)>;

    double x(int64_t t) const { return static_cast<double>(t + 1) / static_cast<double>(keys); }
    double u(int64_t d) const { return 0.3 + static_cast<double>(d * 7 % 11) / 10; }
    double v(int64_t e) const { return 1 - static_cast<double>(e * 5 % 13) / 6; }
    static double sign(int64_t head) { return head % 2 == 0 ? 1 : -1; }
    static double w(int64_t n, int64_t head) { return static_cast<double>(n) / 2 + static_cast<double>(head) / 4; }
    static double c(int64_t n, int64_t h, int64_t s) { return static_cast<double>((n + 3 * h + s) % 5 - 2); }
    double added(int64_t s, int64_t t) const { return -static_cast<double>((s + t) % 4) / 2; }
    bool sees(int64_t s, int64_t t) const { return mask == Mask::Sees ? (s + t) % 3 != 0 : s % 2 == 0; }

    /// The start of sequence n.
    static int64_t start(bool packed, std::vector<int32_t> const& lengths, int64_t n) {
        return packed ? lengths[static_cast<size_t>(n)] : 0;
    }
    static int64_t length(bool packed, std::vector<int32_t> const& lengths, int64_t n, int64_t most) {
        auto const i = static_cast<size_t>(n);
        if (packed) return lengths[i + 1] - lengths[i];
        return lengths.empty() ? most : lengths[i];
    }
    struct Range {
        int64_t first, end;
    };
    /// The keys that a query sees.
    Range seen(int64_t n, int64_t s) const {
        int64_t const ofKeys = length(layer.packedKeys, keyLengths, n, keys);
        int64_t const ofQueries = layer.packedQueries ? length(true, queryLengths, n, 0) : queries;
        int64_t const end = std::min(ofKeys, keys - notInMask);
        if (layer.causal == Attention::Causal::None) return {0, end};
        bool const isLower = layer.causal == Attention::Causal::LowerRight;
        int64_t const at = s + (isLower ? ofKeys - ofQueries : past);
        int64_t const before = std::min(layer.before, keys + queries);
        int64_t const after = std::min(layer.after, keys + queries);
        return {before < 0 ? 0 : std::max<int64_t>(0, at - before),
                after < 0 ? end : std::clamp<int64_t>(at + after + 1, 0, end)};
    }
    bool isLeftOut(int64_t n, int64_t s, int64_t t) const {
        auto const [first, end] = seen(n, s);
        return t < first || t >= end || (mask >= Mask::Sees && !sees(s, t));
    }

    double raw(int64_t n, int64_t h, int64_t s, int64_t t) const {
        return layer.scale * sign(h * keyHeads / heads) * c(n, h, s) * x(t);
    }
    double capped(int64_t n, int64_t h, int64_t s, int64_t t) const {
        double const score = raw(n, h, s, t);
        return layer.softcap == 0 ? score : layer.softcap * std::tanh(score / layer.softcap);
    }
    double masked(int64_t n, int64_t h, int64_t s, int64_t t) const {
        if (isLeftOut(n, s, t)) return -INFINITY;
        return capped(n, h, s, t) + (mask == Mask::Added ? added(s, t) : 0);
    }
    /// The weight of a value before it is divided by the sum of all weights of a query.
    double weight(int64_t n, int64_t h, int64_t s, int64_t t) const {
        if (isLeftOut(n, s, t)) return 0;
        double const score = masked(n, h, s, t);
        return layer.normalization == Attention::Normalization::Softmax ? std::exp(score) : score;
    }
    double divisor(int64_t n, int64_t h, int64_t s) const {
        if (layer.normalization == Attention::Normalization::None) return 1;
        double sum = 0;
        for (int64_t t = 0; t < keys; ++t) sum += weight(n, h, s, t);
        return sum == 0 ? 1 : sum;
    }

    double expected(int64_t n, int64_t h, int64_t s, int64_t e) const {
        double sum = 0;
        double mean = 0;
        auto const [first, end] = seen(n, s);
        double const all = divisor(n, h, s);
        for (int64_t t = first; t < end; ++t) {
            double const one = quantized(weight(n, h, s, t) / all);
            sum += one;
            mean += one * x(t);
        }
        return mean * v(e) + sum * w(n, h * keyHeads / heads);
    }

    double quantized(double weight) const {
        if (!layer.isQuantized()) return weight;
        double const quotient = weight / weightScale;
        bool const isInt8 = layer.quantizeTo == DataType::Int8;
        return weightScale * (isInt8 ? std::clamp(std::nearbyint(quotient), -128.0, 127.0) : nearestE4M3(quotient));
    }

    /// With 3 mantissa bits, from 2^-9 up to 448.
    static double nearestE4M3(double number) {
        double const size = std::min(std::abs(number), 448.0);
        double const step = std::exp2(std::max(size == 0 ? -6 : std::ilogb(size), -6) - 3);
        return std::copysign(std::nearbyint(size / step) * step, number);
    }

    double product(int64_t n, int64_t h, int64_t s, int64_t t) const {
        switch (layer.products) {
        case Attention::Products::Raw: return raw(n, h, s, t);
        case Attention::Products::Capped: return capped(n, h, s, t);
        case Attention::Products::Masked: return masked(n, h, s, t);
        default: return weight(n, h, s, t) / divisor(n, h, s);
        }
    }

    /// A tensor that the view reads as [n,h,s,d]; parts that it does not read are NaN.
    static Literal tensor(AttentionView const& view, Dims const& extents, Element const& at) {
        Dims dims = Dims::filled(leftOver(view, 5) == 4 ? 4 : 5, 3);
        for (int i = 0; i < 4; ++i) dims[static_cast<int>(view.axes[static_cast<size_t>(i)])] = extents[i];
        std::vector<float> values(static_cast<size_t>(dims.volume()), NAN);
        Dims const strides = rowMajorStrides(dims);
        int const rest = leftOver(view, dims.rank());
        Dims index = Dims::filled(4, 0);
        do {
            int64_t to = rest < 0 ? 0 : view.part * strides[rest];
            for (int i = 0; i < 4; ++i) to += index[i] * strides[static_cast<int>(view.axes[static_cast<size_t>(i)])];
            values[static_cast<size_t>(to)] = static_cast<float>(at(index[0], index[1], index[2], index[3]));
        } while (nextIndex(index, extents));
        return floats(dims, values);
    }

    /// The tensor, or (packed) its sequences concatenated, [extents[2],H,D]; NaN after the lengths.
    static Literal sequences(AttentionView const& view, Dims const& extents, bool packed,
                             std::vector<int32_t> const& lengths, Element const& at) {
        auto const within = [&](int64_t n, int64_t h, int64_t s, int64_t d) {
            return s < length(packed, lengths, n, extents[2]) ? at(n, h, s, d) : NAN;
        };
        if (!packed) return tensor(view, extents, within);
        std::vector<float> values(static_cast<size_t>(extents[1] * extents[2] * extents[3]), NAN);
        for (int64_t n = 0; n < extents[0]; ++n) {
            int64_t const first = start(true, lengths, n);
            for (int64_t i = 0; i < length(true, lengths, n, 0) * extents[1] * extents[3]; ++i) {
                int64_t const h = i / extents[3] % extents[1];
                values[static_cast<size_t>(first * extents[1] * extents[3] + i)] =
                    static_cast<float>(at(n, h, i / extents[3] / extents[1], i % extents[3]));
            }
        }
        return floats({extents[2], extents[1], extents[3]}, values);
    }

    Literal maskOf() const {
        int64_t const there = keys - notInMask;
        if (mask != Mask::Added)
            return booleans({queries, there}, [&](int64_t i) { return sees(i / there, i % there); });
        std::vector<float> values;
        for (int64_t i = 0; i < queries * there; ++i) values.push_back(static_cast<float>(added(i / there, i % there)));
        return floats({1, 1, queries, there}, values);
    }

    LayerCase test() const {
        double square = 0;
        for (int64_t d = 0; d < size; ++d) square += u(d) * u(d);
        auto const q = [&](int64_t n, int64_t h, int64_t s, int64_t d) { return c(n, h, s) * u(d) / square; };
        auto const k = [&](int64_t, int64_t h, int64_t t, int64_t d) { return sign(h) * x(t) * u(d); };
        auto const value = [&](int64_t n, int64_t h, int64_t t, int64_t e) { return x(t) * v(e) + w(n, h); };
        auto const y = [&](int64_t n, int64_t h, int64_t s, int64_t e) { return expected(n, h, s, e); };
        auto const ofQueries = [&](AttentionView const& view, int64_t elements, Element const& at) {
            return sequences(view, {batch, heads, queries, elements}, layer.packedQueries, queryLengths, at);
        };
        auto const ofKeys = [&](AttentionView const& view, int64_t elements, Element const& at) {
            return sequences(view, {batch, keyHeads, keys, elements}, layer.packedKeys, keyLengths, at);
        };
        LayerCase test{.inputs = {ofQueries(layer.query, size, q), ofKeys(layer.key, size, k),
                                  ofKeys(layer.value, valueSize, value)},
                       .expected = {ofQueries(layer.output, valueSize, y)}};
        if (mask != Mask::None) test.inputs.push_back(maskOf());
        for (auto const* lengths : {&queryLengths, &keyLengths}) {
            if (queryLengths.empty() && keyLengths.empty()) break;
            test.inputs.resize(lengths == &queryLengths ? Attention::kQueryLengths : Attention::kKeyLengths);
            if (!lengths->empty())
                test.inputs.push_back(Literal::of(Dims{static_cast<int64_t>(lengths->size())}, *lengths));
        }
        if (past != 0) {
            test.inputs.resize(Attention::kPast);
            test.inputs.push_back(spread({batch, keyHeads, past, size}, 1, 2));
        }
        if (layer.isQuantized()) {
            test.inputs.resize(Attention::kWeightScale);
            test.inputs.push_back(floats({}, {weightScale}));
        }
        if (layer.products != Attention::Products::None)
            test.expected.push_back(
                tensor({}, {batch, heads, queries, keys},
                       [&](int64_t n, int64_t h, int64_t s, int64_t t) { return product(n, h, s, t); }));
        return test;
    }

    void expect() const { expectInAllTypes(test(), layer); }
};

TEST(Attention, takesSequencesOfAnyLength) {
    std::pair<int64_t, int64_t> const lengths[]{{1, 1},   {1, 200},  {7, 17},  {17, 7},    {40, 40}, {63, 65},
                                                {64, 64}, {65, 127}, {64, 63}, {129, 200}, {200, 1}};
    for (auto const& [queries, keys] : lengths)
        Formula{.heads = 1, .keyHeads = 1, .queries = queries, .keys = keys, .size = 8, .valueSize = 16}.expect();
    Formula{.heads = 1, .keyHeads = 1, .queries = 3, .keys = 2500, .size = 8, .valueSize = 8}.expect();
}

TEST(Attention, takesHeadsOfAnySize) {
    for (int64_t const size : {1, 8, 15, 32, 40, 64, 80, 128, 160, 260}) {
        Formula{.queries = 5, .keys = 70, .size = size, .valueSize = size}.expect();
        Formula{.queries = 17, .keys = 9, .size = size, .valueSize = 24}.expect();
        Formula{.queries = 7, .keys = 9, .size = 24, .valueSize = size}.expect();
    }
}

TEST(Attention, masksSequencesOfAnyLength) {
    for (int64_t const queries : {1, 130}) {
        for (auto const mask :
             {Formula::Mask::None, Formula::Mask::Added, Formula::Mask::Sees, Formula::Mask::SeesNothing}) {
            Formula formula{.queries = queries, .keys = 90, .size = 8, .valueSize = 8, .mask = mask};
            formula.expect();
            formula.layer.causal = Attention::Causal::UpperLeft;
            formula.expect();
            if (mask == Formula::Mask::Added) continue;
            formula.layer.normalization = Attention::Normalization::None;
            formula.layer.scale = 1 / 90.0;
            formula.expect();
        }
    }
}

constexpr Attention::Causal kAllCausals[]{Attention::Causal::None, Attention::Causal::UpperLeft,
                                          Attention::Causal::LowerRight};

TEST(Attention, whenLowerRightLetsTheLastQuerySeeAllKeys) {
    std::pair<int64_t, int64_t> const lengths[]{{1, 1},   {1, 200}, {3, 37},   {7, 17},   {17, 7},
                                                {64, 64}, {63, 65}, {65, 127}, {130, 90}, {200, 1}};
    for (auto const& [queries, keys] : lengths) {
        Formula formula{.queries = queries, .keys = keys, .size = 8, .valueSize = 16};
        formula.layer.causal = Attention::Causal::LowerRight;
        formula.expect();
    }
}

TEST(Attention, readsNothingBehindTheLengthsOfKeys) {
    for (int64_t const queries : {1, 3, 70}) {
        for (auto const causal : kAllCausals) {
            Formula formula{.batch = 4,
                            .heads = 4,
                            .queries = queries,
                            .keys = 90,
                            .size = 16,
                            .valueSize = 16,
                            .keyLengths = {90, 0, 37, 64}};
            formula.layer.causal = causal;
            formula.expect();
        }
    }
    Formula{.batch = 2,
            .queries = 5,
            .keys = 9,
            .size = 3,
            .valueSize = 3,
            .mask = Formula::Mask::Sees,
            .keyLengths = {4, 9}}
        .expect();
}

AttentionView const kPacked{{-1, 1, 0, 2}, 0};

Formula packed(Formula formula, bool queries, bool keys) {
    formula.layer.packedQueries = queries;
    formula.layer.packedKeys = keys;
    if (queries) formula.layer.query = formula.layer.output = kPacked;
    if (keys) formula.layer.key = formula.layer.value = kPacked;
    return formula;
}

TEST(Attention, takesPackedSequences) {
    for (auto const causal : kAllCausals) {
        Formula formula{.batch = 4, .heads = 4, .queries = 208, .keys = 330, .size = 16, .valueSize = 24};
        formula.layer.causal = causal;
        formula.queryLengths = {0, 5, 5, 138, 208};
        formula.keyLengths = {0, 40, 47, 199, 269}; // out-of-range lengths too
        packed(formula, true, true).expect();
        Formula padded = formula;
        padded.queries = 70;
        padded.queryLengths.clear();
        packed(padded, false, true).expect();
        padded = formula;
        padded.keyLengths = {330, 7, 0, 100};
        packed(padded, true, false).expect();
    }
    Formula few{.batch = 2, .queries = 3, .keys = 40, .size = 32, .valueSize = 32};
    few.queryLengths = {0, 1, 3};
    few.keyLengths = {0, 17, 40};
    packed(few, true, true).expect();
}

TEST(Attention, letsQueriesSeeAWindowOfKeys) {
    std::pair<int64_t, int64_t> const windows[]{{0, 0}, {70, 0}, {-1, 2}, {5, -1}, {2, 66}, {INT64_MAX, INT64_MAX}};
    for (auto const& [before, after] : windows) {
        for (int64_t const queries : {1, 5, 150}) {
            Formula formula{.heads = 1, .keyHeads = 1, .queries = queries, .keys = 200, .size = 8, .valueSize = 16};
            formula.layer.causal = Attention::Causal::UpperLeft;
            formula.layer.before = before;
            formula.layer.after = after;
            formula.expect();
            formula.layer.causal = Attention::Causal::LowerRight;
            formula.expect();
        }
    }
}

TEST(Attention, seesAWindowOfKeysOfShorterSequencesToo) {
    for (auto const normalization : {Attention::Normalization::Softmax, Attention::Normalization::None}) {
        Formula formula{.queries = 150, .keys = 200, .size = 8, .valueSize = 8, .mask = Formula::Mask::Sees};
        formula.layer.normalization = normalization;
        formula.layer.scale = 1 / 90.0;
        formula.layer.causal = Attention::Causal::LowerRight;
        formula.layer.before = 20;
        formula.keyLengths = {77};
        formula.expect();
    }
    Formula formula{.batch = 4, .heads = 2, .queries = 208, .keys = 330, .size = 8, .valueSize = 8};
    formula.layer.causal = Attention::Causal::LowerRight;
    formula.layer.before = 30;
    formula.queryLengths = {0, 5, 5, 138, 208};
    formula.keyLengths = {0, 40, 47, 199, 269};
    packed(formula, true, true).expect();
}

TEST(Attention, countsQueriesFromThePast) {
    for (int64_t const queries : {1, 3, 70}) {
        for (int64_t const before : {-1, 10}) {
            Formula formula{.batch = 2, .queries = queries, .keys = 90, .size = 16, .valueSize = 8, .past = 20};
            formula.layer.causal = Attention::Causal::UpperLeft;
            formula.layer.before = before;
            formula.expect();
            formula.mask = Formula::Mask::Added;
            formula.expect();
        }
    }
}

TEST(Attention, capsScores) {
    for (int64_t const queries : {1, 7, 130}) {
        for (auto const mask : {Formula::Mask::None, Formula::Mask::Added, Formula::Mask::Sees}) {
            Formula formula{.queries = queries, .keys = 70, .size = 40, .valueSize = 24, .mask = mask};
            formula.layer.softcap = 0.75;
            formula.expect();
            formula.layer.causal = Attention::Causal::UpperLeft;
            formula.layer.before = 9;
            formula.expect();
        }
    }
    Formula large{.queries = 7, .keys = 70, .size = 160, .valueSize = 200};
    large.layer.softcap = 50;
    large.expect();
}

TEST(Attention, seesNoKeysBehindAMaskThatItIsCutTo) {
    for (auto const mask : {Formula::Mask::Added, Formula::Mask::Sees}) {
        for (int64_t const there : {1, 40}) {
            Formula formula{.queries = 7, .keys = 90, .size = 16, .valueSize = 16, .mask = mask};
            formula.notInMask = 90 - there;
            formula.layer.cutsToMask = true;
            formula.expect();
            formula.layer.causal = Attention::Causal::LowerRight; // of all keys
            formula.expect();
        }
    }
}

TEST(Attention, givesTheProductsToo) {
    using enum Attention::Products;
    for (auto const products : {Raw, Capped, Masked, Normalized}) {
        for (auto const mask : {Formula::Mask::None, Formula::Mask::Added, Formula::Mask::SeesNothing}) {
            Formula formula{
                .batch = 2, .heads = 4, .queries = 7, .keys = 70, .size = 40, .valueSize = 24, .mask = mask};
            formula.layer.products = products;
            formula.expect();
            formula.layer.softcap = 0.75;
            formula.layer.causal = Attention::Causal::LowerRight;
            formula.layer.before = 20;
            formula.expect();
        }
    }
}

/// Masked keys take no part in the computation: numpy, K and V of the first key alone.
TEST(Attention, leavesOutInfinities) {
    Attention layer;
    float const inf = INFINITY;
    LayerCase test{.inputs = {floats({1, 1, 2, 1}, {1, 2}), floats({1, 1, 2, 1}, {1, inf}),
                              floats({1, 1, 2, 2}, {3, 4, 5, 6}), booleans({2, 2}, [](int64_t i) { return i == 2; })},
                   .expected = {floats({1, 1, 2, 2}, {0, 0, 3, 4})}};
    test.expect(layer);
    layer.softcap = 2;
    test.expect(layer);
}

TEST(Attention, sharesHeadsInLongSequences) {
    Formula{.batch = 2, .heads = 6, .keyHeads = 2, .queries = 70, .keys = 5, .size = 32, .valueSize = 32}.expect();
    Formula{.heads = 2, .keyHeads = 1, .queries = 33, .keys = 130, .size = 64, .valueSize = 32}.expect();
}

TEST(Attention, takesFewQueries) {
    Formula{.batch = 2, .heads = 4, .keyHeads = 2, .queries = 3, .keys = 37, .size = 21, .valueSize = 32}.expect();
    Formula{.queries = 4, .keys = 300, .size = 70, .valueSize = 80, .mask = Formula::Mask::Added}.expect();
}

/// Tensors in which these axes, then the remaining one, are batch, heads, sequence and elements.
Formula viewed(std::vector<int64_t> const& axes, Formula formula) {
    formula.layer.query = {axes, 0};
    formula.layer.key = {axes, 1};
    formula.layer.value = {axes, 2};
    return formula;
}

TEST(Attention, readsAndWritesTensorsInOtherOrders) {
    for (int64_t const size : {15, 32}) {
        Formula formula{.batch = 2, .queries = 20, .keys = 20, .size = size, .valueSize = size};
        viewed({0, 2, 1, 3}, formula).expect();
        Formula few = formula;
        few.queries = 2;
        viewed({0, 2, 1, 3}, few).expect();
        formula.layer.output.axes = {0, 2, 1, 3};
        viewed({0, 2, 1, 3}, formula).expect();
        viewed({0, 3, 1, 4}, formula).expect(); // [N,S,3,H,D], with queries, keys and values in one tensor
        viewed({1, 2, 3, 4}, formula).expect(); // [3,N,H,S,D]
        viewed({0, 1, 3, 2}, formula).expect(); // [N,H,D,S]
        formula.layer.output.axes = {3, 1, 2, 0};
        formula.expect();
    }
}

TEST(Attention, takesTensorsWithoutBatchOrHeads) { // numpy, Q and K zeros: the mean of V
    Attention layer;
    for (AttentionView* view : {&layer.query, &layer.key, &layer.value, &layer.output}) view->axes = {-1, -1, 0, 1};
    LayerCase{.inputs = {floats({1, 2}, {0, 0}), floats({2, 2}, {0, 0, 0, 0}), floats({2, 3}, {1, 2, 3, 5, 6, 7})},
              .expected = {floats({1, 3}, {3, 4, 5})}}
        .expect(layer);
}

TEST(Attention, withoutKeysIsZero) {
    LayerCase test{.inputs = {floats({1, 1, 2, 1}, {1, 2}), floats({1, 1, 0, 1}, {}), floats({1, 1, 0, 2}, {})},
                   .expected = {floats({1, 1, 2, 2}, {0, 0, 0, 0})}};
    test.expect(Attention{});
    Attention layer;
    layer.quantizeTo = DataType::Float8;
    test.inputs.resize(Attention::kWeightScale);
    test.inputs.push_back(floats({}, {0.5F}));
    test.expect(layer);
    test.expectFed(layer);
}

/// The layer and the plain layers give the same results for the inputs of a case.
void expectSameAsPlainLayers(Formula const& formula) {
    Graph fused;
    Graph plain;
    auto const test = formula.test();
    std::vector<Literal> fed;
    std::ranges::copy_if(test.inputs, std::back_inserter(fed), [](Literal const& input) { return input.data(); });
    for (Graph* graph : {&fused, &plain}) {
        std::vector<Tensor*> inputs;
        for (Literal const& input : test.inputs)
            inputs.push_back(input.data()
                                 ? graph->addInput(text('x', inputs.size()), input.type(), toShape(input.dims()))
                                 : nullptr);
        EXPECT_TRUE(hasPlainLayers(formula.layer, inputs));
        Tensor* const y =
            graph == &plain ? addAsPlainLayers(*graph, formula.layer, inputs) : graph->emit(formula.layer, inputs);
        y->name = "y";
        graph->markOutput(y);
    }
    test::expectSame(fused, plain, fed);
}

TEST(Attention, isTheSameAsPlainLayers) {
    Formula formula{.batch = 2, .heads = 4, .keyHeads = 2, .queries = 7, .keys = 7, .size = 5, .valueSize = 5};
    for (auto const mask : {Formula::Mask::None, Formula::Mask::Added}) {
        formula.mask = mask;
        if (mask == Formula::Mask::None) formula.layer.causal = Attention::Causal::UpperLeft;
        expectSameAsPlainLayers(formula);
        expectSameAsPlainLayers(viewed({0, 3, 1, 4}, formula));
    }
    formula.mask = Formula::Mask::None;
    formula.layer.causal = Attention::Causal::LowerRight;
    formula.queries = 3;
    expectSameAsPlainLayers(formula);
    formula.layer.causal = Attention::Causal::None;
    formula.mask = Formula::Mask::Sees;
    formula.layer.output.axes = {0, 2, 1, 3};
    expectSameAsPlainLayers(formula);
    formula.layer.normalization = Attention::Normalization::None;
    formula.layer.scale = 0.5;
    expectSameAsPlainLayers(formula);
    formula.layer.causal = Attention::Causal::UpperLeft;
    formula.layer.before = formula.layer.after = 1;
    formula.layer.softcap = 0.5;
    expectSameAsPlainLayers(formula);
}

TEST(Attention, isTheSameAsPlainLayersWhereQueriesSeeNoKey) {
    Formula formula{.batch = 4, .heads = 4, .keyHeads = 2, .queries = 9, .keys = 7, .size = 5, .valueSize = 5};
    formula.mask = Formula::Mask::SeesNothing;
    expectSameAsPlainLayers(formula);
    formula.mask = Formula::Mask::None;
    formula.layer.causal = Attention::Causal::LowerRight;
    expectSameAsPlainLayers(formula);
    formula.layer.after = formula.layer.before = INT64_MAX;
    expectSameAsPlainLayers(formula);
    for (auto const causal : kAllCausals) {
        formula.layer = {};
        formula.layer.causal = causal;
        formula.keyLengths = {7, 0, 3, 5};
        expectSameAsPlainLayers(formula);
        formula.layer.before = 2;
        expectSameAsPlainLayers(formula);
    }
    formula.keyLengths.clear();
    formula.layer.causal = Attention::Causal::UpperLeft;
    formula.past = 3;
    expectSameAsPlainLayers(formula);
}

constexpr DataType kWeightTypes[]{DataType::Int8, DataType::Float8};

/// For the layer, and for an engine, which consists of other layers. The weights of a query are equal unless the
/// formula adds a mask, so that none of them is near the midpoint of two numbers.
void expectQuantized(Formula formula) {
    formula.layer.scale = 0;
    for (DataType const type : kWeightTypes) {
        formula.layer.quantizeTo = type;
        for (float const scale : {1 / 128.0F, 5 / 128.0F}) { // the same in all types
            formula.weightScale = scale;
            formula.expect();
            formula.test().expectFed(formula.layer);
        }
    }
}

TEST(Attention, quantizesItsWeightsAndBack) {
    for (auto const mask :
         {Formula::Mask::None, Formula::Mask::Added, Formula::Mask::Sees, Formula::Mask::SeesNothing}) {
        Formula formula{.batch = 2, .heads = 4, .queries = 7, .keys = 13, .size = 8, .valueSize = 16, .mask = mask};
        expectQuantized(formula);
        formula.keyHeads = 4;
        formula.layer.softcap = 2;
        expectQuantized(viewed({0, 2, 1, 3}, formula));
    }
}

TEST(Attention, quantizesItsWeightsWhatEverQueriesSee) {
    for (auto const causal : kAllCausals) {
        Formula formula{.batch = 4, .heads = 4, .queries = 9, .keys = 7, .size = 8, .valueSize = 8};
        formula.layer.causal = causal;
        expectQuantized(formula);
        formula.keyLengths = {7, 0, 3, 5};
        expectQuantized(formula);
        formula.keys = 21;
        formula.queryLengths = {0, 2, 2, 6, 9};
        formula.keyLengths = {0, 7, 7, 10, 19};
        expectQuantized(packed(formula, true, true));
    }
}

/// numpy: with K = 1 the products are those of Q; ties go to even, and numbers out of range are clamped.
TEST(Attention, quantizesAsQuantizeDoes) {
    Attention layer;
    layer.normalization = Attention::Normalization::None;
    Literal const one = floats({1, 1, 1, 1}, {1});
    std::vector<float> const numbers{0.25F, 0.75F, -0.75F, 1, 5.25F, 8.5F, 9.5F, 63.5F, 100, -100, 1000, -1000};
    auto const expect = [&](DataType to, std::vector<float> const& expected) {
        layer.quantizeTo = to;
        Dims const dims{1, 1, 12, 1};
        LayerCase test{.inputs = {floats(dims, numbers), one, one}, .expected = {floats(dims, expected)}};
        test.inputs.resize(Attention::kWeightScale);
        test.inputs.push_back(floats({1}, {0.5F}));
        test.constants = 1U << Attention::kWeightScale;
        expectInAllTypes(test, layer);
        test.expectFed(layer);
        test.in(DataType::Float16).expectFed(layer);
    };
    expect(DataType::Int8, {0, 1, -1, 1, 5, 8.5F, 9.5F, 63.5F, 63.5F, -64, 63.5F, -64});
    expect(DataType::Float8, {0.25F, 0.75F, -0.75F, 1, 5, 8, 10, 64, 96, -96, 224, -224});
}

TEST(Attention, takesAScaleOfAnotherType) {
    Formula formula{.queries = 3, .keys = 5, .size = 8, .valueSize = 8, .weightScale = 0.0625F};
    formula.layer.scale = 0;
    formula.layer.quantizeTo = DataType::Int8;
    for (DataType const type : {DataType::Float16, DataType::BFloat16}) {
        LayerCase test = formula.test().in(type);
        test.inputs.back() = floats({}, {formula.weightScale});
        test.expect(formula.layer);
        test.expectFed(formula.layer);
    }
}

/// Weights near the midpoint of two numbers may be rounded to either by a device that sums in another order: a value,
/// which is less than 2 here, changes by the distance of the numbers.
TEST(Attention, quantizesOtherWeightsUpToOneStep) {
    for (DataType const type : kWeightTypes) {
        for (auto const mask : {Formula::Mask::None, Formula::Mask::Added, Formula::Mask::Sees}) {
            Formula formula{.heads = 4, .queries = 33, .keys = 65, .size = 32, .valueSize = 24, .mask = mask};
            formula.weightScale = 1 / 500.0F;
            formula.layer.quantizeTo = type;
            LayerCase test = formula.test();
            test.expect(formula.layer);
            test.tolerance = 0.01;
            test.expectFed(formula.layer);
        }
    }
}

std::string error(std::vector<Shape> const& shapes, Attention const& layer = {}) {
    std::vector<test::Input> inputs;
    for (Shape const& shape : shapes) inputs.push_back({DataType::Float32, shape});
    return test::inferError(layer, inputs);
}

TEST(Attention, refusesShapesThatDoNotMatch) {
    EXPECT_EQ(error({{1, 2, 3, 4}, {1, 2, 3, 5}, {1, 2, 3, 4}}),
              "node (Attention): the query [1,2,3,4] and the key [1,2,3,5] differ in the head size: 4 against 5");
    EXPECT_EQ(error({{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 5, 4}}),
              "node (Attention): the key [1,2,3,4] and the value [1,2,5,4] differ in the sequence: 3 against 5");
    EXPECT_EQ(error({{1, 3, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}),
              "node (Attention): the query [1,3,3,4] has 3 heads and the key [1,2,3,4] has 2; expected a multiple for "
              "the query");
    EXPECT_EQ(error({{1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 4}, {3, 4}}),
              "node (Attention): the mask [3,4] does not broadcast to the products [1,2,3,5] of query and key");
    EXPECT_EQ(error({{2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 4}}),
              "node (Attention): the query has shape [2,3,4] of rank 3; expected rank 4");
}

TEST(Attention, refusesLengthsThatDoNotFit) {
    Shape const padded{2, 2, 3, 4};
    auto const errorOf = [&](Shape const& query, test::Input const& queryLengths, test::Input const& keyLengths,
                             Attention const& layer = {}) {
        test::Input const in{DataType::Float32, padded};
        test::Input const absentMask{DataType::Float32, {1}};
        return test::inferError(layer, {{DataType::Float32, query}, in, in, absentMask, queryLengths, keyLengths});
    };
    test::Input const three{DataType::Int32, {3}};
    EXPECT_EQ(errorOf(padded, three, three),
              "node (Attention): the key lengths [3] and the key [2,2,3,4] differ in the batch: 3 against 2");
    EXPECT_EQ(errorOf(padded, three, {DataType::Int64, {2}}),
              "node (Attention): the key lengths are int64; expected int32");
    Attention layer;
    layer.packedQueries = true;
    EXPECT_EQ(errorOf(padded, three, {DataType::Int32, {2}}, layer),
              "node (Attention): packed sequences require a tensor without batch, [all tokens,H,D]");
    layer.query = layer.output = kPacked;
    EXPECT_EQ(errorOf({6, 2, 4}, three, {DataType::Int32, {2}}, layer),
              "node (Attention): a mask with packed sequences; pad the sequences to [N,H,S,D], or remove the mask");
    EXPECT_EQ(error({{6, 2, 4}, padded, padded}, layer),
              "node (Attention): packed sequences need query lengths [number of sequences + 1]");
}

TEST(Attention, refusesScoresThatItCannotMake) {
    Shape const shape{1, 2, 3, 4};
    Attention layer;
    layer.softcap = -1;
    EXPECT_EQ(error({shape, shape, shape}, layer), "node (Attention): softcap -1; expected more than 0, or 0 for none");
    layer.softcap = 0;
    layer.before = -2;
    EXPECT_EQ(error({shape, shape, shape}, layer),
              "node (Attention): a window of -2 keys before and 0 after; expected 0 or more, or -1 for all");
    layer = {};
    layer.products = Attention::Products::Raw;
    layer.normalization = Attention::Normalization::None;
    EXPECT_EQ(error({shape, shape, shape}, layer),
              "node (Attention): the products as an output of an attention without softmax");
    layer = {};
    layer.cutsToMask = true;
    EXPECT_EQ(error({shape, shape, shape, {3, 5}}, layer),
              "node (Attention): the mask [3,5] does not broadcast to the products [1,2,3,3] of query and key");
}

TEST(Attention, refusesToQuantizeWithoutATypeOrAScale) {
    test::Input const x{DataType::Float32, {1, 2, 3, 4}};
    Attention layer;
    auto const errorOf = [&](std::optional<test::Input> const& scale) {
        std::vector<test::Input> inputs{x, x, x};
        if (scale) inputs = {x, x, x, x, {DataType::Int32, {1}}, {DataType::Int32, {1}}, x, *scale};
        return test::inferError(layer, inputs);
    };
    test::Input const one{DataType::Float32, {}};
    EXPECT_EQ(errorOf(one), "node (Attention): a scale of the normalized products, but no type to quantize them to; "
                            "expected int8 or float8");
    layer.quantizeTo = DataType::Float8;
    EXPECT_EQ(errorOf({}),
              "node (Attention): the normalized products are to be quantized to float8, but their scale is missing");
    EXPECT_EQ(errorOf(test::Input{DataType::Int8, {}}),
              "node (Attention): scale of the normalized products is int8; expected float32, float16 or bfloat16");
    EXPECT_EQ(errorOf(test::Input{DataType::Float32, {2}}),
              "node (Attention): scale of the normalized products has shape [2]; expected one element");
    layer.products = Attention::Products::Normalized;
    EXPECT_EQ(errorOf(one), "node (Attention): the products as an output of an attention that quantizes them");
    layer.quantizeTo = DataType::Float16;
    EXPECT_EQ(errorOf(one), "node (Attention): the normalized products are to be quantized to float16; expected int8 "
                            "or float8");
}

TEST(Attention, refusesViewsThatDoNotFit) {
    Shape const shape{1, 2, 3, 4};
    Attention layer;
    layer.query.axes = {0, 1, 1, 2};
    EXPECT_EQ(error({shape, shape, shape}, layer), "node (Attention): axes [0,1,1,2] of the query; expected the axes "
                                                   "of batch, heads, sequence and elements, -1 for a missing one");
    layer.query = {{-1, 0, 2, 3}, 2};
    EXPECT_EQ(error({{1, 2, 3, 4}, shape, shape}, layer),
              "node (Attention): part 2 of the query [1,2,3,4], which has 2");
    layer.query = {};
    layer.output.axes = {0, -1, 1, 2};
    EXPECT_EQ(error({shape, shape, shape}, layer),
              "node (Attention): axes [0,-1,1,2] of the output do not fit [1,2,3,4]");
}

} // namespace
} // namespace tenon
