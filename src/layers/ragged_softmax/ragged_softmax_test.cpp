// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/ragged_softmax/ragged_softmax.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

Literal bounds(Dims const& dims, std::vector<int32_t> const& values) { return Literal::of(dims, values); }

// numpy: e = np.exp(x[:n] - x[:n].max()); e / e.sum()
TEST(RaggedSoftmax, normalizesTheFirstElementsOfEachRow) {
    LayerCase const rows{
        .inputs = {floats({2, 2, 3}, {1, 2, 3, 1, 1, 9, 7, -50, 50, 4, 4, 4}), bounds({2, 2, 1}, {3, 2, 1, 0})},
        .expected = {floats({2, 2, 3}, {0.09003057F, 0.24472848F, 0.66524094F, 0.5F, 0.5F, 0, 1, 0, 0, 0, 0, 0})}};
    rows.expect(RaggedSoftmax{});
    rows.in(DataType::Float16).expect(RaggedSoftmax{});
    rows.in(DataType::BFloat16).expect(RaggedSoftmax{});
}

// numpy: as above, with NaN and infinity; elements beyond the bound are ignored
TEST(RaggedSoftmax, isNanInTheElementsOfARowWithNan) {
    for (float const number : {NAN, INFINITY}) {
        LayerCase const rows{
            .inputs = {floats({3, 4}, {1, number, 1, 7, 1, 1, number, 7, 1, 1, 1, 1}), bounds({3, 1}, {3, 2, 4})},
            .expected = {floats({3, 4}, {NAN, NAN, NAN, 0, 0.5F, 0.5F, 0, 0, 0.25F, 0.25F, 0.25F, 0.25F})}};
        rows.expect(RaggedSoftmax{});
        rows.in(DataType::Float16).expect(RaggedSoftmax{});
    }
}

TEST(RaggedSoftmax, takesLongRowsAndMany) {
    for (auto const& [rows, length] : {std::pair<int64_t, int64_t>{3, 5000}, {700, 37}}) {
        Literal const x = test::spread({rows, length}, -3, 3);
        std::vector<int32_t> counts;
        std::vector<float> expected;
        for (int64_t row = 0; row < rows; ++row) {
            counts.push_back(static_cast<int32_t>(row * 7919 % (length + 1)));
            double sum = 0;
            auto const power = [&](int64_t i) {
                return std::exp(static_cast<double>(x.as<float>()[static_cast<size_t>(row * length + i)]));
            };
            for (int64_t i = 0; i < counts.back(); ++i) sum += power(i);
            for (int64_t i = 0; i < length; ++i)
                expected.push_back(i < counts.back() ? static_cast<float>(power(i) / sum) : 0);
        }
        LayerCase{.inputs = {x, bounds({rows, 1}, counts)}, .expected = {floats({rows, length}, expected)}}.expect(
            RaggedSoftmax{});
    }
}

TEST(RaggedSoftmax, refusesBoundsOutsideOfARow) {
    if (test::testedBackend().device() != Device::Cpu) GTEST_SKIP() << "a GPU says nothing and gives zeros";
    for (int32_t const bound : {-1, 4}) {
        EXPECT_EQ(test::errorOf([&] {
                      LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6}), bounds({2, 1}, {3, bound})},
                                .expected = {}}
                          .expectFed(RaggedSoftmax{});
                  }),
                  text("node (RaggedSoftmax): row 1 has the bound ", bound, "; expected 0 to 3"));
    }
}

TEST(RaggedSoftmax, refusesWhatDoesNotFit) {
    using test::Input;
    auto const error = [](std::vector<Input> const& inputs) { return test::inferError(RaggedSoftmax{}, inputs); };
    Input const x{DataType::Float32, {2, 3}};
    EXPECT_EQ(error({x, {DataType::Int64, {2, 1}}}),
              "node (RaggedSoftmax): the tensor of bounds is int64; expected int32");
    EXPECT_EQ(error({x, {DataType::Int32, {2, 3}}}),
              "node (RaggedSoftmax): the tensor of bounds has shape [2,3]; expected [2,1] for input 0 [2,3]");
    EXPECT_EQ(error({x, {DataType::Int32, {2}}}),
              "node (RaggedSoftmax): the tensor of bounds has shape [2]; expected [2,1] for input 0 [2,3]");
    EXPECT_EQ(error({{DataType::Int32, {2, 3}}, {DataType::Int32, {2, 1}}}),
              "node (RaggedSoftmax): input 0 is int32; expected float32, float16 or bfloat16");
}

} // namespace
} // namespace tenon
