// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tenon {

/// The bytes of a plain file, in memory that the system shares with its cache: nothing is read before it is looked at.
/// Bytes that are needed after it has been closed are copied. Whoever shortens the file meanwhile ends the process, as
/// with every mapping, so it is kept open no longer than it takes to read it.
class MappedFile {
public:
    /// An Error says why it cannot be read.
    explicit MappedFile(std::string const& path);
    ~MappedFile();
    MappedFile(MappedFile const&) = delete;
    MappedFile& operator=(MappedFile const&) = delete;

    std::span<std::byte const> bytes() const { return bytes_; }

private:
    std::span<std::byte const> bytes_;
};

} // namespace tenon
