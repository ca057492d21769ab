// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/disk_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace tenon {
namespace {

namespace fs = std::filesystem;

/// A separate folder for each test.
class DiskCache : public testing::Test {
protected:
    DiskCache() {
        fs::remove_all(folder_);
        setenv("TENON_CACHE", folder_.c_str(), 1);
    }
    ~DiskCache() override {
        unsetenv("TENON_CACHE");
        fs::remove_all(folder_);
    }

    fs::path onlyFile() const {
        EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
        return fs::directory_iterator(folder_)->path();
    }

    fs::path const folder_ = fs::path(testing::TempDir()) / "tenon_disk_cache_test";
};

TEST_F(DiskCache, givesBackWhatItWasGiven) {
    std::string const bytes("a\0b", 3);
    EXPECT_EQ(readCached("key"), std::nullopt);
    writeCached("key", bytes);
    EXPECT_EQ(readCached("key"), bytes);
    EXPECT_EQ(readCached("another key"), std::nullopt);
    writeCached("key", "");
    EXPECT_EQ(readCached("key"), "");
}

TEST_F(DiskCache, ignoresDamagedFiles) {
    writeCached("key", "some bytes");
    fs::path const file = onlyFile();
    fs::resize_file(file, fs::file_size(file) - 1);
    EXPECT_EQ(readCached("key"), std::nullopt);
    writeCached("key", "some bytes");
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('!');
    EXPECT_EQ(readCached("key"), std::nullopt);
    std::ofstream(file, std::ios::trunc) << "foreign";
    EXPECT_EQ(readCached("key"), std::nullopt);
}

TEST_F(DiskCache, ignoresFilesOfOtherKeys) {
    writeCached("key", "some bytes");
    fs::path const file = onlyFile();
    writeCached("another key", "other bytes");
    for (auto const& entry : fs::directory_iterator(folder_)) {
        if (entry.path() != file) fs::copy_file(entry.path(), file, fs::copy_options::overwrite_existing);
    }
    EXPECT_EQ(readCached("key"), std::nullopt);
}

TEST_F(DiskCache, isNotThereWhereItIsUnwanted) {
    writeCached("key", "some bytes");
    {
        NoDiskCache const none;
        EXPECT_EQ(readCached("key"), std::nullopt);
        writeCached("another key", "other bytes");
    }
    EXPECT_EQ(readCached("key"), "some bytes");
    EXPECT_EQ(readCached("another key"), std::nullopt);
}

TEST_F(DiskCache, keepsNothingWhereNothingCanBeWritten) {
    setenv("TENON_CACHE", "/dev/null/cache", 1);
    writeCached("key", "some bytes");
    EXPECT_EQ(readCached("key"), std::nullopt);
}

} // namespace
} // namespace tenon
