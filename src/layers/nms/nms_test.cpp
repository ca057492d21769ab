// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/nms/nms.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/one_op.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;

Literal number(int64_t n) { return Literal::scalar<int64_t>(n); }
Literal threshold(float value) { return Literal::scalar<float>(value); }

/// Three pairs of boxes along one line, [1,6,4]: in each pair they overlap by about 4/5, 1 and 9/11.
Literal threePairs() {
    return floats({1, 6, 4},
                  {0, 0, 1, 1, 0, 0.1F, 1, 1.1F, 0, -0.1F, 1, 0.9F, 0, 10, 1, 11, 0, 10.1F, 1, 11.1F, 0, 100, 1, 101});
}
std::vector<float> const kScores{0.9F, 0.75F, 0.6F, 0.95F, 0.5F, 0.3F};

Nms layerWith(void (*change)(Nms&)) {
    Nms layer;
    change(layer);
    return layer;
}
Nms classFirst() {
    return layerWith([](Nms& layer) { layer.classFirst = true; });
}

// by hand: 3 (0.95) suppresses 4, 0 (0.9) suppresses 1 and 2, then 5
TEST(Nms, leavesOutWhatOverlapsABetterBox) {
    LayerCase const layerCase{.inputs = {threePairs(), floats({1, 6, 1}, kScores), number(10)},
                              .expected = {ints({3, 3}, {0, 0, 3, 0, 0, 0, 0, 0, 5}), number(3)}};
    layerCase.expect(Nms());
    layerCase.in(DataType::Float16).expect(Nms());
    layerCase.in(DataType::BFloat16).expect(Nms());
    LayerCase withThresholds = layerCase;
    withThresholds.inputs.insert(withThresholds.inputs.end(), {threshold(0.5F), threshold(0.F)});
    withThresholds.expect(Nms());
}

TEST(Nms, choosesSoManyOfEachClass) {
    std::vector<float> scores = kScores;
    scores.insert(scores.end(), {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F}); // the second class: 5, 4, 2
    LayerCase{.inputs = {threePairs(), floats({1, 2, 6}, scores), Literal::scalar<int32_t>(2), threshold(0.5F)},
              .expected = {ints({4, 3}, {0, 0, 3, 0, 0, 0, 0, 1, 5, 0, 1, 4}), number(4)}}
        .expect(classFirst());
}

TEST(Nms, takesScoresWithTheClassesLast) {
    std::vector<float> scores;
    for (float const score : kScores) scores.insert(scores.end(), {score, -score}); // the second class: 5, 4, 2
    Literal const most = number(2);
    LayerCase{.inputs = {threePairs(), floats({1, 6, 2}, scores), most, threshold(0.5F)},
              .expected = {ints({4, 3}, {0, 0, 3, 0, 0, 0, 0, 1, 5, 0, 1, 4}), number(4)}}
        .expect(Nms());
}

TEST(Nms, countsNaNAndLowScoresOut) {
    LayerCase{.inputs = {threePairs(), floats({1, 1, 6}, {0.4F, NAN, 0.6F, 0.5F, -INFINITY, INFINITY}), number(9),
                         threshold(0.5F), threshold(0.5F)}, // not more than 0.5: box 3
              .expected = {ints({2, 3}, {0, 0, 5, 0, 0, 2}), number(2)}}
        .expect(classFirst());
}

TEST(Nms, keepsEqualScoresInOrder) {
    LayerCase{.inputs = {threePairs(), floats({1, 1, 6}, {0, -0.F, 0, 0, 0, 0}), number(9), threshold(0.5F)},
              .expected = {ints({3, 3}, {0, 0, 0, 0, 0, 3, 0, 0, 5}), number(3)}}
        .expect(classFirst());
}

TEST(Nms, choosesNoneWhereNoneAreWanted) {
    for (int64_t const most : {0, -1})
        LayerCase{.inputs = {threePairs(), floats({1, 1, 6}, kScores), number(most)},
                  .expected = {ints({0, 3}, {}), number(0)}}
            .expect(classFirst());
}

// (0.5, 0.5) of 1×1 and (0.5, 0.6) of 1×1 overlap by 0.9 / 1.1; the third has no area and overlaps nothing
TEST(Nms, takesCentersAndSizes) {
    auto const layer = layerWith([](Nms& nms) { nms.format = Nms::Format::Centers; });
    Literal const boxes = floats({1, 3, 4}, {0.5F, 0.5F, 1, 1, 0.5F, 0.6F, 1, 1, 0.5F, 0.5F, 0, 0});
    Literal const scores = floats({1, 3, 1}, {0.9F, 0.8F, 0.7F});
    LayerCase{.inputs = {boxes, scores, number(5), threshold(0.8F)},
              .expected = {ints({2, 3}, {0, 0, 0, 0, 0, 2}), number(2)}}
        .expect(layer);
    LayerCase{.inputs = {boxes, scores, number(5), threshold(0.82F)},
              .expected = {ints({3, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 2}), number(3)}}
        .expect(layer);
}

TEST(Nms, takesOwnBoxesOfEachClass) { // the second class has its boxes far from each other
    Literal const boxes = floats({1, 2, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 5, 5, 6, 6});
    LayerCase{.inputs = {boxes, floats({1, 2, 2}, {0.9F, 0.9F, 0.8F, 0.8F}), number(5), threshold(0.5F)},
              .expected = {ints({3, 3}, {0, 0, 0, 0, 1, 0, 0, 1, 1}), number(3)}}
        .expect(Nms());
}

// the four best of both classes of a batch item: scores 9, 8, 7, 6
TEST(Nms, looksAtTheBestOfABatchItemOnly) {
    auto const layer = layerWith([](Nms& nms) {
        nms.boxLimit = 4;
        nms.indices = DataType::Int32;
    });
    std::vector<float> boxes;
    for (int i = 0; i < 10; ++i) {
        auto const at = static_cast<float>(2 * i);
        boxes.insert(boxes.end(), {at, 0, at + 1, 1}); // they do not overlap
    }
    std::vector<float> const scores{9, 1, 2, 8, 3, 7, 4, 0, 6, 5, /* second item */ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Literal const expected = Literal::of<int32_t>({8, 3}, {0, 0, 0, 0, 0, 4, 0, 1, 1, 0, 1, 2,   // 9, 6; 8, 7
                                                           1, 0, 4, 1, 0, 3, 1, 1, 4, 1, 1, 3}); // 9, 7; 10, 8
    LayerCase{.inputs = {floats({2, 5, 4}, boxes), floats({2, 5, 2}, scores), number(5), threshold(0.5F)},
              .expected = {expected, Literal::scalar<int32_t>(8)}}
        .expect(layer);
}

/// Boxes of length 10 at 0, 1, 2, …, 999, each with a lower score than the one before: every tenth is selected if none
/// may overlap, every fourth if at most 1/2 may: (10 - d) / (10 + d) ≤ 1/2 from d = 4 on.
TEST(Nms, goesThroughManyBoxes) {
    for (auto const& [most, step] : {std::pair(0.F, 10), std::pair(0.5F, 4)}) {
        std::vector<float> boxes;
        std::vector<float> scores;
        std::vector<int64_t> chosen;
        for (int i = 0; i < 1000; ++i) {
            auto const at = static_cast<float>(i);
            boxes.insert(boxes.end(), {at, 0, at + 10, 1});
            scores.push_back(-at);
            if (i % step == 0) chosen.insert(chosen.end(), {0, 0, i});
        }
        int64_t const count = 1000 / step;
        LayerCase{.inputs = {floats({1, 1000, 4}, boxes), floats({1, 1000, 1}, scores), number(5000), threshold(most)},
                  .expected = {ints({count, 3}, chosen), number(count)}}
            .expect(Nms());
    }
}

std::string errorFor(std::vector<test::Input> const& inputs, Nms const& layer = {}) {
    return inferError(layer, inputs);
}

TEST(Nms, refusesWhatDoesNotFit) {
    test::Input const boxes{DataType::Float32, {1, 6, 4}};
    test::Input const scores{DataType::Float32, {1, 6, 2}};
    test::Input const most{DataType::Int64, {}};
    EXPECT_EQ(errorFor({{DataType::Float32, {1, 6, 5}}, scores, most}),
              "node (Nms): boxes has shape [1,6,5]; expected four numbers for each box");
    EXPECT_EQ(errorFor({boxes, {DataType::Float32, {1, 2, 6}}, most}),
              "node (Nms): boxes [1,6,4] and scores [1,2,6] differ in their number of boxes: 6 and 2");
    EXPECT_EQ(errorFor({boxes, {DataType::Float32, {3, 6, 2}}, most}),
              "node (Nms): boxes [1,6,4] and scores [3,6,2] differ in their number of batch items: 1 and 3");
    EXPECT_EQ(errorFor({{DataType::Float32, {1, 6, 3, 4}}, scores, most}),
              "node (Nms): boxes [1,6,3,4] and scores [1,6,2] differ in their number of classes: 3 and 2");
    EXPECT_EQ(errorFor({boxes, {DataType::Float16, {1, 6, 2}}, most}),
              "node (Nms): boxes is float32 and scores is float16; expected one type (add a cast)");
    EXPECT_EQ(errorFor({boxes, scores, {DataType::Float32, {}}}),
              "node (Nms): the number of boxes to select is float32; expected int32 or int64");
    EXPECT_EQ(errorFor({boxes, scores, most, {DataType::Float16, {}}}),
              "node (Nms): the overlap threshold is float16; expected float32");
    EXPECT_EQ(errorFor({boxes, scores, most}, layerWith([](Nms& nms) { nms.boxLimit = -1; })),
              "node (Nms): boxLimit is -1; expected at least 0");
    EXPECT_EQ(errorFor({boxes, scores, most}, layerWith([](Nms& nms) { nms.indices = DataType::Bool; })),
              "node (Nms): the type of the indices is bool; expected int32 or int64");
}

// ONNX: "max_output_boxes_per_class … Default to 0, which means no output."
TEST(Nms, ofOnnxWithoutANumberChoosesNone) {
    auto const found =
        test::OneOp{.op = "NonMaxSuppression", .opset = 11, .inputs = {threePairs(), floats({1, 1, 6}, kScores)}}.run();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], ints({0, 3}, {}));
}

} // namespace
} // namespace tenon
