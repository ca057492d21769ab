// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/trilu/trilu.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Trilu lower() {
    Trilu layer;
    layer.upper = false;
    return layer;
}

TEST(Trilu, keepsTheUpperPart) { // numpy: np.triu(x, k)
    Literal const x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    LayerCase{.inputs = {x}, .expected = {floats({2, 3}, {1, 2, 3, 0, 5, 6})}}.expect(Trilu{});
    LayerCase{.inputs = {x, ints({}, {1})}, .expected = {floats({2, 3}, {0, 2, 3, 0, 0, 6})}}.expect(Trilu{});
    LayerCase{.inputs = {x, ints({}, {-1})}, .expected = {x}}.expect(Trilu{});
    for (int64_t const far : {int64_t{3}, INT64_MAX})
        LayerCase{.inputs = {x, ints({}, {far})}, .expected = {floats({2, 3}, {0, 0, 0, 0, 0, 0})}}.expect(Trilu{});
    LayerCase{.inputs = {x, ints({}, {INT64_MIN})}, .expected = {x}}.expect(Trilu{});
}

TEST(Trilu, keepsTheLowerPartOfEachMatrix) { // numpy: np.tril(x, k)
    Literal const x = ints({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    LayerCase{.inputs = {x}, .expected = {ints({2, 3, 2}, {1, 0, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12})}}.expect(lower());
    LayerCase{.inputs = {x, Literal::scalar<int32_t>(-1)},
              .expected = {ints({2, 3, 2}, {0, 0, 3, 0, 5, 6, 0, 0, 9, 0, 11, 12})}}
        .expect(lower());
    LayerCase{.inputs = {x, ints({}, {INT64_MAX})}, .expected = {x}}.expect(lower());
    LayerCase{.inputs = {x, ints({}, {INT64_MIN})}, .expected = {ints({2, 3, 2}, std::vector<int64_t>(12))}}.expect(
        lower());
}

TEST(Trilu, takesAnyType) { // numpy: np.triu(x)
    LayerCase const reals{.inputs = {floats({2, 2}, {1, 2, 3, 4})}, .expected = {floats({2, 2}, {1, 2, 0, 4})}};
    reals.in(DataType::Float16).expect(Trilu{});
    reals.in(DataType::BFloat16).expect(Trilu{});
    bool const flags[]{true, true, true, true};
    bool const kept[]{true, true, false, true};
    LayerCase{.inputs = {Literal::copyOf(DataType::Bool, {2, 2}, flags)},
              .expected = {Literal::copyOf(DataType::Bool, {2, 2}, kept)}}
        .expect(Trilu{});
    LayerCase{.inputs = {Literal::of<uint8_t>({2, 2}, {1, 2, 3, 4})},
              .expected = {Literal::of<uint8_t>({2, 2}, {1, 2, 0, 4})}}
        .expect(Trilu{});
}

TEST(Trilu, refusesWhatDoesNotFit) {
    using test::Input;
    Input const x{DataType::Float32, {2, 2}};
    auto const error = [](std::vector<Input> const& inputs) { return test::inferError(Trilu{}, inputs); };
    EXPECT_EQ(error({{DataType::Float32, {2}}}),
              "node (Trilu): input 0 has shape [2], of rank 1; expected rank 2 to 8");
    EXPECT_EQ(error({x, {DataType::Float32, {}}}), "node (Trilu): k is float32; expected int32 or int64");
    EXPECT_EQ(error({x, {DataType::Int64, {2}}}), "node (Trilu): k has shape [2]; expected one element");
}

} // namespace
} // namespace tenon
