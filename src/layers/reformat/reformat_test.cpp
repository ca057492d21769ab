// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/reformat.h"
#include "layers/reformat/reformat.h"

#include "backends/kernel.h"
#include "base/text.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <cstring>

namespace tenon {
namespace {

using test::ints;

/// On the device that is tested.
class Reformatting : public testing::Test {
protected:
};

/// The bytes of the tensor after the first suitable kernel has reformatted it to `to`.
std::vector<std::byte> reformatted(Dims const& dims, Label from, std::vector<std::byte> const& x, Label to) {
    Backend const& backend = test::testedBackend();
    from.device = to.device = test::testedDevice();
    Graph graph;
    Tensor* input = graph.addInput("x", from.type, toShape(dims));
    Node* node = graph.add(std::make_unique<Reformat>(), {input}, "node");
    input->label = from;
    node->output()->label = to;
    Kernel const* kernel = backend.kernelsFor(Reformat::kKind).front();
    Offer const offer = kernel->offer({*node, {dims}, {dims}});
    EXPECT_EQ(offer.refusal, "");
    Dims const shapes[]{dims};
    auto const executable = kernel->prepare({*node, offer.variants.at(0), shapes, shapes, nullptr});
    std::vector<std::byte> y(bytesOf(dims, to), std::byte{0xee});
    auto const source = backend.allocate(x.size());
    auto const target = backend.allocate(y.size());
    backend.copy(source.get(), x.data(), x.size(), nullptr);
    backend.copy(target.get(), y.data(), y.size(), nullptr);
    void const* inputs[]{source.get()};
    void* outputs[]{target.get()};
    executable->run({inputs, outputs, nullptr, nullptr});
    backend.copy(y.data(), target.get(), y.size(), nullptr);
    backend.synchronize(nullptr);
    return y;
}

template <class T> std::vector<std::byte> bytesOfValues(std::vector<T> const& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// Integers from -100 to 100 that all types represent, in the given label.
std::vector<std::byte> sample(Dims const& dims, Label const& label) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < dims.volume(); ++i) values.push_back(label.type == DataType::Bool ? i % 2 : i * 37 % 128);
    std::vector<std::byte> memory(bytesOf(dims, label));
    reformat(dims, {DataType::Int64, {}, {}}, values.data(), label, memory.data());
    return memory;
}

// numpy: x = np.arange(6).reshape(1, 3, 1, 2); np.pad(x, ((0, 0), (0, 1), (0, 0), (0, 0))).reshape(1, 2, 2, 1, 2)
//        .transpose(0, 1, 3, 4, 2) and x.transpose(0, 2, 3, 1)
TEST_F(Reformatting, liesAsTheFormatSays) {
    Dims const dims{1, 3, 1, 2};
    auto const linear = bytesOfValues<int32_t>({0, 1, 2, 3, 4, 5});
    Label const from{DataType::Int32, Format::linear(), Device::Cpu};
    EXPECT_EQ(reformatted(dims, from, linear, {DataType::Int32, Format::blocked(2), Device::Cpu}),
              bytesOfValues<int32_t>({0, 2, 1, 3, 4, 0, 5, 0}));
    EXPECT_EQ(reformatted(dims, from, linear, {DataType::Int32, Format::nhwc(), Device::Cpu}),
              bytesOfValues<int32_t>({0, 2, 4, 1, 3, 5}));
    EXPECT_EQ(reformatted(dims, from, linear, {DataType::Int32, Format::nhwc(4), Device::Cpu}),
              bytesOfValues<int32_t>({0, 2, 4, 0, 1, 3, 5, 0}));
}

std::vector<Dims> shapes() {
    return {{2, 3, 5, 7},     {1, 16, 9, 9}, {2, 40, 3, 70}, {1, 33, 130},
            {3, 20, 2, 3, 4}, {2, 17, 1, 1}, {1, 130, 2, 2}, {2, 0, 3}};
}

std::vector<Format> formats() {
    return {Format::linear(), Format::nhwc(),     Format::nhwc(4),
            Format::nhwc(8),  Format::blocked(8), Format::blocked(16)};
}

void expectAsTheRuleSays(Dims const& dims, Label const& from, Label const& to) {
    auto const x = sample(dims, from);
    std::vector<std::byte> expected(bytesOf(dims, to));
    reformat(dims, from, x.data(), to, expected.data());
    EXPECT_EQ(reformatted(dims, from, x, to), expected) << text(dims, ' ', from, " to ", to);
}

/// The same rule written out: the offset of element (n, c, i) of [N,C,I].
int64_t placeOf(Format const& format, Dims const& dims, int64_t n, int64_t c, int64_t i) {
    int64_t const pixels = dims.volume(2, dims.rank());
    int64_t const b = format.block;
    int64_t const channels = (dims[1] + b - 1) / b * b;
    if (format.channelsLast) return (n * pixels + i) * channels + c;
    return ((n * channels / b + c / b) * pixels + i) * b + c % b;
}

template <class T> std::vector<std::byte> counted(Dims const& dims, Format const& format) { // padding is zero
    std::vector<T> values(static_cast<size_t>(paddedVolume(dims, format)), T(0));
    int64_t const pixels = dims.volume(2, dims.rank());
    for (int64_t k = 0; k < dims.volume(); ++k) {
        int64_t const row = k / pixels;
        values.at(static_cast<size_t>(placeOf(format, dims, row / dims[1], row % dims[1], k % pixels))) =
            static_cast<T>(k * 37 % 101 - 50);
    }
    return bytesOfValues(values);
}

template <class T> void expectBetweenAllFormats() {
    Format const all[]{Format::linear(),   Format::nhwc(),     Format::nhwc(8),     Format::nhwc(16),
                       Format::blocked(2), Format::blocked(4), Format::blocked(16), Format::blocked(32)};
    DataType const type = kTypeOf<T>;
    for (Dims const& dims : {Dims{2, 3, 5, 9}, Dims{1, 35, 66}, Dims{2, 64, 8, 9}}) {
        for (Format const& from : all) {
            for (Format const& to : all)
                EXPECT_EQ(reformatted(dims, {type, from, {}}, counted<T>(dims, from), {type, to, {}}),
                          counted<T>(dims, to))
                    << text(type, ' ', dims, ' ', from, " to ", to);
        }
    }
}

// QuantizeLinear and DequantizeLinear of ONNX: q = saturate(round half to even(x / scale)), x = scale q
TEST_F(Reformatting, bringsRealValuesIntoInt8AndBack) {
    Dims const dims{1, 2, 1, 5};
    std::vector<float> const x{0, 0.25F, 0.75F, -0.75F, 1000, -1000, 0.3F, -0.3F, 63.5F, -64};
    Label const real{DataType::Float32, Format::linear(), Device::Cpu};
    Label const half{DataType::Float16, Format::nhwc(8), Device::Cpu};
    Label const quantized{DataType::Int8, Format::linear(), Device::Cpu, 0.5F};
    std::vector<int8_t> const q{0, 0, 2, -2, 127, -128, 1, -1, 127, -128};
    EXPECT_EQ(reformatted(dims, real, bytesOfValues(x), quantized), bytesOfValues(q));
    std::vector<float> const back{0, 0, 1, -1, 63.5F, -64, 0.5F, -0.5F, 63.5F, -64};
    EXPECT_EQ(reformatted(dims, quantized, bytesOfValues(q), real), bytesOfValues(back));
    for (Format const& format : {Format::nhwc(), Format::nhwc(16), Format::blocked(4), Format::blocked(32)}) {
        Label const there{DataType::Int8, format, Device::Cpu, 0.5F};
        auto const moved = reformatted(dims, quantized, bytesOfValues(q), there);
        EXPECT_EQ(reformatted(dims, real, bytesOfValues(x), there), moved) << text(format);
        EXPECT_EQ(reformatted(dims, there, moved, real), bytesOfValues(back)) << text(format);
        EXPECT_EQ(reformatted(dims, half, reformatted(dims, there, moved, half), there), moved) << text(format);
    }
    std::vector<int8_t> const coarser{0, 0, 1, -1, 64, -64, 0, 0, 64, -64};
    EXPECT_EQ(reformatted(dims, quantized, bytesOfValues(q), {DataType::Int8, {}, Device::Cpu, 1}),
              bytesOfValues(coarser));
}

// q = saturate(round half to even(x / scale) + zero point), x = scale (q - zero point)
TEST_F(Reformatting, bringsRealValuesIntoIntegersWithZeroPointsAndBack) {
    Dims const dims{1, 2, 1, 5};
    std::vector<float> const x{0, 0.25F, 0.75F, -0.75F, 1000, -1000, 0.3F, -0.3F, 63.5F, -64};
    Label const real{DataType::Float32, Format::linear(), Device::Cpu};
    Label const half{DataType::Float16, Format::nhwc(8), Device::Cpu};
    Label const quantized{DataType::UInt8, Format::linear(), Device::Cpu, 0.5F, 125};
    std::vector<uint8_t> const q{125, 125, 127, 123, 255, 0, 126, 124, 252, 0};
    EXPECT_EQ(reformatted(dims, real, bytesOfValues(x), quantized), bytesOfValues(q));
    std::vector<float> const back{0, 0, 1, -1, 65, -62.5F, 0.5F, -0.5F, 63.5F, -62.5F};
    EXPECT_EQ(reformatted(dims, quantized, bytesOfValues(q), real), bytesOfValues(back));
    for (Format const& format : {Format::nhwc(), Format::nhwc(16), Format::blocked(4), Format::blocked(32)}) {
        Label const there{DataType::UInt8, format, Device::Cpu, 0.5F, 125};
        auto const moved = reformatted(dims, quantized, bytesOfValues(q), there); // padding is zero, not the zero point
        EXPECT_EQ(reformatted(dims, real, bytesOfValues(x), there), moved) << text(format);
        EXPECT_EQ(reformatted(dims, there, moved, real), bytesOfValues(back)) << text(format);
        EXPECT_EQ(reformatted(dims, half, reformatted(dims, there, moved, half), there), moved) << text(format);
    }
}

// 128 less in the integers and in the zero point are the same values: uint8 may be stored as int8
TEST_F(Reformatting, bringsUInt8IntoInt8) {
    Dims const dims{1, 2, 1, 3};
    std::vector<uint8_t> const q{0, 1, 127, 128, 254, 255};
    std::vector<int8_t> const less{-128, -127, -1, 0, 126, 127};
    for (Format const& format : {Format::linear(), Format::nhwc(2)}) {
        auto const expectSame = [&](Label const& a, Label const& b) {
            auto const expected = reformatted(dims, {b.type, {}, {}}, bytesOfValues(less), {b.type, format, {}});
            EXPECT_EQ(reformatted(dims, a, bytesOfValues(q), b), expected) << text(b);
            EXPECT_EQ(reformatted(dims, b, expected, a), bytesOfValues(q)) << text(b);
        };
        expectSame({DataType::UInt8, {}, {}}, {DataType::Int8, format, {}, 1, -128});
        expectSame({DataType::UInt8, {}, {}, 0.25F, 7}, {DataType::Int8, format, {}, 0.25F, -121});
    }
}

/// The index of each element, -1 for padding.
std::vector<int64_t> numbered(Dims const& dims, Format const& format) {
    std::vector<int64_t> numbers(static_cast<size_t>(paddedVolume(dims, format)), -1);
    int64_t const pixels = dims.volume(2, dims.rank());
    for (int64_t k = 0; k < dims.volume(); ++k) {
        int64_t const row = k / pixels;
        numbers.at(static_cast<size_t>(placeOf(format, dims, row / dims[1], row % dims[1], k % pixels))) = k;
    }
    return numbers;
}

TEST(SameBytes, areThoseOfTheSameElementsInTheSameOrder) {
    Format const all[]{Format::linear(),   Format::nhwc(),     Format::nhwc(8),    Format::nhwc(16),
                       Format::blocked(2), Format::blocked(8), Format::blocked(16)};
    int same = 0;
    for (Dims const& dims : {Dims{2, 8, 1, 1}, Dims{2, 16, 1, 3}, Dims{1, 16, 3, 3}, Dims{3, 1, 2, 2}, Dims{2, 8, 5},
                             Dims{1, 24, 2, 2, 1}, Dims{2, 3, 1, 1}, Dims{1, 1, 1, 1}}) {
        for (Format const& a : all) {
            for (Format const& b : all) {
                bool const said = sameBytes({DataType::Int8, a, {}}, {DataType::Int8, b, {}}, toShape(dims));
                bool const isPadded = paddedVolume(dims, a) != dims.volume() || paddedVolume(dims, b) != dims.volume();
                bool const expected = a == b || (!isPadded && numbered(dims, a) == numbered(dims, b));
                EXPECT_EQ(said, expected) << text(dims, ' ', a, ' ', b);
                same += said && !(a == b) ? 1 : 0;
            }
        }
    }
    EXPECT_GT(same, 50);
}

TEST(SameBytes, areNotWhereAnExtentThatMattersIsOpen) {
    DimExpr const open = DimExpr::symbol("n");
    auto const areSame = [&](Shape const& shape, Format const& a, Format const& b) {
        return sameBytes({DataType::Int8, a, {}}, {DataType::Int8, b, {}}, shape);
    };
    EXPECT_FALSE(areSame({1, open, 2, 2}, Format::nhwc(), Format::nhwc(8)));
    EXPECT_FALSE(areSame({1, 8, open, 1}, Format::linear(), Format::nhwc()));
    EXPECT_FALSE(areSame({1, open, 2, 1}, Format::linear(), Format::nhwc()));
    EXPECT_TRUE(areSame({open, 8, open, open}, Format::nhwc(), Format::nhwc(8)));
    EXPECT_TRUE(areSame({open, open, 1, 1}, Format::linear(), Format::nhwc()));
    EXPECT_FALSE(sameBytes({DataType::Int8, Format::nhwc(), {}}, {DataType::UInt8, Format::nhwc(8), {}}, {1, 8, 2, 2}));
    EXPECT_FALSE(sameBytes({DataType::Int8, {}, {}, 1}, {DataType::Int8, {}, {}, 2}, {1, 8, 2, 2}));
}

TEST_F(Reformatting, keepsPaddingZeroBetweenZeroPoints) {
    if (test::testedDevice() == Device::Cpu) GTEST_SKIP() << "no kernel of integers pads channels there";
    Dims const dims{2, 20, 3, 5};
    for (Format const& from : {Format::linear(), Format::nhwc(16)}) {
        for (Label const& to :
             {Label{DataType::Int8, Format::nhwc(16), {}, 0.5F, -3}, Label{DataType::Float32, Format::nhwc(16), {}}}) {
            expectAsTheRuleSays(dims, {DataType::UInt8, from, {}, 0.25F, 100}, to);
            expectAsTheRuleSays(dims, {DataType::Float32, from, {}}, to);
        }
    }
}

TEST_F(Reformatting, goesBetweenAllFormatsThatPluginsMayAskFor) {
    expectBetweenAllFormats<float>();
    expectBetweenAllFormats<Half>();
    expectBetweenAllFormats<int8_t>();
    expectBetweenAllFormats<int32_t>();
}

// compared with the element-by-element copy by the rule itself
TEST_F(Reformatting, goesBetweenAllFormatsForElementsOfEverySize) {
    for (DataType type : {DataType::UInt8, DataType::Float16, DataType::Float32, DataType::Int64}) {
        for (Format const& from : formats()) {
            for (Format const& to : formats()) {
                for (Dims const& dims : shapes())
                    expectAsTheRuleSays(dims, {type, from, Device::Cpu}, {type, to, Device::Cpu});
            }
        }
    }
}

void expectConverted(Label const& from, Label const& to) { // the sample is representable in all types
    for (Dims const& dims : {Dims{2, 21, 3, 25}, Dims{2, 3, 5, 67}, Dims{1, 4, 3, 3}})
        EXPECT_EQ(reformatted(dims, from, sample(dims, from), to), sample(dims, to)) << text(dims, from, " to ", to);
}

TEST_F(Reformatting, convertsOnTheWay) {
    DataType const types[]{DataType::Float32, DataType::Float16, DataType::BFloat16, DataType::Int8, DataType::Int32};
    for (DataType from : types) {
        for (DataType to : types) {
            for (Format const& format : formats()) {
                expectConverted({from, {}, {}}, {to, format, {}});
                expectConverted({from, format, {}}, {to, {}, {}});
                expectConverted({from, format, {}}, {to, Format::blocked(16), {}});
            }
        }
    }
}

// numpy: x.astype(np.float16).astype(np.float32); bfloat16 by its definition: ties to even of the upper 16 bits
TEST_F(Reformatting, roundsToTheNearestEven) {
    std::vector<float> const x{1.00048828125F, 1.00146484375F, 65520,       1e-8F,       INFINITY,
                               3.0000002F,     1.00390625F,    1.01171875F, -1.00390625F};
    auto const through = [&](DataType type) {
        Dims const dims{static_cast<int64_t>(x.size())};
        auto const narrow = reformatted(dims, {}, bytesOfValues(x), {type, {}, {}});
        return reformatted(dims, {type, {}, {}}, narrow, {});
    };
    EXPECT_EQ(through(DataType::Float16), bytesOfValues<float>({1, 1.001953125F, INFINITY, 0, INFINITY, 3, 1.00390625F,
                                                                1.01171875F, -1.00390625F}));
    EXPECT_EQ(through(DataType::BFloat16),
              bytesOfValues<float>({1, 1, 65536, 1.0011717677116394e-08F, INFINITY, 3, 1, 1.015625F, -1}));
}

TEST_F(Reformatting, keepsNanANan) {
    std::vector<float> const x(9, NAN);
    for (DataType type : {DataType::Float16, DataType::BFloat16}) {
        auto const narrow = reformatted({9}, {}, bytesOfValues(x), {type, {}, {}});
        auto const wide = reformatted({9}, {type, {}, {}}, narrow, {});
        for (size_t i = 0; i < 9; ++i) {
            float value = 0;
            std::memcpy(&value, wide.data() + i * sizeof value, sizeof value);
            EXPECT_TRUE(std::isnan(value)) << text(type);
        }
    }
}

TEST_F(Reformatting, refusesTypesWithoutArithmetic) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float8, {4});
    Node* node = graph.add(std::make_unique<Reformat>(), {x}, "node");
    node->output()->label.type = DataType::Float32;
    x->label.device = node->output()->label.device = test::testedDevice();
    Kernel const* kernel = test::testedBackend().kernelsFor(Reformat::kKind).front();
    EXPECT_EQ(kernel->offer({*node, {{4}}, {{4}}}).refusal, "does not convert float8 to float32");
}

} // namespace
} // namespace tenon
