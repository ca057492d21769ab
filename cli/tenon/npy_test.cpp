// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "npy.h"

#include "failure.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tenon::cli {
namespace {

using namespace std::string_literals;

/// A .npy file by the format's specification (NEP 1), from a header and elements.
std::string file(std::string const& header, std::string const& elements, char version = 1) {
    std::string text = header + '\n';
    std::string length{static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
    if (version > 1) length += "\0\0"s;
    return "\x93NUMPY"s + version + '\0' + length + text + elements;
}

std::string described(std::string const& descr, std::string const& shape, bool fortran = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
           ", }";
}

std::string errorOf(std::string const& bytes) {
    try {
        parseNpy(bytes);
        return "";
    } catch (Failure const& failure) {
        return failure.what();
    }
}

std::vector<long double> numbersOf(Array const& array, nvinfer1::DataType type = nvinfer1::DataType::kFLOAT) {
    std::vector<long double> numbers;
    for (size_t i = 0; i < array.count(); ++i) numbers.push_back(numberAt(array, i, type));
    return numbers;
}

TEST(Npy, readsAllThreeVersions) {
    for (char const version : {1, 2, 3}) {
        Array const array = parseNpy(file(described("|u1", "(2, 3)"), "\1\2\3\4\5\6", version));
        EXPECT_EQ(array.element, Element::UInt8);
        EXPECT_EQ(array.dims, (std::vector<int64_t>{2, 3}));
        EXPECT_EQ(array.bytes, "\1\2\3\4\5\6");
    }
}

TEST(Npy, readsEveryElement) {
    struct Case {
        char const* descr;
        std::string bytes;
        long double value;
    };
    Case const cases[]{
        {"<f2", "\x00\xC1"s, -2.5L},
        {"<f4", "\x00\x00\x20\xC0"s, -2.5L},
        {"<f8", "\x00\x00\x00\x00\x00\x00\x04\xC0"s, -2.5L},
        {"|i1", "\xFE"s, -2},
        {"<i2", "\xFE\xFF"s, -2},
        {"<i4", "\xFE\xFF\xFF\xFF"s, -2},
        {"<i8", "\x01\x00\x00\x00\x00\x00\x00\x80"s, -9223372036854775807.0L},
        {"|u1", "\xFE"s, 254},
        {"<u2", "\xFE\xFF"s, 65534},
        {"<u4", "\xFE\xFF\xFF\xFF"s, 4294967294.0L},
        {"<u8", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, 18446744073709551615.0L},
        {"|b1", "\x01"s, 1},
    };
    for (Case const& c : cases) {
        Array const array = parseNpy(file(described(c.descr, "()"), c.bytes));
        EXPECT_EQ(numbersOf(array), std::vector<long double>{c.value}) << c.descr;
        EXPECT_TRUE(array.dims.empty());
    }
}

TEST(Npy, readsTheFloatsThatNumpyHasNoNameFor) {
    using nvinfer1::DataType;
    Array const bfloat16 = parseNpy(file(described("<V2", "(2,)"), "\x20\xC0\x80\x7F"s));
    EXPECT_EQ(numbersOf(bfloat16, DataType::kBF16), (std::vector<long double>{-2.5L, INFINITY}));
    Array const bytes = parseNpy(file(described("|V1", "(3,)"), "\x7E\xC2\x01"s));
    EXPECT_EQ(numbersOf(bytes, DataType::kFP8), (std::vector<long double>{448, -2.5L, std::ldexp(1.0L, -9)}));
}

TEST(Npy, readsHalfPrecisionToItsEnds) {
    Array const array = parseNpy(file(described("<f2", "(4,)"), "\xFF\x7B\x01\x00\x00\xFC\x00\x7E"s));
    auto const numbers = numbersOf(array);
    EXPECT_EQ(numbers[0], 65504);
    EXPECT_EQ(numbers[1], std::ldexp(1.0L, -24));
    EXPECT_EQ(numbers[2], -INFINITY);
    EXPECT_TRUE(std::isnan(numbers[3]));
}

TEST(Npy, bringsColumnMajorArraysIntoRowOrder) {
    // column-major [[1, 2, 3], [4, 5, 6]]
    Array const array = parseNpy(file(described("|i1", "(2, 3)", true), "\1\4\2\5\3\6"));
    EXPECT_EQ(array.bytes, "\1\2\3\4\5\6");
    Array const cube = parseNpy(file(described("|i1", "(2, 2, 2)", true), "\1\5\3\7\2\6\4\10"));
    EXPECT_EQ(cube.bytes, "\1\2\3\4\5\6\7\10");
}

TEST(Npy, writesWhatItReads) {
    Array const array{Element::Int16, {1, 2}, "\1\2\3\4"};
    std::string const printed = printNpy(array);
    EXPECT_EQ((printed.size() - array.bytes.size()) % 64, 0U);
    Array const read = parseNpy(printed);
    EXPECT_EQ(read.element, array.element);
    EXPECT_EQ(read.dims, array.dims);
    EXPECT_EQ(read.bytes, array.bytes);
}

TEST(Npy, takesEmptyArrays) {
    EXPECT_EQ(parseNpy(file(described("<f4", "(0, 3)"), "")).count(), 0U);
    EXPECT_EQ(parseNpy(file(described("<f4", "(3, 0)", true), "")).count(), 0U);
}

TEST(Npy, refusesEveryTruncation) {
    std::string const whole = file(described("<f4", "(2,)"), "12345678");
    for (size_t size = 0; size < whole.size(); ++size) {
        std::string const error = errorOf(whole.substr(0, size));
        EXPECT_TRUE(error.starts_with(size < 6 ? "is not a .npy file" : "is truncated")) << size << error;
    }
    EXPECT_EQ(errorOf(whole.substr(0, whole.size() - 1)), "is truncated: it has 7 bytes of elements; expected 8");
    EXPECT_EQ(errorOf(whole + "9"), "has 9 bytes of elements, more than the 8 of its shape");
}

TEST(Npy, refusesWhatItCannotHold) {
    EXPECT_EQ(errorOf(file(described(">f4", "(1,)"), "1234")),
              "holds big-endian numbers ('>f4'); save it with .astype('<f4')");
    EXPECT_EQ(errorOf(file(described("|O", "(1,)"), "1234")),
              "holds elements of type '|O'; expected integers, floats of up to 64 bits or bool");
    EXPECT_EQ(errorOf(file(described("<c8", "(1,)"), "12345678")),
              "holds elements of type '<c8'; expected integers, floats of up to 64 bits or bool");
    EXPECT_EQ(errorOf(file(described("<U3", "(1,)"), "123456789012")),
              "holds elements of type '<U3'; expected integers, floats of up to 64 bits or bool");
    EXPECT_EQ(errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")),
              "holds records; expected plain numbers");
    EXPECT_EQ(errorOf(file(described("<f4", "(1,)"), "1234", 4)), "is a .npy file of version 4; expected 1, 2 or 3");
}

TEST(Npy, refusesDamagedHeaders) {
    EXPECT_EQ(errorOf(file("{}", "")), "has a header without one of descr, fortran_order and shape");
    EXPECT_EQ(errorOf(file("hello", "")), "has a damaged header: expected '{' at \"hello\n\"");
    EXPECT_EQ(errorOf(file("{'descr': '<f4", "")), "has a damaged header: a string is not terminated");
    EXPECT_EQ(errorOf(file(described("<f4", "(-1,)"), "")),
              "has a damaged header: its shape is not a list of up to 32 extents");
    EXPECT_EQ(errorOf(file(described("<f4", "(9223372036854775807, 3)"), "")),
              "has a shape of more elements than any memory holds");
    EXPECT_EQ(errorOf(file(described("", "(1,)"), "")), "has a header without one of descr, fortran_order and shape");
    EXPECT_EQ(errorOf(file("{'colour': 'red'}", "")), "has a header that names colour, which .npy does not have");
}

} // namespace
} // namespace tenon::cli
