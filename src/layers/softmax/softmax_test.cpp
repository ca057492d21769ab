// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

Softmax along(int64_t axis, bool log = false) {
    Softmax layer;
    layer.axis = axis;
    layer.log = log;
    return layer;
}

// numpy: e = np.exp(x - x.max(axis, keepdims=True)); e / e.sum(axis, keepdims=True)
TEST(Softmax, normalizesTheLastAxisByDefault) {
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 1, 1, 1})},
              .expected = {floats({2, 3}, {0.09003057F, 0.24472848F, 0.66524094F, 1 / 3.F, 1 / 3.F, 1 / 3.F})}}
        .expect(Softmax{});
}

TEST(Softmax, normalizesAnyAxis) {
    LayerCase{.inputs = {floats({2, 1, 2}, {0, 1, 2, 1})},
              .expected = {floats({2, 1, 2}, {0.11920292F, 0.5F, 0.88079708F, 0.5F})}}
        .expect(along(0));
}

TEST(Softmax, doesNotOverflow) { // values that bfloat16 holds exactly
    LayerCase{.inputs = {floats({1, 4}, {1024, 1024, 1016, -1024})},
              .expected = {floats({1, 4}, {0.49991617F, 0.49991617F, 0.00016767F, 0})}}
        .expect(along(1));
}

TEST(Softmax, takesTheLogarithm) {
    LayerCase const test{.inputs = {floats({1, 3}, {-1, 0, 1})},
                         .expected = {floats({1, 3}, {-2.4076059F, -1.4076059F, -0.4076059F})}};
    test.expect(along(-1, true));
    for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(along(-1, true));
}

TEST(Softmax, ofAnEmptyTensorIsEmpty) {
    LayerCase{.inputs = {floats({0, 3}, {})}, .expected = {floats({0, 3}, {})}}.expect(Softmax{});
}

TEST(Softmax, refusesAnAxisThatIsNotThere) {
    EXPECT_EQ(test::inferError(along(2), {{DataType::Float32, {2, 3}}}),
              "node (Softmax): axis 2 of a tensor of rank 2; give one from -2 to 1");
}

TEST(Softmax, refusesIntegers) {
    EXPECT_EQ(test::inferError(Softmax{}, {{DataType::Int32, {2, 3}}}),
              "node (Softmax): input 0 is int32; expected float32, float16 or bfloat16");
}

} // namespace
} // namespace tenon
