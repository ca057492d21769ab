// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/mapped_file.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tenon {
namespace {

struct File {
    std::string path = testing::TempDir() + "mapped_file_test";
    explicit File(std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
    ~File() { std::filesystem::remove(path); }
};

std::string refusalOf(std::string const& path) {
    try {
        MappedFile const file(path);
        return {};
    } catch (Error const& error) {
        return error.what();
    }
}

std::string textOf(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

TEST(MappedFile, hasTheBytesOfTheFile) {
    std::string text(10'000, 'x');
    text.back() = '.';
    File const file(text);
    EXPECT_EQ(textOf(MappedFile(file.path).bytes()), text);
}

TEST(MappedFile, mayBeEmpty) {
    File const file("");
    EXPECT_TRUE(MappedFile(file.path).bytes().empty());
}

TEST(MappedFile, saysWhyItCannotBeRead) {
    EXPECT_EQ(refusalOf("/nowhere/model.onnx"), "cannot be read: No such file or directory");
    EXPECT_EQ(refusalOf("/"), "is not a regular file");
}

} // namespace
} // namespace tenon
