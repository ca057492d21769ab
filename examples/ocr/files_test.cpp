// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace ocr {
namespace {

std::string whatIsSaid(std::function<void()> const& action) {
    try {
        action();
    } catch (std::runtime_error const& error) {
        return error.what();
    }
    return "nothing";
}

TEST(Files, WhatIsWrittenIsReadAgain) {
    auto const file = std::filesystem::path(testing::TempDir()) / "ocr_files_test";
    for (std::string const& content : {std::string("a\nb\0c\r\n", 7), std::string(), std::string(3'000'000, 'x')}) {
        writeFile(file, content);
        EXPECT_EQ(readFile(file), content);
    }
}

TEST(Files, WhatFailsIsNamedWithItsReason) {
    EXPECT_EQ(whatIsSaid([] { readFile("no/such"); }), "no/such: cannot be read: No such file or directory");
    EXPECT_EQ(whatIsSaid([] { readFile("/"); }), "/: cannot be read: Is a directory");
    EXPECT_EQ(whatIsSaid([] { writeFile("no/such", "x"); }), "no/such: cannot be written: No such file or directory");
}

} // namespace
} // namespace ocr
