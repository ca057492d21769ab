// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tenon {

/// The bytes of a regular file, in memory shared with the system's cache: pages are read on first access. As with every
/// mapping, writing to the file changes the bytes, and truncating it ends the process: replace files in use instead.
class MappedFile {
public:
    /// Change: pages may be written to, copy-on-write and private to this process.
    enum class Use { Read, Change };

    /// Throws an Error that says why the file cannot be read.
    explicit MappedFile(std::string const& path, Use use = Use::Read);
    ~MappedFile();
    MappedFile(MappedFile const&) = delete;
    MappedFile& operator=(MappedFile const&) = delete;

    std::span<std::byte const> bytes() const { return bytes_; }

private:
    std::span<std::byte const> bytes_;
};

} // namespace tenon
