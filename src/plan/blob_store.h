// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/bytes.h"
#include "base/literal.h"
#include "plan/json_text.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// XXH3, 64 bits.
uint64_t checksum(std::span<std::byte const> bytes);

/// Bytes of a container's head, which says how large the whole is.
constexpr size_t kContainerHead = 64;
/// The size that the head states; nullopt where these bytes do not begin a container. The file may be shorter.
std::optional<uint64_t> containerBytes(std::span<std::byte const> head);

/// The container of a plan: a fixed header, a JSON text, and blobs at multiples of 64 bytes.
/// Collects blobs; one that was added before (the same memory) is written once.
class BlobWriter {
public:
    int64_t add(Literal const& literal);
    int64_t add(std::span<std::byte const> bytes);
    /// The file: `json` gets the table of blobs as "blobs".
    Bytes finish(Json json) const;

private:
    struct Blob {
        std::shared_ptr<void const> keep;
        std::span<std::byte const> bytes;
        DataType type;
        Dims dims;
    };
    int64_t add(Blob blob);
    Json table() const;

    std::vector<Blob> blobs_;
    std::map<std::pair<void const*, size_t>, int64_t> known_;
};

/// Opens a container; every length and offset is checked before it is used, and the JSON's checksum always.
class BlobReader {
public:
    /// Blobs point into `bytes`, which stay as they are while `owner` lives.
    BlobReader(std::span<std::byte const> bytes, std::shared_ptr<void const> owner);

    uint32_t format() const { return format_; }
    Json const& json() const { return json_->root(); }
    /// A blob as it was added; its checksum is verified. An Error for a number that is not there.
    Literal literal(int64_t number) const;
    std::span<std::byte const> bytes(int64_t number) const;
    size_t count() const { return blobs_.size(); }

private:
    struct Blob {
        std::span<std::byte const> bytes;
        uint64_t checksum;
        DataType type;
        Dims dims;
    };
    void readTable(std::span<std::byte const> data);
    Blob const& verified(int64_t number) const;

    std::shared_ptr<void const> owner_;
    uint32_t format_ = 0;
    std::optional<JsonText> json_;
    std::vector<Blob> blobs_;
};

} // namespace tenon
