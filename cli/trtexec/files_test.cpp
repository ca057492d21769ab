// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include "failure.h"

#include <gtest/gtest.h>

namespace trtexec {
namespace {

template <class Read> std::string failureOf(Read const& read) {
    try {
        read();
    } catch (Failure const& failure) {
        return failure.what();
    }
    return {};
}

TEST(Files, ThatMightNeverEndAreRefused) {
    std::string const refusal = "Cannot open file /dev/zero: it is a pipe or a device; expected a file";
    EXPECT_EQ(failureOf([] { readFile("/dev/zero"); }), refusal);
    EXPECT_EQ(failureOf([] { fileSize("/dev/zero"); }), refusal);
}

TEST(Files, ThatAreNoneAreRefused) {
    EXPECT_EQ(failureOf([] { readFile("/"); }), "Cannot open file /: it is a folder; expected a file");
    EXPECT_EQ(failureOf([] { readFile("/nowhere"); }), "Cannot open file /nowhere: No such file or directory");
}

} // namespace
} // namespace trtexec
