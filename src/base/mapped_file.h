// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tenon {

/// The bytes of a plain file, in memory that the system shares with its cache: nothing is read before it is looked at.
/// Whoever writes to the file meanwhile changes them, and whoever shortens it ends the process, as with every mapping:
/// files in use are replaced, not written over.
class MappedFile {
public:
    /// Whether its pages may be written to, by this process and for it alone.
    enum class Use { Read, Change };

    /// An Error says why it cannot be read.
    explicit MappedFile(std::string const& path, Use use = Use::Read);
    ~MappedFile();
    MappedFile(MappedFile const&) = delete;
    MappedFile& operator=(MappedFile const&) = delete;

    std::span<std::byte const> bytes() const { return bytes_; }

private:
    std::span<std::byte const> bytes_;
};

} // namespace tenon
