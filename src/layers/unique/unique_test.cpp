// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unique/unique.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;

Unique along(std::optional<int64_t> axis, bool sorted = true) {
    Unique layer;
    layer.hasAxis = axis.has_value();
    layer.axis = axis.value_or(0);
    layer.sorted = sorted;
    return layer;
}

Literal count(int64_t n) { return Literal::scalar<int64_t>(n); }

// numpy: np.unique([[2, 1, 1], [3, 4, 3]], True, True, True)
TEST(Unique, sortsTheElements) {
    LayerCase{.inputs = {floats({2, 3}, {2, 1, 1, 3, 4, 3})},
              .expected = {floats({4}, {1, 2, 3, 4}), ints({4}, {1, 0, 3, 4}), ints({6}, {1, 0, 0, 2, 3, 2}),
                           ints({4}, {2, 1, 2, 1}), count(4)}}
        .expect(along({}));
}

TEST(Unique, keepsTheOrderInX) {
    LayerCase{.inputs = {ints({6}, {2, 1, 1, 3, 4, 3})},
              .expected = {ints({4}, {2, 1, 3, 4}), ints({4}, {0, 1, 3, 4}), ints({6}, {0, 1, 1, 2, 3, 2}),
                           ints({4}, {1, 2, 2, 1}), count(4)}}
        .expect(along({}, false));
}

// numpy: np.unique([[1, 0, 0], [1, 0, 0], [2, 3, 4]], True, True, True, axis=0), and of the transpose along axis 1
TEST(Unique, comparesSlices) {
    LayerCase{.inputs = {floats({3, 3}, {1, 0, 0, 1, 0, 0, 2, 3, 4})},
              .expected = {floats({2, 3}, {1, 0, 0, 2, 3, 4}), ints({2}, {0, 2}), ints({3}, {0, 0, 1}),
                           ints({2}, {2, 1}), count(2)}}
        .expect(along(0));
    LayerCase{.inputs = {floats({3, 3}, {1, 1, 2, 0, 0, 3, 0, 0, 4})},
              .expected = {floats({3, 2}, {1, 2, 0, 3, 0, 4}), ints({2}, {0, 2}), ints({3}, {0, 0, 1}),
                           ints({2}, {2, 1}), count(2)}}
        .expect(along(-1));
}

// numpy: np.unique([nan, 0., -0., nan, -inf], True, True, True)
TEST(Unique, findsOneNaNAndOneZero) {
    LayerCase{.inputs = {floats({5}, {NAN, 0, -0.F, NAN, -INFINITY})},
              .expected = {floats({3}, {-INFINITY, 0, NAN}), ints({3}, {4, 1, 0}), ints({5}, {2, 1, 1, 2, 0}),
                           ints({3}, {1, 2, 2}), count(3)}}
        .expect(along({}));
}

TEST(Unique, takesAScalar) {
    LayerCase{.inputs = {floats({}, {7})},
              .expected = {floats({1}, {7}), ints({1}, {0}), ints({1}, {0}), ints({1}, {1}), count(1)}}
        .expect(along({}));
}

TEST(Unique, refusesWhatDoesNotFit) {
    EXPECT_EQ(inferError(along({}), {{DataType::Int4, {2}}}),
              "node (Unique): input 0 is int4, which is not supported for computation; cast it first");
    EXPECT_EQ(inferError(along(2), {{DataType::Float32, {2, 3}}}),
              "node (Unique): axis 2 of a tensor of rank 2; expected -2 to 1");
}

} // namespace
} // namespace tenon
