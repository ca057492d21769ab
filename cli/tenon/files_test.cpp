// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "files.h"

#include "failure.h"
#include "npy.h"
#include "plain_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>

namespace tenon::cli {
namespace {

template <class Read> std::string failureOf(Read const& read) {
    try {
        read();
    } catch (Failure const& failure) {
        return failure.what();
    }
    return {};
}

std::string refusalOf(std::string const& path) {
    return failureOf([&] { readFile(path); });
}

/// A pipe without a writer.
struct Pipe {
    std::string path = testing::TempDir() + "tenon_files_test_pipe";
    Pipe() {
        std::filesystem::remove(path);
        EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    }
    ~Pipe() { std::filesystem::remove(path); }
};

TEST(Files, areReadWhole) {
    std::string const path = testing::TempDir() + "tenon_files_test";
    std::string const bytes("a\0b\n", 4);
    writeFile(path, bytes);
    EXPECT_EQ(readFile(path), bytes);
    writeFile(path, "");
    EXPECT_EQ(readFile(path), "");
    std::filesystem::remove(path);
}

TEST(Files, thatMightNeverEndAreRefused) {
    Pipe const pipe;
    EXPECT_EQ(refusalOf("/dev/zero"), "/dev/zero: it is a pipe or a device; expected a file");
    EXPECT_EQ(refusalOf(pipe.path), pipe.path + ": it is a pipe or a device; expected a file");
    EXPECT_EQ(failureOf([&] { readNpz(pipe.path); }), refusalOf(pipe.path));
    EXPECT_EQ(failureOf([&] { readNpy(pipe.path); }), refusalOf(pipe.path));
}

TEST(Files, thatAreNoneAreRefused) {
    EXPECT_EQ(refusalOf("/"), "/: it is a folder; expected a file");
    EXPECT_EQ(refusalOf("/nowhere/x.npy"), "/nowhere/x.npy: No such file or directory");
    EXPECT_EQ(whyNotPlainFile(std::string("/dev\0/null", 10)), "its name contains a NUL");
}

} // namespace
} // namespace tenon::cli
