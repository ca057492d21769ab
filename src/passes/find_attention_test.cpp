// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/find_attention.h"

#include "base/text.h"
#include "layers/attention/attention.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/select/select.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/softmax/softmax.h"
#include "layers/squeeze/squeeze.h"
#include "support/layer_case.h"
#include "support/written_graph.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::spread;
using enum PointwiseOp;

struct Network : test::WrittenGraph {
    Tensor* scores(Tensor* q, Tensor* k) { return product(q, k, MatrixOperation::Transpose); }

    /// The pass leaves nodes of these kinds. Returns the Attention.
    Attention expectKinds(Tensor* output, std::string const& kinds) {
        Graph const fused = after(findAttention, output);
        EXPECT_EQ(test::kindsOf(fused), kinds) << print(fused);
        Attention attention;
        for (Node const* node : fused.order()) {
            if (auto const* layer = as<Attention>(*node->layer)) attention = *layer;
        }
        return attention;
    }
};

TEST(FindAttention, findsIt) {
    Network net;
    Tensor* const weights = net.softmax(net.scores(net.input({2, 3, 4, 5}), net.input({2, 3, 6, 5})));
    net.expectKinds(net.product(weights, net.input({2, 3, 6, 7})), "Attention");
}

TEST(FindAttention, takesScalingWhereverItStands) {
    Network net;
    Tensor* const q = net.emit(Prod, net.input({2, 3, 4, 5}), net.number(2));
    Tensor* const k = net.emit(Div, net.input({2, 3, 6, 5}), net.number(4));
    Tensor* const scores = net.emit(Prod, net.number(3), net.scores(q, k));
    auto const layer = net.expectKinds(net.product(net.softmax(scores), net.input({2, 3, 6, 7})), "Attention");
    EXPECT_EQ(layer.scale, 1.5);
}

TEST(FindAttention, takesStacksOfOtherRanks) {
    Network net;
    Tensor* const weights = net.softmax(net.scores(net.input({3, 4, 5}), net.input({3, 6, 5})));
    net.expectKinds(net.product(weights, net.input({3, 6, 7})), "Attention");
    Network flat;
    Tensor* const one = flat.softmax(flat.scores(flat.input({4, 5}), flat.input({6, 5})));
    flat.expectKinds(flat.product(one, flat.input({6, 7})), "Attention");
}

TEST(FindAttention, takesAMaskThatIsAdded) {
    for (Dims const& dims : {Dims{4, 6}, Dims{1, 1, 1, 6}, Dims{2, 3, 4, 6}, Dims{6}}) {
        Network net;
        Tensor* const scores =
            net.emit(Prod, net.scores(net.input({2, 3, 4, 5}), net.input({2, 3, 6, 5})), net.number(2));
        Tensor* const masked = net.emit(Sum, net.input(dims), scores);
        net.expectKinds(net.product(net.softmax(masked), net.input({2, 3, 6, 7})), "Attention");
    }
    Network net;
    Tensor* const masked = net.emit(Sum, net.scores(net.input({3, 4, 5}), net.input({3, 6, 5})), net.input({3, 1, 6}));
    net.expectKinds(net.product(net.softmax(masked), net.input({3, 6, 7})), "Attention");
}

TEST(FindAttention, takesAChoiceBetweenScoresAndNothing) {
    for (bool const scoresFirst : {true, false}) {
        Network net;
        Tensor* const scores = net.scores(net.input({1, 2, 3, 5}), net.input({1, 2, 4, 5}));
        Tensor* const sees = net.emit(Greater, net.input({3, 4}), net.number(0));
        Tensor* const nothing = net.number(-1e30F);
        Tensor* const masked =
            net.graph.emit(Select{}, {sees, scoresFirst ? scores : nothing, scoresFirst ? nothing : scores});
        net.expectKinds(net.product(net.softmax(masked), net.input({1, 2, 4, 5})),
                        scoresFirst ? "Elementwise Attention" : "Elementwise Unary Attention");
    }
}

/// Scores [2,2,4,6] of which a mask replaces some by a number, in one of the two orders that Select has. Query 0 sees
/// no key, query 1 all; queries 2 and 3 do not see key 1, which has a NaN in one batch, and key 2, which has an
/// infinity.
struct Masked {
    Dims mask{4, 6};
    int64_t size = 5;
    float number = -INFINITY;
    bool scoresFirst = true;

    Literal poisoned() const {
        auto numbers = spread({2, 2, 6, size}, -1, 1).toFloat();
        numbers[static_cast<size_t>(1 * size)] = NAN;
        numbers[static_cast<size_t>(2 * size)] = INFINITY;
        return floats({2, 2, 6, size}, numbers);
    }
    Literal sees() const {
        std::vector<float> numbers;
        int64_t const keys = mask[mask.rank() - 1];
        for (int64_t i = 0; i < mask.volume(); ++i) {
            int64_t const s = i / keys % 4;
            bool const isSeen = s == 1 || (s != 0 && i % keys != 1 && i % keys != 2);
            numbers.push_back(isSeen == scoresFirst ? 1.0F : -1.0F);
        }
        return floats(mask, numbers);
    }

    void expect(std::string const& kinds) const {
        Network net;
        Tensor* const q = net.input({2, 2, 4, size});
        Tensor* const scores = net.emit(Prod, net.scores(q, net.input({2, 2, 6, size})), net.number(0.25F));
        net.values.back() = poisoned();
        Tensor* const condition = net.emit(Greater, net.input(mask), net.number(0));
        net.values.back() = sees();
        Tensor* const other = net.number(number);
        Tensor* const chosen =
            net.graph.emit(Select{}, {condition, scoresFirst ? scores : other, scoresFirst ? other : scores});
        net.expectKinds(net.product(net.softmax(chosen), net.input({2, 2, 6, size})), kinds);
    }
};

TEST(FindAttention, keepsWhatAMaskChooses) {
    for (float const number : {-INFINITY, -3.4028235e38F, -1e9F, -1e8F, -65504.0F, -1e4F, -1.0F, 0.0F, 2.0F}) {
        SCOPED_TRACE(number);
        Masked{.number = number}.expect("Elementwise Attention");
        Masked{.number = number, .scoresFirst = false}.expect("Elementwise Unary Attention");
    }
    for (Dims const& dims : {Dims{6}, Dims{1, 1, 1, 6}, Dims{2, 1, 1, 6}, Dims{1, 1, 4, 1}, Dims{2, 1, 4, 6},
                             Dims{1, 2, 4, 6}, Dims{2, 2, 4, 6}}) {
        SCOPED_TRACE(text(dims));
        for (float const number : {-INFINITY, -1e9F})
            Masked{.mask = dims, .number = number}.expect("Elementwise Attention");
    }
}

TEST(FindAttention, keepsWhatAMaskChoosesInHeadsOfAnySize) {
    for (int64_t const size : {64, 128}) Masked{.size = size}.expect("Elementwise Attention");
    Masked{.size = 160}.expect("MatrixMultiply Elementwise Elementwise Select Softmax MatrixMultiply");
}

TEST(FindAttention, leavesAChoiceOfInfinityOrNan) {
    for (float const number : {INFINITY, NAN})
        Masked{.number = number}.expect("MatrixMultiply Elementwise Elementwise Select Softmax MatrixMultiply");
}

// numpy: the softmax of a row of -infinity is NaN, and -infinity + NaN is NaN
TEST(FindAttention, keepsTheNansOfAMaskThatIsAdded) {
    Network net;
    Tensor* const k = net.input({1, 2, 6, 5});
    net.values.back() = floats({1, 2, 6, 5}, [] {
        auto numbers = spread({1, 2, 6, 5}, -1, 1).toFloat();
        numbers[30] = NAN; // in head 1
        return numbers;
    }());
    Tensor* const mask = net.input({4, 6});
    auto numbers = net.values.back().toFloat();
    std::fill(numbers.begin(), numbers.begin() + 6, -INFINITY); // query 0 sees no key
    numbers[8] = -INFINITY;
    net.values.back() = floats({4, 6}, numbers);
    Tensor* const masked = net.emit(Sum, net.scores(net.input({1, 2, 4, 5}), k), mask);
    net.expectKinds(net.product(net.softmax(masked), net.input({1, 2, 6, 3})), "Attention");
}

TEST(FindAttention, keepsTheNansOfScoresThatAreInfinite) {
    Network net;
    Tensor* const q = net.input({1, 1, 3, 1});
    net.values.back() = floats({1, 1, 3, 1}, {INFINITY, -INFINITY, 1});
    Tensor* const k = net.input({1, 1, 2, 1});
    net.values.back() = floats({1, 1, 2, 1}, {1, 2});
    net.expectKinds(net.product(net.softmax(net.scores(q, k)), net.input({1, 1, 2, 3})), "Attention");
}

TEST(FindAttention, readsWhatIsTransposed) { // [N,S,H,D]
    Network net;
    Tensor* const q = net.transposed(net.input({2, 4, 3, 5}), {0, 2, 1, 3});
    Tensor* const k = net.transposed(net.input({2, 6, 3, 5}), {0, 2, 3, 1});
    Tensor* const v = net.transposed(net.input({2, 6, 3, 7}), {0, 2, 1, 3});
    Tensor* const y = net.transposed(net.product(net.softmax(net.product(q, k)), v), {0, 2, 1, 3});
    auto const layer = net.expectKinds(y, "Attention");
    for (auto const* view : {&layer.query, &layer.key, &layer.value, &layer.output})
        EXPECT_EQ(view->axes, (std::vector<int64_t>{0, 2, 1, 3}));
}

TEST(FindAttention, leavesReshapingBesideTranspositions) {
    Network net;
    Shuffle toHeads = Shuffle::reshaping({2, 4, 3, 5});
    toHeads.secondTranspose = {0, 2, 1, 3};
    Tensor* const q = net.graph.emit(toHeads, {net.input({2, 4, 15})});
    Shuffle fromHeads = Shuffle::reshaping({0, 0, -1});
    fromHeads.firstTranspose = {0, 2, 1, 3};
    Tensor* const y = net.product(net.softmax(net.scores(q, net.input({2, 3, 6, 5}))), net.input({2, 3, 6, 7}));
    net.expectKinds(net.graph.emit(fromHeads, {y}), "Shuffle Attention Shuffle");
}

/// Part i of X [3,N,H,S,D]
Tensor* partOf(Network& net, Tensor* x, int64_t i, bool slices) {
    if (!slices) return net.graph.emit(Gather{}, {x, net.constant(Literal::scalar(i))});
    Slice slice;
    slice.start = {i, 0, 0, 0, 0};
    slice.size = {1, 2, 3, 4, 5};
    return net.graph.emit(Squeeze{}, {net.graph.emit(slice, {x}), net.constant(test::ints({1}, {0}))});
}

TEST(FindAttention, readsQueriesKeysAndValuesFromOneTensor) { // [N,S,3,H,D]
    for (bool const slices : {false, true}) {
        Network net;
        Tensor* const all = net.transposed(net.input({2, 4, 3, 3, 5}), {2, 0, 3, 1, 4});
        Tensor* const q = net.emit(Prod, partOf(net, all, 0, slices), net.number(0.5F));
        Tensor* const k = net.transposed(partOf(net, all, 1, slices), {0, 1, 3, 2});
        Tensor* const weights = net.softmax(net.product(q, k));
        Tensor* const y = net.transposed(net.product(weights, partOf(net, all, 2, slices)), {0, 2, 1, 3});
        auto const layer = net.expectKinds(y, "Attention");
        EXPECT_EQ(layer.value, (AttentionView{{0, 3, 1, 4}, 2}));
        EXPECT_EQ(layer.key, (AttentionView{{0, 3, 1, 4}, 1}));
    }
}

TEST(FindAttention, readsWhatAnAttentionThatStandsThereIsMadeFrom) { // [N,S,H,3,D]
    Network net;
    Tensor* const all = net.input({2, 4, 3, 3, 5});
    Gather part;
    part.axis = 3;
    std::vector<Tensor*> parts;
    for (int64_t const i : {0, 1, 2}) {
        Tensor* const one = net.graph.emit(part, {all, net.constant(Literal::scalar(i))});
        parts.push_back(net.transposed(one, {0, 2, 1, 3}));
    }
    parts[0] = net.emit(Prod, parts[0], net.number(0.5F));
    auto const layer = net.expectKinds(net.transposed(net.graph.emit(Attention{}, parts), {0, 2, 1, 3}), "Attention");
    EXPECT_EQ(layer.scale, 0.5);
    EXPECT_EQ(layer.query, (AttentionView{{0, 2, 1, 4}, 0}));
    EXPECT_EQ(layer.value, (AttentionView{{0, 2, 1, 4}, 2}));
    EXPECT_EQ(layer.output.axes, (std::vector<int64_t>{0, 2, 1, 3}));
}

TEST(FindAttention, findsItWhereLengthsAreNotKnown) {
    Graph graph;
    Shape const shape{DimExpr::symbol("n"), 3, DimExpr::symbol("s"), 5};
    std::vector<Tensor*> in;
    for (char const* name : {"q", "k", "v"}) in.push_back(graph.addInput(name, DataType::Float32, shape));
    MatrixMultiply product;
    product.b = MatrixOperation::Transpose;
    Tensor* const weights = graph.emit(Softmax{}, {graph.emit(product, {in[0], in[1]})});
    graph.markOutput(graph.emit(MatrixMultiply{}, {weights, in[2]}));
    findAttention(graph);
    EXPECT_EQ(graph.nodes().size(), 1U);
    EXPECT_EQ(graph.outputs()[0]->shape, shape);
}

TEST(FindAttention, leavesWhatOthersRead) {
    Network net;
    Tensor* const weights = net.softmax(net.scores(net.input({2, 3, 4, 5}), net.input({2, 3, 6, 5})));
    net.graph.markOutput(weights);
    weights->name = "weights";
    net.expectKinds(net.product(weights, net.input({2, 3, 6, 7})), "MatrixMultiply Softmax MatrixMultiply");
}

TEST(FindAttention, leavesWhatIsNoAttention) {
    Network columns; // along the queries
    Softmax layer;
    layer.axis = 2;
    Tensor* const scores = columns.scores(columns.input({2, 3, 4, 5}), columns.input({2, 3, 6, 5}));
    columns.expectKinds(columns.product(columns.graph.emit(layer, {scores}), columns.input({2, 3, 6, 7})),
                        "MatrixMultiply Softmax MatrixMultiply");
    Network broadcast;
    Tensor* const weights =
        broadcast.softmax(broadcast.scores(broadcast.input({2, 3, 4, 5}), broadcast.input({1, 3, 6, 5})));
    broadcast.expectKinds(broadcast.product(weights, broadcast.input({2, 3, 6, 7})),
                          "MatrixMultiply Softmax MatrixMultiply");
    Network large;
    Tensor* const wide = large.softmax(large.scores(large.input({1, 1, 2, 129}), large.input({1, 1, 3, 129})));
    large.expectKinds(large.product(wide, large.input({1, 1, 3, 2})), "MatrixMultiply Softmax MatrixMultiply");
}

} // namespace
} // namespace tenon
