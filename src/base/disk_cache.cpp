// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/disk_cache.h"

#include "base/error.h"
#include "base/mapped_file.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenon {
namespace {

namespace fs = std::filesystem;

/// The start of a file; the bytes follow.
struct Header {
    char magic[8] = {'T', 'E', 'N', 'O', 'N', 'C', '0', '1'};
    uint64_t key[2] = {};
    uint64_t size = 0;
    uint64_t checksum = 0;

    Header(std::string_view keyText, std::string_view bytes)
        : size(bytes.size()), checksum(XXH3_64bits(bytes.data(), bytes.size())) {
        XXH128_hash_t const hash = XXH3_128bits(keyText.data(), keyText.size());
        key[0] = hash.low64;
        key[1] = hash.high64;
    }
};

thread_local int unwanted = 0; // the number of NoDiskCache objects of this thread

std::optional<fs::path> folder() {
    if (unwanted != 0) return std::nullopt;
    auto const set = [](char const* name) {
        char const* const value = std::getenv(name);
        return value != nullptr && *value != '\0' ? value : nullptr;
    };
    if (char const* const own = set("TENON_CACHE")) return own;
    if (char const* const caches = set("XDG_CACHE_HOME")) return fs::path(caches) / "tenon";
    if (char const* const home = set("HOME")) return fs::path(home) / ".cache" / "tenon";
    return std::nullopt;
}

fs::path fileOf(fs::path const& folder, Header const& header) {
    char name[33];
    std::snprintf(name, sizeof(name), "%016llx%016llx", static_cast<unsigned long long>(header.key[1]),
                  static_cast<unsigned long long>(header.key[0]));
    return folder / name;
}

/// A new file with a unique name, which is renamed when it is complete.
class NewFile {
public:
    explicit NewFile(fs::path const& folder)
        : path_((folder / "new.XXXXXX").string()), descriptor_(mkstemp(path_.data())) {}
    ~NewFile() {
        if (descriptor_ < 0) return;
        close(descriptor_);
        if (!path_.empty()) unlink(path_.c_str());
    }
    NewFile(NewFile const&) = delete;
    NewFile& operator=(NewFile const&) = delete;

    bool write(void const* bytes, size_t count) const {
        return descriptor_ >= 0 && ::write(descriptor_, bytes, count) == static_cast<ssize_t>(count);
    }
    void becomes(fs::path const& name) {
        if (rename(path_.c_str(), name.c_str()) == 0) path_.clear();
    }

private:
    std::string path_;
    int descriptor_;
};

} // namespace

NoDiskCache::NoDiskCache() { ++unwanted; }
NoDiskCache::~NoDiskCache() { --unwanted; }

std::optional<std::string> readCached(std::string_view key) {
    auto const where = folder();
    if (!where) return std::nullopt;
    try {
        MappedFile const file(fileOf(*where, Header(key, {})).string());
        std::string_view const all(reinterpret_cast<char const*>(file.bytes().data()), file.bytes().size());
        if (all.size() < sizeof(Header)) return std::nullopt;
        std::string bytes(all.substr(sizeof(Header)));
        Header const expected(key, bytes);
        if (std::memcmp(all.data(), &expected, sizeof(Header)) != 0) return std::nullopt;
        return bytes;
    } catch (Error const&) { // not a file, or it cannot be read
        return std::nullopt;
    }
}

void writeCached(std::string_view key, std::string_view bytes) {
    auto const where = folder();
    if (!where) return;
    std::error_code ignored;
    fs::create_directories(*where, ignored);
    Header const header(key, bytes);
    NewFile file(*where);
    if (file.write(&header, sizeof(header)) && file.write(bytes.data(), bytes.size()))
        file.becomes(fileOf(*where, header));
}

} // namespace tenon
