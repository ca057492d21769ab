// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "arguments.h"

#include "failure.h"
#include "table.h"

#include <functional>
#include <gtest/gtest.h>

namespace tenon::cli {
namespace {

constexpr Flag kFlags[]{{"--json", "", ""},
                        {"--input", "NAME=FILE", "", true},
                        {"--rtol", "NUMBER", ""},
                        {"--shape", "NAME=1x3", "", true}};

Arguments parse(std::vector<std::string> const& words) { return {words, kFlags}; }

std::string errorOf(std::function<void()> const& body) {
    try {
        body();
        return "";
    } catch (Failure const& failure) {
        return failure.what();
    }
}

TEST(Arguments, takesFlagsInEitherSpelling) {
    Arguments const arguments = parse({"a.plan", "--json", "--input", "x=x.npy", "--input=y=y.npy", "--rtol=1e-3"});
    EXPECT_EQ(arguments.operands(), std::vector<std::string>{"a.plan"});
    EXPECT_TRUE(arguments.has("--json"));
    EXPECT_EQ(arguments.named("--input"), (std::map<std::string, std::string>{{"x", "x.npy"}, {"y", "y.npy"}}));
    EXPECT_EQ(arguments.number("--rtol", 7), 1e-3);
    EXPECT_EQ(parse({}).number("--rtol", 7), 7);
}

TEST(Arguments, saysWhatIsWrong) {
    EXPECT_EQ(errorOf([] { parse({"--jso"}); }), "there is no flag --jso. Did you mean --json?");
    EXPECT_EQ(errorOf([] { parse({"--frobnicate"}); }), "there is no flag --frobnicate");
    EXPECT_EQ(errorOf([] { parse({"--json=1"}); }), "--json takes no value; found --json=1");
    EXPECT_EQ(errorOf([] { parse({"--rtol"}); }), "--rtol needs a value: --rtol NUMBER");
    EXPECT_EQ(errorOf([] { parse({"--json", "--json"}); }), "--json is given twice");
    EXPECT_EQ(errorOf([] { parse({"--rtol=-1"}).number("--rtol", 0); }),
              "--rtol -1: expected a number that is not negative, such as 0.001 or 1e-3");
    EXPECT_EQ(errorOf([] { parse({"--rtol=1e-3x"}).number("--rtol", 0); }),
              "--rtol 1e-3x: expected a number that is not negative, such as 0.001 or 1e-3");
    EXPECT_EQ(errorOf([] { parse({"--input=x.npy"}).named("--input"); }),
              "--input x.npy: expected NAME=VALUE with the name of a tensor");
    EXPECT_EQ(errorOf([] { parse({"--input=x=a", "--input=x=b"}).named("--input"); }), "--input names x twice");
}

TEST(Arguments, readsShapes) {
    EXPECT_EQ(parseShape("1x3x224x224"), (std::vector<int64_t>{1, 3, 224, 224}));
    EXPECT_EQ(parseShape("5"), std::vector<int64_t>{5});
    EXPECT_EQ(parseShape(""), std::vector<int64_t>{});
    EXPECT_EQ(parseShape("scalar"), std::vector<int64_t>{});
    for (char const* wrong : {"1x", "x", "1,3", "-1x3", "1x1x1x1x1x1x1x1x1", "Scalar", "99999999999999999999"})
        EXPECT_EQ(errorOf([&] { parseShape(wrong); }), "shape " + std::string(wrong) +
                                                           ": expected up to 8 numbers with 'x' between them, such as "
                                                           "1x3x224x224, or scalar");
}

TEST(Table, alignsItsColumns) {
    Table table({"a", "long heading", "c"});
    table.add({"\u00e9\u00e9\u00e9", "x\nyy", ""}); // two bytes, one column each
    table.add({"b", "", "end"});
    EXPECT_EQ(table.text(1), " a    long heading  c\n"
                             " \u00e9\u00e9\u00e9  x\n"
                             "      yy\n"
                             " b                  end\n");
}

TEST(Table, tellsSizesAndTimes) {
    EXPECT_EQ(bytesText(0), "0 bytes");
    EXPECT_EQ(bytesText(1023), "1023 bytes");
    EXPECT_EQ(bytesText(1536), "1.5 KiB");
    EXPECT_EQ(bytesText(5.0 * (1 << 30)), "5.0 GiB");
    EXPECT_EQ(timeText(850), "850 ns");
    EXPECT_EQ(timeText(1250), "1.2 us");
    EXPECT_EQ(timeText(999999), "1.0 ms");
}

} // namespace
} // namespace tenon::cli
