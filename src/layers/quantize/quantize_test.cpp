// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantize/quantize.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::LayerCase;

Quantize to(DataType type, int64_t axis = -1) {
    Quantize layer;
    layer.to = type;
    layer.axis = axis;
    return layer;
}

Literal bytes(DataType type, Dims const& dims, std::vector<uint8_t> const& values) {
    return Literal::copyOf(type, dims, values.data());
}

// saturate(round(x / scale) + zero point), ties to the even number
TEST(Quantize, roundsToTheEvenIntegerAndStaysInRange) {
    auto const x = floats({8}, {0.5F, 1.5F, 2.5F, -0.5F, 300, -300, NAN, INFINITY});
    LayerCase{.inputs = {x, floats({}, {1})}, .expected = {Literal::of<int8_t>({8}, {0, 2, 2, 0, 127, -128, 0, 127})}}
        .expect(to(DataType::Int8));
    LayerCase{.inputs = {x, floats({1}, {0.5F}), Literal::of<uint8_t>({}, {10})},
              .expected = {Literal::of<uint8_t>({8}, {11, 13, 15, 9, 255, 0, 10, 255})}}
        .expect(to(DataType::UInt8));
}

TEST(Quantize, hasScalesForEachChannel) {
    LayerCase{.inputs = {floats({2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}), floats({3}, {1, 0.5F, 2}),
                         Literal::of<int8_t>({3}, {0, 1, -1})},
              .expected = {Literal::of<int8_t>({2, 3, 2}, {1, 2, 7, 9, 1, 2, -1, -2, -5, -7, -3, -4})}}
        .expect(to(DataType::Int8, 1));
    LayerCase{.inputs = {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {1, 0.5F})},
              .expected = {Literal::of<int8_t>({2, 2}, {1, 4, 3, 8})}}
        .expect(to(DataType::Int8, -1));
}

TEST(Quantize, hasScalesForEachBlock) {
    LayerCase{.inputs = {floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), floats({2, 2}, {1, 2, 0.5F, 4})},
              .expected = {Literal::of<int8_t>({2, 4}, {1, 2, 2, 2, 10, 12, 2, 2})}}
        .expect(to(DataType::Int8));
    Quantize shorter = to(DataType::Int8);
    shorter.blocks = {1, 2};
    LayerCase{.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({2, 2}, {1, 2, 0.5F, 4}),
                         Literal::of<int8_t>({2, 2}, {0, 1, 0, -1})},
              .expected = {Literal::of<int8_t>({2, 3}, {1, 2, 3, 8, 10, 1})}}
        .expect(shorter);
    Quantize rows = to(DataType::Int8);
    rows.blocks = {2, 1};
    LayerCase{.inputs = {floats({3, 2}, {1, 2, 3, 4, 5, 6}), floats({2, 2}, {1, 2, 0.5F, 4})},
              .expected = {Literal::of<int8_t>({3, 2}, {1, 1, 3, 2, 10, 2})}}
        .expect(rows);
}

TEST(Quantize, packsFourBits) { // the first element in the low half
    LayerCase{.inputs = {floats({5}, {-9, 7, 1.5F, -1, 3}), floats({}, {1})},
              .expected = {bytes(DataType::Int4, {5}, {0x78, 0xf2, 0x03})}}
        .expect(to(DataType::Int4));
    LayerCase{.inputs = {floats({3}, {5, -0.5F, 100}), floats({}, {1})}, // 5 is halfway between 4 (even) and 6
              .expected = {bytes(DataType::Float4, {3}, {0x96, 0x07})}}
        .expect(to(DataType::Float4));
}

TEST(Quantize, roundsToFloatsOf8Bits) {
    LayerCase{.inputs = {floats({4}, {2, 1000, -0.0F, 3.3F}), floats({}, {2})},
              .expected = {bytes(DataType::Float8, {4}, {0x38, 0x7e, 0x80, 0x3d})}} // 1.65 → 1.625
        .expect(to(DataType::Float8));
    LayerCase{.inputs = {floats({3}, {1, 3, 0.3F}), floats({}, {1})},
              .expected = {bytes(DataType::E8M0, {3}, {127, 129, 126})}}
        .expect(to(DataType::E8M0));
    Quantize narrow = to(DataType::Float16);
    narrow.form = NumberForm::E5M2;
    narrow.saturate = false;
    LayerCase{.inputs = {floats({3}, {1.1F, 1e6F, -70000}), floats({}, {1})},
              .expected = {Literal::of<Half>({3}, {1, INFINITY, -INFINITY})}}
        .expect(narrow);
}

TEST(Quantize, takesNarrowerIntegers) {
    Quantize layer = to(DataType::Int32);
    layer.least = -32768;
    layer.most = 32767;
    LayerCase{.inputs = {floats({3}, {1, 1e9F, -1e9F}), floats({}, {0.5F}), Literal::of<int32_t>({}, {100})},
              .expected = {Literal::of<int32_t>({3}, {102, 32767, -32768})}}
        .expect(layer);
}

TEST(Quantize, dividesInThePrecisionThatIsAsked) { // numpy: np.float16(1) / np.float16(0.1) = 10.0; 1000 / 3 = 333.25
    Quantize layer = to(DataType::Int32);
    layer.most = 65535;
    layer.precision = DataType::Float16;
    LayerCase{.inputs = {floats({2}, {4099, 1000}), floats({}, {1}), Literal::of<int32_t>({}, {0})},
              .expected = {Literal::of<int32_t>({2}, {4100, 1000})}, // float16 values are 4 apart above 4096
              .types = {DataType::Float32}}
        .expect(layer);
}

TEST(Quantize, saysWhatDoesNotFit) {
    constexpr DataType kFloat = DataType::Float32;
    EXPECT_EQ(inferError(to(DataType::Int64), {{kFloat, {2}}, {kFloat, {}}}),
              "node (Quantize): quantizes to int64 with numbers of Own; expected int8, uint8, int4, float8, float4 or "
              "e8m0 with its own, or float16 with those of a type of 8 bits or less");
    EXPECT_EQ(inferError(to(DataType::Int32), {{kFloat, {2}}, {kFloat, {}}}),
              "node (Quantize): quantizes to integers from 0 to 0 in int32; expected a range within -65535 to 65535");
    Quantize form = to(DataType::Int8);
    form.form = NumberForm::E5M2;
    EXPECT_EQ(inferError(form, {{kFloat, {2}}, {kFloat, {}}}),
              "node (Quantize): quantizes to int8 with numbers of E5M2; expected those of the type itself");
    Quantize precision = to(DataType::Int8);
    precision.precision = DataType::Int32;
    EXPECT_EQ(inferError(precision, {{kFloat, {2}}, {kFloat, {}}}),
              "node (Quantize): divides in int32; expected a floating point type");
    EXPECT_EQ(inferError(to(DataType::Int8), {{kFloat, {2}}, {kFloat, {}}, {DataType::UInt8, {}}}),
              "node (Quantize): input 2, the zero point, is uint8; expected int8 as the output");
    EXPECT_EQ(inferError(to(DataType::Int8, 0), {{kFloat, {2, 4}}, {kFloat, {3}}}),
              "node (Quantize): input 1 has 3 elements for axis 0 of input 0 [2,4]; expected 2, or 1");
    EXPECT_EQ(inferError(to(DataType::Int8), {{kFloat, {2, 4}}, {kFloat, {2, 3}}}),
              "node (Quantize): input 1 [2,3] has 3 elements along axis 1 of input 0 [2,4]; expected a divisor of 4");
    EXPECT_EQ(inferError(to(DataType::Int8), {{kFloat, {2, 4, 1}}, {kFloat, {2, 4}}}),
              "node (Quantize): input 1 [2,4] has rank 2; expected one element, a list for one axis, or the rank of "
              "input 0 [2,4,1]");
    EXPECT_EQ(inferError(to(DataType::Int8), {{kFloat, {2, 4}}, {kFloat, {4}}, {DataType::Int8, {2, 4}}}),
              "node (Quantize): input 2, the zero point, has shape [2,4]; expected [4] as the scale, or one element");
    Quantize blocks = to(DataType::Int8);
    blocks.blocks = {1, 3};
    EXPECT_EQ(inferError(blocks, {{kFloat, {2, 4}}, {kFloat, {2, 4}}}),
              "node (Quantize): input 1 [2,4] has 4 elements along axis 1 of input 0 [2,4]; expected 2, one for each "
              "block of 3");
    blocks.blocks = {1, INT64_MAX};
    EXPECT_EQ(inferError(blocks, {{kFloat, {2, 4}}, {kFloat, {2, 4}}}),
              "node (Quantize): input 1 [2,4] has 4 elements along axis 1 of input 0 [2,4]; expected 1, one for each "
              "block of 9223372036854775807");
    blocks.blocks = {1};
    EXPECT_EQ(inferError(blocks, {{kFloat, {2, 4}}, {kFloat, {2, 4}}}),
              "node (Quantize): blocks of [1] for input 0 [2,4]; expected a number of elements, 1 or more, for each "
              "axis");
}

} // namespace
} // namespace tenon
