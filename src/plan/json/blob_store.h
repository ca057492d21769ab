// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "base/bytes.h"
#include "plan/json/json_fields.h"
#include "plan/json/json_pieces.h"
#include "plan/json/json_text.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// The first and the last version of the file format that this library reads; it writes the last. docs/plan_format.md
/// says what is in it.
inline constexpr uint32_t kOldestPlanFormat = 1;
inline constexpr uint32_t kPlanFormat = 3;

/// XXH3, 64 bits.
uint64_t checksum(std::span<std::byte const> bytes);

/// Bytes of a container's head, which says how large the whole is.
constexpr size_t kContainerHead = 64;
/// The size that the head states; nullopt where these bytes do not begin a container. The file may be shorter.
std::optional<uint64_t> containerBytes(std::span<std::byte const> head);

/// The container of a plan: a fixed header, a JSON text, and blobs at multiples of 64 bytes.
/// Collects blobs; one that was added before (the same memory) is written once.
/// A constant that is not in the file: it is restored from the blob that has its elements in another order.
struct LeftOut {
    int64_t packed; // the number of that blob
    PackedElements elements;
};

class BlobWriter {
public:
    int64_t add(Literal const& literal);
    /// Bytes that stay as they are until the file is finished.
    int64_t add(std::span<std::byte const> bytes);
    /// From now on this constant is not written when it is added.
    void leaveOut(LeftOut constant);
    /// A constant of which only type and shape are written.
    int64_t addAbsent(Literal const& literal);
    /// The file: `json` gets the table of blobs as "blobs". Bytes that are to be made are made where they are written,
    /// blobs side by side on several threads.
    /// \param apiVersion PlanSettings::apiVersion
    Bytes finish(JsonObject json, int64_t apiVersion = 0) const;

private:
    struct Blob {
        Literal literal;
        std::optional<LeftOut> leftOut = {};

        bool isStored() const { return !leftOut && !literal.isAbsent(); }
    };
    /// Of each blob, in bytes from the start of the data, and the end. Those that are not written take no room.
    std::vector<size_t> offsets() const;
    std::string table(std::vector<size_t> const& offsets, std::vector<uint64_t> const& checksums) const;
    std::vector<uint64_t> write(std::span<std::byte> data, std::vector<size_t> const& offsets) const;

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
    /// A blob as it was added; its checksum is verified, or that of the blob that it is restored from when its bytes
    /// are asked for. An Error for a number that is not there.
    Literal literal(int64_t number) const;
    /// The constants that are restored from a blob.
    std::vector<PackedElements> elementsIn(int64_t number) const;
    std::span<std::byte const> bytes(int64_t number) const;
    size_t count() const { return blobs_.size(); }
    /// How a blob is restored; null for one that is in the file.
    LeftOut const* leftOut(int64_t number) const;
    /// Verifies all checksums, on several threads. An Error names the first blob that is not as it was written.
    void verify() const;
    /// Compares all checksums, on several threads, before blobs are asked for: the error is that of the first which is.
    void compareChecksums();

private:
    struct Blob {
        std::span<std::byte const> bytes = {}; // none where it is left out
        uint64_t checksum = 0;
        DataType type = DataType::UInt8;
        Dims dims = {};
        std::optional<LeftOut> leftOut = {};
        std::optional<Literal> absent = {};
    };
    void readTable(std::span<std::byte const> data);
    Blob stored(JsonReader& fields, std::span<std::byte const> data) const;
    Blob absent(JsonReader& fields) const;
    void readLeftOut(Json const& row, size_t number);
    Blob const& at(int64_t number) const;
    bool fits(int64_t number) const;
    Blob const& verified(int64_t number) const;

    std::shared_ptr<void const> owner_;
    uint32_t format_ = 0;
    std::optional<JsonText> json_;
    std::vector<Blob> blobs_;
    std::vector<char> fits_; // for each blob whether its checksum does; empty: they are compared one by one
};

} // namespace tenon
