// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/blob_store.h"

#include "base/error.h"
#include "plan/plan_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenon {
namespace {

static_assert(std::endian::native == std::endian::little, "plans are little-endian");

constexpr char kMagic[8] = {'T', 'E', 'N', 'O', 'N', '\r', '\n', '\x1a'}; // a text-mode copy breaks it, visibly
constexpr size_t kAlignment = 64;

struct Header {
    char magic[8];
    uint32_t format;
    uint32_t reserved;
    uint64_t fileBytes;
    uint64_t jsonBytes;
    uint64_t jsonChecksum;
    uint64_t dataOffset;
    uint64_t reserved2;
    uint64_t headerChecksum; // of all before it
};
static_assert(sizeof(Header) == kContainerHead);

size_t aligned(size_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

uint64_t checksumOf(Header const& header) {
    return checksum({reinterpret_cast<std::byte const*>(&header), offsetof(Header, headerChecksum)});
}

[[noreturn]] void notAPlan(std::span<std::byte const> bytes) {
    std::string_view const start(reinterpret_cast<char const*>(bytes.data()), std::min<size_t>(bytes.size(), 8));
    for (std::string_view magic : {"ftrt", "trtf", "ptrt", "trtp"}) {
        if (start.starts_with(magic))
            fail(ErrorCode::InvalidPlan, "this engine was made by NVIDIA's TensorRT (it starts with \"", magic,
                 "\"); engines do not move between libraries: build it again from the model with Tenon");
    }
    fail(ErrorCode::InvalidPlan, "this is not a Tenon engine: ", bytes.size(), " bytes that do not start as one does");
}

Header readHeader(std::span<std::byte const> bytes) {
    Header header;
    if (bytes.size() < sizeof header) {
        bool const cut =
            !bytes.empty() && std::memcmp(bytes.data(), kMagic, std::min(bytes.size(), sizeof kMagic)) == 0;
        if (!cut) notAPlan(bytes);
        fail(ErrorCode::InvalidPlan, "the engine is truncated: ", bytes.size(), " bytes, less than its header");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) notAPlan(bytes);
    if (header.format > kPlanFormat)
        fail(ErrorCode::InvalidPlan, "the engine has file format ", header.format, ", newer than ", kPlanFormat,
             ", the newest that this Tenon reads; update Tenon, or build the engine again with this one");
    if (header.format < kOldestPlanFormat)
        fail(ErrorCode::InvalidPlan, "the engine has file format ", header.format, ", older than ", kOldestPlanFormat,
             ", the oldest that this Tenon reads; build it again from the model");
    if (header.headerChecksum != checksumOf(header))
        fail(ErrorCode::InvalidPlan, "the engine's header has been changed: its checksum does not fit");
    if (header.fileBytes > bytes.size())
        fail(ErrorCode::InvalidPlan, "the engine is truncated: it has ", bytes.size(), " bytes of ", header.fileBytes);
    bool const holds = header.dataOffset >= sizeof header && header.dataOffset % kAlignment == 0 &&
                       header.dataOffset <= header.fileBytes && header.jsonBytes <= header.dataOffset - sizeof header;
    if (!holds) fail(ErrorCode::InvalidPlan, "the engine's header contradicts itself");
    return header;
}

/// Appends a part of the container, and zeros up to where the next one begins.
void append(Bytes& file, std::span<std::byte const> part) {
    size_t const at = file.size();
    file.resize(aligned(at + part.size())); // without values
    if (!part.empty()) std::memcpy(file.data() + at, part.data(), part.size());
    std::fill(file.begin() + static_cast<std::ptrdiff_t>(at + part.size()), file.end(), std::byte{0});
}

} // namespace

std::optional<uint64_t> containerBytes(std::span<std::byte const> head) {
    Header header;
    if (head.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, head.data(), sizeof header);
    bool const isOurs = std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 &&
                        header.headerChecksum == checksumOf(header) && header.fileBytes >= sizeof header;
    return isOurs ? std::optional(header.fileBytes) : std::nullopt;
}

uint64_t checksum(std::span<std::byte const> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

int64_t BlobWriter::add(Literal const& literal) {
    std::span const bytes(static_cast<std::byte const*>(literal.data()), literal.bytes());
    return add(Blob{std::make_shared<Literal>(literal), bytes, literal.type(), literal.dims()});
}

int64_t BlobWriter::add(std::span<std::byte const> bytes) {
    return add(Blob{nullptr, bytes, DataType::UInt8, {static_cast<int64_t>(bytes.size())}});
}

int64_t BlobWriter::add(Blob blob) {
    auto const number = static_cast<int64_t>(blobs_.size());
    auto const [place, isNew] = known_.try_emplace({blob.bytes.data(), blob.bytes.size()}, number);
    bool const same = !isNew && blobs_[static_cast<size_t>(place->second)].type == blob.type &&
                      blobs_[static_cast<size_t>(place->second)].dims == blob.dims;
    if (same) return place->second;
    blobs_.push_back(std::move(blob));
    return number;
}

Json BlobWriter::table() const {
    Json table = Json::array();
    size_t offset = 0;
    for (Blob const& blob : blobs_) {
        table.push_back({{"offset", offset},
                         {"bytes", blob.bytes.size()},
                         {"checksum", checksum(blob.bytes)},
                         {"type", nameOf(blob.type)},
                         {"dims", blob.dims.span()}});
        offset = aligned(offset + blob.bytes.size());
    }
    return table;
}

Bytes BlobWriter::finish(Json json) const {
    json["blobs"] = table();
    std::string const header = json.dump();
    Header front{};
    std::memcpy(front.magic, kMagic, sizeof kMagic);
    front.format = kPlanFormat;
    front.jsonBytes = header.size();
    front.jsonChecksum = checksum(std::as_bytes(std::span(header)));
    front.dataOffset = aligned(sizeof front + header.size());
    size_t dataBytes = 0;
    for (Blob const& blob : blobs_) dataBytes = aligned(dataBytes + blob.bytes.size());
    front.fileBytes = front.dataOffset + dataBytes;
    front.headerChecksum = checksumOf(front);

    Bytes file; // written front to back, once
    file.reserve(front.fileBytes);
    append(file, std::as_bytes(std::span(&front, 1)));
    append(file, std::as_bytes(std::span(header)));
    for (Blob const& blob : blobs_) append(file, blob.bytes);
    return file;
}

BlobReader::BlobReader(std::span<std::byte const> bytes, std::shared_ptr<void const> owner) : owner_(std::move(owner)) {
    Header const header = readHeader(bytes);
    format_ = header.format;
    auto const description = bytes.subspan(sizeof header, header.jsonBytes);
    if (checksum(description) != header.jsonChecksum)
        fail(ErrorCode::InvalidPlan, "the engine has been changed: the checksum of its description does not fit");
    std::string_view const text(reinterpret_cast<char const*>(description.data()), description.size());
    json_.emplace(text, "the engine's description");
    if (!json().is_object()) fail(ErrorCode::InvalidPlan, "the engine's description is not a JSON object");
    readTable(bytes.subspan(header.dataOffset, header.fileBytes - header.dataOffset));
}

void BlobReader::readTable(std::span<std::byte const> data) {
    auto const none = [](int64_t) -> Literal { fail(ErrorCode::InvalidPlan, "a blob in the table of blobs"); };
    auto const table = json().find("blobs");
    if (table == json().end() || !table->is_array()) fail(ErrorCode::InvalidPlan, "the engine has no table of blobs");
    for (Json const& row : *table) {
        if (!row.is_object()) fail(ErrorCode::InvalidPlan, "a row of the table of blobs is no object");
        JsonReader fields(row, none);
        int64_t offset = -1;
        int64_t bytes = -1;
        Blob blob{};
        std::vector<int64_t> dims;
        fields("offset", offset);
        fields("bytes", bytes);
        fields("type", blob.type);
        fields("dims", dims);
        blob.dims = Dims(dims);
        blob.checksum = row.value("checksum", uint64_t{0});
        auto const size = static_cast<int64_t>(data.size());
        bool const inside =
            offset >= 0 && bytes >= 0 && offset <= size && bytes <= size - offset && offset % kAlignment == 0;
        bool const positive = std::ranges::all_of(dims, [](int64_t d) { return d >= 0; });
        if (!inside || !positive || bytesOf(blob.type, blob.dims.volume()) != static_cast<size_t>(bytes))
            fail(ErrorCode::InvalidPlan, "blob ", blobs_.size(), " (", blob.type, blob.dims, ", ", bytes, " bytes at ",
                 offset, ") does not fit into the engine's ", size, " bytes of data");
        blob.bytes = data.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
        blobs_.push_back(blob);
    }
}

BlobReader::Blob const& BlobReader::verified(int64_t number) const {
    if (number < 0 || number >= static_cast<int64_t>(blobs_.size()))
        fail(ErrorCode::InvalidPlan, "blob ", number, " is asked for; the engine has ", blobs_.size());
    Blob const& blob = blobs_[static_cast<size_t>(number)];
    if (checksum(blob.bytes) != blob.checksum)
        fail(ErrorCode::InvalidPlan, "the engine has been changed: the checksum of blob ", number, " (", blob.type,
             blob.dims, ") does not fit");
    return blob;
}

Literal BlobReader::literal(int64_t number) const {
    Blob const& blob = verified(number);
    return Literal::borrowed(blob.type, blob.dims, blob.bytes.data(), owner_);
}

std::span<std::byte const> BlobReader::bytes(int64_t number) const { return verified(number).bytes; }

} // namespace tenon
