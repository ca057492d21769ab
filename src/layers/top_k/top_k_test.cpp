// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/top_k/top_k.h"

#include "support/layer_case.h"
#include "support/one_op.h"

#include <limits>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;
using test::OneOp;

using enum TopK::Operation;

TopK best(TopK::Operation operation, int64_t k, int64_t axis = -1) {
    TopK layer;
    layer.operation = operation;
    layer.k = k;
    layer.axis = axis;
    return layer;
}

Literal places(Dims const& dims, std::vector<int32_t> const& values) { return Literal::of(dims, values); }

/// x[i] = i * factor % p for a prime p: each of 0…p-1 once, and v is at v * inverse % p.
struct Shuffled {
    int64_t p;
    int64_t factor;
    int64_t inverse = 1;

    Shuffled(int64_t prime, int64_t by) : p(prime), factor(by) { // Fermat: factor^(p-2)
        for (int64_t i = 0; i < p - 2; ++i) inverse = inverse * factor % p;
    }
    int64_t at(int64_t i) const { return i * factor % p; }
    int64_t placeOf(int64_t value) const { return value * inverse % p; }
};

/// X [outer, p, inner], of which row (o, j) is `shuffled` rotated by o + 3j, and its best k.
template <class T> LayerCase rowsOf(Shuffled const& shuffled, TopK const& layer, int64_t outer, int64_t inner) {
    int64_t const p = shuffled.p;
    std::vector<T> x(static_cast<size_t>(outer * p * inner));
    std::vector<T> values(static_cast<size_t>(outer * layer.k * inner));
    std::vector<int32_t> indices(values.size());
    for (int64_t row = 0; row < outer * inner; ++row) {
        int64_t const o = row / inner;
        int64_t const j = row % inner;
        int64_t const shift = (o + 3 * j) % p;
        for (int64_t i = 0; i < p; ++i)
            x[static_cast<size_t>((o * p + i) * inner + j)] = static_cast<T>(shuffled.at((i + shift) % p));
        for (int64_t i = 0; i < layer.k; ++i) {
            int64_t const value = layer.operation == Max ? p - 1 - i : i;
            auto const to = static_cast<size_t>((o * layer.k + i) * inner + j);
            values[to] = static_cast<T>(value);
            indices[to] = static_cast<int32_t>((shuffled.placeOf(value) + p - shift) % p);
        }
    }
    Dims const results{outer, layer.k, inner};
    return {.inputs = {Literal::of(Dims{outer, p, inner}, x)},
            .expected = {Literal::of(results, values), places(results, indices)}};
}

// the examples of ONNX's TopK
TEST(TopK, givesTheBestOfEachRow) {
    Literal const x = floats({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 11, 10, 9, 8});
    LayerCase{.inputs = {x},
              .expected = {floats({3, 3}, {3, 2, 1, 7, 6, 5, 11, 10, 9}), places({3, 3}, {3, 2, 1, 3, 2, 1, 0, 1, 2})}}
        .expect(best(Max, 3));
    LayerCase{.inputs = {x},
              .expected = {floats({3, 3}, {0, 1, 2, 4, 5, 6, 8, 9, 10}), places({3, 3}, {0, 1, 2, 0, 1, 2, 3, 2, 1})}}
        .expect(best(Min, 3, 1));
    LayerCase{.inputs = {x},
              .expected = {floats({2, 4}, {11, 10, 9, 8, 4, 5, 6, 7}), places({2, 4}, {2, 2, 2, 2, 1, 1, 1, 1})}}
        .expect(best(Max, 2, 0));
}

TEST(TopK, takesTheLowerIndexOfEqualElements) {
    Literal const x = ints({5}, {2, 7, 2, 7, 1});
    TopK layer = best(Max, 3);
    LayerCase{.inputs = {x}, .expected = {ints({3}, {7, 7, 2}), places({3}, {1, 3, 0})}}.expect(layer);
    layer.operation = Min;
    LayerCase{.inputs = {x}, .expected = {ints({3}, {1, 2, 2}), places({3}, {4, 0, 2})}}.expect(layer);
    layer.lastFirst = true;
    LayerCase{.inputs = {x}, .expected = {ints({3}, {1, 2, 2}), places({3}, {4, 2, 0})}}.expect(layer);
    layer.k = 1;
    layer.operation = Max;
    LayerCase{.inputs = {x}, .expected = {ints({1}, {7}), places({1}, {3})}}.expect(layer);
}

TEST(TopK, takesNanAsTheGreatest) { // numpy: np.sort puts NaN last; np.argmin and np.argmax return where it is
    float const nan = std::numeric_limits<float>::quiet_NaN();
    Literal const x = floats({5}, {1, nan, -INFINITY, INFINITY, nan});
    LayerCase{.inputs = {x}, .expected = {floats({4}, {nan, nan, INFINITY, 1}), places({4}, {1, 4, 3, 0})}}.expect(
        best(Max, 4));
    LayerCase{.inputs = {x}, .expected = {floats({4}, {-INFINITY, 1, INFINITY, nan}), places({4}, {2, 0, 3, 1})}}
        .expect(best(Min, 4));
    TopK least = best(Min, 1);
    LayerCase{.inputs = {x}, .expected = {floats({1}, {-INFINITY}), places({1}, {2})}}.expect(least);
    least.nanFirst = true;
    LayerCase{.inputs = {x}, .expected = {floats({1}, {nan}), places({1}, {1})}}.expect(least);
    least.lastFirst = true;
    LayerCase{.inputs = {x}, .expected = {floats({1}, {nan}), places({1}, {4})}}.expect(least);
}

TEST(TopK, takesBothZerosAsEqual) {
    Literal const x = floats({4}, {-0.0F, 0.0F, -1, 0.0F});
    LayerCase{.inputs = {x}, .expected = {floats({3}, {0, 0, 0}), places({3}, {0, 1, 3})}}.expect(best(Max, 3));
    LayerCase{.inputs = {x}, .expected = {floats({3}, {-1, 0, 0}), places({3}, {2, 0, 1})}}.expect(best(Min, 3));
}

TEST(TopK, takesEveryTypeOfNumber) {
    Shuffled const shuffled(127, 29);
    for (TopK const& layer : {best(Max, 9, 1), best(Min, 1, 1)}) {
        rowsOf<int8_t>(shuffled, layer, 2, 3).expect(layer);
        rowsOf<uint8_t>(shuffled, layer, 2, 3).expect(layer);
        rowsOf<int32_t>(shuffled, layer, 2, 3).expect(layer);
        rowsOf<int64_t>(shuffled, layer, 2, 3).expect(layer);
        rowsOf<float>(shuffled, layer, 2, 3).expect(layer);
        rowsOf<float>(shuffled, layer, 2, 3).in(DataType::Float16).expect(layer);
        rowsOf<float>(shuffled, layer, 2, 3).in(DataType::BFloat16).expect(layer);
    }
    Literal const extremes = ints({4}, {INT64_MIN, 0, INT64_MAX, -1});
    LayerCase{.inputs = {extremes}, .expected = {ints({3}, {INT64_MIN, -1, 0}), places({3}, {0, 3, 1})}}.expect(
        best(Min, 3));
    LayerCase{.inputs = {extremes}, .expected = {ints({2}, {INT64_MAX, 0}), places({2}, {2, 1})}}.expect(best(Max, 2));
}

TEST(TopK, takesAnyCountOfLongRows) {
    Shuffled const shuffled(70001, 12347);
    for (int64_t const k : {1, 2, 100, 129, 1000, 1025, 5000, 35000, 70001}) {
        TopK layer = best(Max, k, 1);
        rowsOf<int32_t>(shuffled, layer, 1, 1).expect(layer);
        layer.operation = Min;
        rowsOf<int64_t>(shuffled, layer, 3, 1).expect(layer);
    }
}

TEST(TopK, takesRowsThatAreNotContiguous) {
    for (int64_t const p : {7, 601, 5003}) {
        Shuffled const shuffled(p, 5);
        for (int64_t const k : {int64_t{1}, int64_t{6}, p / 3, p}) {
            TopK const layer = best(k % 2 == 0 ? Max : Min, k, 1);
            rowsOf<int32_t>(shuffled, layer, 2, 5).expect(layer);
            rowsOf<int32_t>(shuffled, layer, 1, 131).expect(layer);
        }
    }
}

TEST(TopK, takesManyShortRows) {
    Shuffled const shuffled(5, 3);
    for (int64_t const k : {1, 3, 5}) {
        TopK const layer = best(Max, k, 1);
        rowsOf<float>(shuffled, layer, 3001, 1).expect(layer);
        rowsOf<float>(shuffled, layer, 5, 700).expect(layer);
    }
}

/// Most elements are equal, so that indices matter.
TEST(TopK, ordersManyEqualElements) {
    for (int64_t const n : {1000, 40000}) {
        std::vector<int8_t> x(static_cast<size_t>(n));
        for (size_t i = 0; i < x.size(); ++i) x[i] = i % 100 == 99 ? 5 : 3;
        for (bool const lastFirst : {false, true}) {
            for (int64_t const k : {n / 200, n / 50, n / 2}) {
                TopK layer = best(Max, k);
                layer.lastFirst = lastFirst;
                std::vector<int8_t> values;
                std::vector<int32_t> indices;
                for (int const value : {5, 3}) { // in the order of their indices
                    for (int64_t j = 0; j < n && std::ssize(values) < k; ++j) {
                        int64_t const i = lastFirst ? n - 1 - j : j;
                        if (x[static_cast<size_t>(i)] != value) continue;
                        values.push_back(static_cast<int8_t>(value));
                        indices.push_back(static_cast<int32_t>(i));
                    }
                }
                LayerCase{.inputs = {Literal::of({n}, x)}, .expected = {Literal::of({k}, values), places({k}, indices)}}
                    .expect(layer);
            }
        }
    }
}

TEST(TopK, takesItsCountFromAnInput) {
    TopK layer = best(Max, 7); // ignored
    layer.indicesType = DataType::Int64;
    LayerCase{.inputs = {floats({2, 3}, {1, 3, 2, 6, 4, 5}), ints({1}, {2})},
              .expected = {floats({2, 2}, {3, 2, 6, 5}), ints({2, 2}, {1, 2, 0, 2})}}
        .expect(layer);
    LayerCase{.inputs = {floats({2, 3}, {1, 3, 2, 6, 4, 5}), Literal::scalar<int32_t>(1)},
              .expected = {floats({2, 1}, {3, 6}), ints({2, 1}, {1, 0})}}
        .expect(layer);
}

TEST(TopK, refusesAComputedKBeyondTheExtent) {
    OneOp const op{
        .op = "TopK", .inputs = {floats({2, 3}, {1, 3, 2, 6, 4, 5}), ints({1}, {4})}, .constants = 2, .outputs = 2};
    EXPECT_NE(op.error().find("k is 4 for axis 1 of extent 3; expected 0 to that extent"), std::string::npos)
        << op.error();
}

TEST(TopK, refusesWhatDoesNotFit) {
    using test::Input;
    auto const error = [](TopK const& layer, Input const& x) { return test::inferError(layer, {x}); };
    Input const x{DataType::Float32, {2, 3}};
    EXPECT_EQ(error(best(Max, 4), x), "node (TopK): k is 4 for axis 1 of extent 3; expected 0 to that extent");
    EXPECT_EQ(error(best(Max, -1), {DataType::Float32, {2, DimExpr::symbol("N")}}),
              "node (TopK): k is -1 for axis 1 of extent N; expected 0 to that extent");
    EXPECT_EQ(error(best(Max, 1, 2), x), "node (TopK): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error(best(Max, 1), {DataType::Bool, {2}}),
              "node (TopK): input 0 is bool; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
    TopK layer = best(Max, 1);
    EXPECT_EQ(test::inferError(layer, {x, {DataType::Int64, {2}}}),
              "node (TopK): k has shape [2]; expected one element");
    EXPECT_EQ(test::inferError(layer, {x, {DataType::Float32, {1}}}),
              "node (TopK): k is float32; expected int32 or int64");
    layer.indicesType = DataType::Int8;
    EXPECT_EQ(error(layer, x), "node (TopK): the type of the indices is int8; expected int32 or int64");
}

TEST(TopKOnnx, readsItsCountFromAnAttributeBeforeOpset10) {
    OneOp const op{.op = "TopK",
                   .opset = 9,
                   .attributes = {{"k", int64_t{2}}, {"axis", int64_t{0}}},
                   .inputs = {floats({3}, {2, 1, 3})},
                   .outputs = 2};
    EXPECT_EQ(op.run(), (std::vector{floats({2}, {3, 2}), ints({2}, {2, 0})}));
}

TEST(ArgMinOnnx, findsNan) { // numpy: np.argmin([2, nan, 1]) == 1
    OneOp const op{.op = "ArgMin", .inputs = {floats({3}, {2, std::numeric_limits<float>::quiet_NaN(), 1})}};
    EXPECT_EQ(op.run(), (std::vector{ints({1}, {1})}));
}

TEST(HardmaxOnnx, takesAllAxesFromOneOnAsOneBeforeOpset13) {
    OneOp op{.op = "Hardmax", .opset = 11, .inputs = {floats({2, 2, 2}, {1, 2, 4, 3, 9, 7, 8, 9})}};
    EXPECT_EQ(op.run(), (std::vector{floats({2, 2, 2}, {0, 0, 1, 0, 1, 0, 0, 0})}));
    op.opset = 13;
    EXPECT_EQ(op.run(), (std::vector{floats({2, 2, 2}, {0, 1, 1, 0, 1, 0, 0, 1})}));
    op.symbolic = true;
    EXPECT_EQ(op.shapes(), "[N,C,H]");
}

} // namespace
} // namespace tenon
