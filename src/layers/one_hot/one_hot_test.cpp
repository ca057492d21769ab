// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/one_hot/one_hot.h"

#include "support/layer_case.h"
#include "support/one_op.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

OneHot along(int64_t axis) {
    OneHot layer;
    layer.axis = axis;
    return layer;
}

// numpy: np.where(np.arange(3) == np.array([0, 2])[:, None], 1, 0)
TEST(OneHot, setsOnePlaceOfANewAxis) {
    LayerCase{.inputs = {ints({2}, {0, 2}), floats({2}, {0, 1}), ints({}, {3})},
              .expected = {floats({2, 3}, {1, 0, 0, 0, 0, 1})}}
        .expect(along(-1));
    LayerCase{.inputs = {ints({2}, {0, 2}), floats({2}, {5, 7}), ints({1}, {3})},
              .expected = {floats({3, 2}, {7, 5, 5, 5, 5, 7})}}
        .expect(along(0));
    LayerCase{.inputs = {Literal::of<int32_t>({2, 2}, {0, 1, 1, 0}), ints({2}, {-1, 4}), ints({}, {2})},
              .expected = {ints({2, 2, 2}, {4, -1, -1, 4, -1, 4, 4, -1})}}
        .expect(along(1));
    LayerCase{.inputs = {Literal::scalar<int64_t>(1), floats({2}, {0, 1}), ints({}, {3})},
              .expected = {floats({3}, {0, 1, 0})}}
        .expect(along(0));
}

TEST(OneHot, countsNegativeIndicesFromTheEnd) { // and sets nothing for indices out of range
    LayerCase{.inputs = {ints({5}, {-1, -3, -4, 3, INT64_MIN}), Literal::of<int8_t>({2}, {0, 1}), ints({}, {3})},
              .expected = {Literal::of<int8_t>({5, 3}, {0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})}}
        .expect(along(1));
}

TEST(OneHot, setsLongRows) { // y[o,d,j] = d == indices[o,j]
    for (Dims const& dims : {Dims{1, 500}, Dims{300, 3}}) {
        std::vector<int32_t> indices;
        std::vector<float> expected;
        for (int64_t i = 0; i < dims.volume(); ++i) indices.push_back(static_cast<int32_t>(i * 37 % 211));
        for (int64_t o = 0; o < dims[0]; ++o) {
            for (int64_t i = 0; i < 200 * dims[1]; ++i)
                expected.push_back(indices[static_cast<size_t>(o * dims[1] + i % dims[1])] == i / dims[1] ? 1.F : 0.F);
        }
        LayerCase{.inputs = {Literal::of(dims, indices), floats({2}, {0, 1}), ints({}, {200})},
                  .expected = {floats({dims[0], 200, dims[1]}, expected)}}
            .expect(along(1));
    }
}

TEST(OneHot, refusesWhatDoesNotFit) {
    using test::Input;
    Input const indices{DataType::Int64, {2}};
    Input const values{DataType::Float32, {2}};
    Input const depth{DataType::Int64, {}};
    auto const error = [](OneHot const& layer, std::vector<Input> const& inputs) {
        return test::inferError(layer, inputs);
    };
    EXPECT_EQ(error(along(0), {{DataType::Float32, {2}}, values, depth}),
              "node (OneHot): indices is float32; expected int32 or int64");
    EXPECT_EQ(error(along(0), {indices, {DataType::Float32, {3}}, depth}),
              "node (OneHot): values has shape [3]; expected [2], off and on");
    EXPECT_EQ(error(along(0), {indices, values, {DataType::Float32, {}}}),
              "node (OneHot): depth is float32; expected int32 or int64");
    EXPECT_EQ(error(along(0), {indices, values, {DataType::Int64, {2}}}),
              "node (OneHot): depth has shape [2]; expected one element");
    EXPECT_EQ(error(along(2), {indices, values, depth}),
              "node (OneHot): axis 2 of a tensor of rank 2; expected -2 to 1");
}

TEST(OneHotOnnx, refusesANegativeDepth) {
    test::OneOp const op{
        .op = "OneHot", .inputs = {ints({1}, {0}), ints({}, {-2}), floats({2}, {0, 1})}, .constants = 2};
    EXPECT_NE(op.error().find("depth is -2; expected 0 or more"), std::string::npos) << op.error();
}

} // namespace
} // namespace tenon
