// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "base/text.h"
#include "support/expect_same.h"
#include "support/layer_case.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;

constexpr float kLowest = -3.38953139e38F; // of bfloat16, representable in all types but float16
constexpr double kLeftOut = -INFINITY;

/// Attention as computed by separate layers: softmax(where(mask, scale · Q Kᵀ, masked)) V, or softmax(scale · Q Kᵀ +
/// mask) V. Unless the mask is added, key 1 has a NaN, key 2 an infinity. Query 0 sees no key, query 1 all, query 2 not
/// keys 1 and 2, query 3 not key 1; and so on.
struct SeparateLayers {
    Dims mask{}; // of a mask that broadcasts to [2,2,queries,keys]; of rank 0: of these extents
    int64_t queries = 4, keys = 7, size = 8, valueSize = 8;
    int64_t firstQuery = 0; // the pattern with which query 0 starts
    double masked = -INFINITY;
    bool adds = false; // 0 or `masked`, in the type of Q

    bool sees(int64_t s, int64_t t) const {
        int64_t const like = (s + firstQuery) % 4;
        return like == 1 || (like != 0 && t != 1 && (like == 3 || t != 2) && t % 5 != 4);
    }

    Dims maskDims() const { return mask.rank() == 0 ? Dims{2, 2, queries, keys} : mask; }
    /// Element `i` of the mask; if it broadcasts, as for query 2 and key 3.
    bool sees(int64_t i) const {
        Dims const dims = maskDims();
        int64_t const lastBut = dims.rank() > 1 ? dims[dims.rank() - 2] : 1;
        int64_t const last = dims[dims.rank() - 1];
        return sees(lastBut == 1 ? 2 - firstQuery + 4 : i / last % lastBut, last == 1 ? 3 : i % last);
    }
    Literal maskLiteral() const {
        Dims const dims = maskDims();
        std::vector<float> addends;
        std::vector<char> booleans;
        for (int64_t i = 0; i < dims.volume(); ++i) {
            booleans.push_back(sees(i) ? 1 : 0);
            addends.push_back(sees(i) ? 0 : static_cast<float>(masked));
        }
        return adds ? floats(dims, addends) : Literal::copyOf(DataType::Bool, dims, booleans.data());
    }

    Literal key() const {
        auto numbers = spread({2, 2, keys, size}, -1, 1).toFloat();
        for (int64_t head = 0; head < 4 && !adds; ++head) {
            if (keys > 1) numbers[static_cast<size_t>((head * keys + 1) * size)] = NAN;
            if (keys > 2) numbers[static_cast<size_t>((head * keys + 2) * size)] = INFINITY;
        }
        return floats({2, 2, keys, size}, numbers);
    }

    double score(std::vector<float> const& q, std::vector<float> const& k, int64_t row, int64_t t) const {
        double sum = 0;
        int64_t const head = row / queries;
        for (int64_t d = 0; d < size; ++d)
            sum += double{q[static_cast<size_t>(row * size + d)]} *
                   double{k[static_cast<size_t>((head * keys + t) * size + d)]};
        sum *= scale();
        Dims const strides = broadcastStrides(maskDims(), {2, 2, queries, keys});
        int64_t const at = head / 2 * strides[0] + head % 2 * strides[1] + row % queries * strides[2] + t * strides[3];
        if (adds) return static_cast<float>(sum) + (sees(at) ? 0.0F : static_cast<float>(masked));
        return sees(at) ? sum : masked;
    }

    double scale() const { return 1 / std::sqrt(static_cast<double>(size)); }

    static void normalize(std::vector<double>& scores) {
        double most = -INFINITY;
        for (double const one : scores) most = std::max(most, one);
        double sum = 0;
        for (double& one : scores) sum += one = std::exp(one - most); // NaN for infinities
        for (double& one : scores) one /= sum;
    }

    LayerCase test() const {
        Literal const q = spread({2, 2, queries, size}, -1, 1);
        Literal const v = spread({2, 2, keys, valueSize}, -1, 2);
        auto const values = v.toFloat();
        auto const queryNumbers = q.toFloat();
        auto const keyNumbers = key().toFloat();
        std::vector<float> y;
        for (int64_t row = 0; row < 4 * queries; ++row) {
            std::vector<double> weights;
            for (int64_t t = 0; t < keys; ++t) weights.push_back(score(queryNumbers, keyNumbers, row, t));
            normalize(weights);
            for (int64_t e = 0; e < valueSize; ++e) {
                double sum = 0;
                for (int64_t t = 0; t < keys; ++t)
                    sum += weights[static_cast<size_t>(t)] *
                           double{values[static_cast<size_t>((row / queries * keys + t) * valueSize + e)]};
                y.push_back(static_cast<float>(sum));
            }
        }
        return {.inputs = {q, key(), v, maskLiteral()}, .expected = {floats({2, 2, queries, valueSize}, y)}};
    }

    Attention layer() const {
        Attention layer;
        layer.scale = scale();
        layer.keepsNans = true;
        if (!adds) layer.maskedScore = masked;
        return layer;
    }

    void expect() const {
        SCOPED_TRACE(text(maskDims(), " of ", masked, ", heads of ", size));
        test().expect(layer());
    }
    void expectInAllTypes() const {
        expect();
        for (DataType const type : {DataType::Float16, DataType::BFloat16}) test().in(type).expect(layer());
    }
};

TEST(AttentionMask, replacesScoresByAnyNumber) {
    for (double const masked : {kLeftOut, -3.4028234663852886e38, -1e9, -1e8, -65504.0, -1e4, -1.0, 0.0, 1.0})
        SeparateLayers{.masked = masked}.expectInAllTypes();
}

TEST(AttentionMask, replacesScoresInHeadsOfAnySize) {
    for (int64_t const size : {1, 15, 32, 64, 128, 160, 260}) {
        for (double const masked : {kLeftOut, -1e9})
            SeparateLayers{.size = size, .valueSize = size, .masked = masked}.expectInAllTypes();
    }
}

TEST(AttentionMask, replacesScoresOfSequencesOfAnyLength) {
    for (int64_t const keys : {3, 64, 90, 200}) {
        for (double const masked : {kLeftOut, -1e9}) {
            SeparateLayers{.queries = 70, .keys = keys, .masked = masked}.expect();
            for (int64_t const first : {0, 1, 2, 3})
                SeparateLayers{.queries = 1, .keys = keys, .size = 32, .firstQuery = first, .masked = masked}.expect();
        }
    }
}

TEST(AttentionMask, broadcasts) {
    for (Dims const& dims : {Dims{7}, Dims{1}, Dims{4, 1}, Dims{1, 1, 1, 7}, Dims{2, 1, 1, 7}, Dims{1, 2, 1, 1},
                             Dims{1, 1, 4, 7}, Dims{2, 2, 1, 7}}) {
        for (double const masked : {kLeftOut, -1e9}) SeparateLayers{.mask = dims, .masked = masked}.expect();
        SeparateLayers{.mask = dims, .masked = -INFINITY, .adds = true}.expect();
    }
}

// a query whose scores are all the lowest finite number gives the mean of all values, only -infinity gives NaN
TEST(AttentionMask, keepsTheLowestNumbersFinite) {
    for (float const masked : {kLowest, -INFINITY}) {
        for (int64_t const size : {8, 160}) {
            SeparateLayers const layers{.size = size, .firstQuery = 0, .masked = masked, .adds = true};
            LayerCase test = layers.test();
            test.types = {DataType::Float32};
            test.expect(layers.layer());
            test.types = {DataType::BFloat16};
            test.in(DataType::BFloat16).expect(layers.layer());
        }
    }
}

/// Added masks are exact in double, in which the reference sums.
TEST(AttentionMask, isTheSameAsPlainLayers) {
    SeparateLayers const all[]{{.masked = kLeftOut},
                               {.masked = -1e9},
                               {.masked = 0.5},
                               {.masked = kLeftOut, .adds = true},
                               {.masked = 0.5, .adds = true}};
    for (SeparateLayers const& layers : all) {
        LayerCase const test = layers.test();
        Graph fused;
        Graph plain;
        for (Graph* graph : {&fused, &plain}) {
            std::vector<Tensor*> inputs;
            for (Literal const& input : test.inputs)
                inputs.push_back(graph->addInput(text('x', inputs.size()), input.type(), toShape(input.dims())));
            Tensor* const y = graph == &plain ? addAsPlainLayers(*graph, layers.layer(), inputs)
                                              : graph->emit(layers.layer(), inputs);
            y->name = "y";
            graph->markOutput(y);
        }
        test::expectSame(plain, fused, test.inputs);
    }
}

TEST(AttentionMask, refusesNanInPlaceOfScores) {
    Attention layer;
    layer.maskedScore = NAN;
    test::Input const x{DataType::Float32, {1, 2, 3, 4}};
    EXPECT_EQ(test::inferError(layer, {x, x, x}),
              "node (Attention): the score of masked keys is NaN; expected a number or -infinity");
}

} // namespace
} // namespace tenon
