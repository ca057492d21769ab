// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rotary_embedding/rotary_embedding.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

/// A rotation by π/2, and one by 0.
Literal const kCosines = floats({3, 2}, {0, 1, -1, 0, 1, 1});
Literal const kSines = floats({3, 2}, {1, 0, 0, -1, 0, 0});

RotaryEmbedding turning(bool interleaved, int64_t turned = 0) {
    RotaryEmbedding layer;
    layer.interleaved = interleaved;
    layer.turned = turned;
    return layer;
}

// by hand, from the formula; ONNX's node tests have random numbers

TEST(RotaryEmbedding, turnsPairsOfTwoHalvesOrOfNeighbours) { // X [1,1,2,4]; positions 0 and 1
    auto const x = floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    for (auto const& positions : {Literal::of<int64_t>({1, 2}, {0, 1}), Literal::of<int32_t>({1, 2}, {-3, -2})}) {
        LayerCase{.inputs = {x, kCosines, kSines, positions},
                  .expected = {floats({1, 1, 2, 4}, {-3, 2, 1, 4, -5, 8, -7, -6})}}
            .expect(turning(false));
        LayerCase{.inputs = {x, kCosines, kSines, positions},
                  .expected = {floats({1, 1, 2, 4}, {-2, 1, 3, 4, -5, -6, 8, -7})}}
            .expect(turning(true));
    }
}

TEST(RotaryEmbedding, readsCosinesOfEachTokenAndOtherOrders) { // two heads of two tokens
    auto const x = floats({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    auto const cosines = floats({1, 2, 1}, {0, -1});
    auto const sines = floats({1, 2, 1}, {1, 0});
    LayerCase{.inputs = {x, cosines, sines, {}}, .expected = {floats({1, 2, 2, 2}, {-2, 1, -3, -4, -6, 5, -7, -8})}}
        .expect(turning(false));
    RotaryEmbedding sequenceFirst = turning(true);
    sequenceFirst.sequenceFirst = true;
    LayerCase{.inputs = {x, cosines, sines}, .expected = {floats({1, 2, 2, 2}, {-2, 1, -4, 3, -5, -6, -7, -8})}}.expect(
        sequenceFirst);
}

TEST(RotaryEmbedding, keepsWhatIsBehind) {
    auto const x = floats({1, 1, 1, 5}, {1, 2, 3, 4, 5});
    LayerCase{.inputs = {x, floats({1, 1, 1}, {0}), floats({1, 1, 1}, {1})},
              .expected = {floats({1, 1, 1, 5}, {-2, 1, 3, 4, 5})}}
        .expect(turning(false, 2));
}

TEST(RotaryEmbedding, takesEveryFloatType) {
    LayerCase const test{
        .inputs = {floats({1, 1, 1, 4}, {1, 2, 3, 4}), kCosines, kSines, Literal::of<int64_t>({1, 1}, {1})},
        .expected = {floats({1, 1, 1, 4}, {-1, 4, -3, -2})}};
    test.in(DataType::Float16).expect(turning(false));
    test.in(DataType::BFloat16).expect(turning(false));
}

TEST(RotaryEmbedding, refusesAPositionThatIsNone) {
    auto const layer = turning(false);
    auto const x = floats({1, 1, 1, 4}, {1, 2, 3, 4});
    auto const positions = Literal::of<int64_t>({1, 1}, {3});
    auto y = floats({1, 1, 1, 4}, {0, 0, 0, 0});
    std::vector<HostTensor> const in{x.view(), kCosines.view(), kSines.view(), positions.view()};
    std::vector<HostTensor> const out{y.view()};
    EXPECT_EQ(test::errorOf([&] { layer.reference(in, out); }),
              "position 3 is out of range; the number of cosines is 3");
}

TEST(RotaryEmbedding, refusesShapesThatDoNotFit) {
    auto const error = [](int64_t turned, Shape const& table, std::vector<Shape> const& positions) {
        std::vector<test::Input> inputs{
            {DataType::Float32, {2, 4, 3, 8}}, {DataType::Float32, table}, {DataType::Float32, table}};
        for (Shape const& shape : positions) inputs.push_back({DataType::Int64, shape});
        return test::inferError(turning(false, turned), inputs);
    };
    EXPECT_EQ(error(3, {2, 3, 1}, {}),
              "node (RotaryEmbedding): rotates 3 elements of heads of 8; expected an even number up to that");
    EXPECT_EQ(error(0, {2, 3, 8}, {}), "node (RotaryEmbedding): cosines have shape [2,3,8]; expected [2,3,4] without "
                                       "positions");
    EXPECT_EQ(error(4, {50, 4}, {{2, 3}}), "node (RotaryEmbedding): cosines have shape [50,4]; expected [50,2]");
    EXPECT_EQ(error(0, {50, 4}, {{3}}), "node (RotaryEmbedding): positions has shape [3], of rank 1; expected rank 2");
    EXPECT_EQ(error(0, {50, 4}, {{2, 4}}),
              "node (RotaryEmbedding): positions have shape [2,4]; expected [2,3], one for "
              "each token of X [2,4,3,8]");
}

} // namespace
} // namespace tenon
