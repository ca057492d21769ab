// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/blob_store.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/tensor_size.h"
#include "plan/json/graph_json.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

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
    uint8_t apiVersion[3]; // as in TensorRT's plans: major, minor, patch; applications compare it with their headers'
    uint8_t reserved2[5];
    uint64_t jsonChecksum;
    uint64_t dataOffset;
    uint64_t jsonBytes;      // before format 3 at the offset of apiVersion and reserved2
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
            fail(ErrorCode::InvalidPlan, "this engine was built by NVIDIA's TensorRT (it starts with \"", magic,
                 "\"); build it again from the model with Tenon");
    }
    fail(ErrorCode::InvalidPlan, "this is not a Tenon engine: ", bytes.size(),
         " bytes that do not begin with its header");
}

/// Before format 3 that number was at the offset of the API version.
void moveJsonBytes(Header& header) {
    if (header.format < 3) std::memcpy(&header.jsonBytes, header.apiVersion, sizeof header.jsonBytes);
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
        fail(ErrorCode::InvalidPlan, "the engine's header was modified: its checksum does not match");
    if (header.fileBytes > bytes.size())
        fail(ErrorCode::InvalidPlan, "the engine is truncated: it has ", bytes.size(), " bytes of ", header.fileBytes);
    moveJsonBytes(header);
    bool const holds = header.dataOffset >= sizeof header && header.dataOffset % kAlignment == 0 &&
                       header.dataOffset <= header.fileBytes && header.jsonBytes <= header.dataOffset - sizeof header;
    if (!holds) fail(ErrorCode::InvalidPlan, "the engine's header is inconsistent");
    return header;
}

Json orderJson(ElementOrder const& order) {
    return {{"dims", order.dims},
            {"dense", order.dense},
            {"strides", order.strides},
            {"blocks", order.blocks},
            {"blocked", order.blocked}};
}

ElementOrder orderFrom(Json const& json) {
    ElementOrder order;
    JsonReader fields(json, {});
    fields("dims", order.dims);
    fields("dense", order.dense);
    fields("strides", order.strides);
    fields("blocks", order.blocks);
    fields("blocked", order.blocked);
    return order;
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

int64_t BlobWriter::add(std::span<std::byte const> bytes) {
    return add(Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(bytes.size())}, bytes.data(), nullptr));
}

int64_t BlobWriter::add(Literal const& literal) {
    auto const number = static_cast<int64_t>(blobs_.size());
    auto const [place, isNew] = known_.try_emplace({literal.identity(), literal.bytes()}, number);
    if (isNew) return blobs_.push_back({literal}), number;
    Blob const known = blobs_[static_cast<size_t>(place->second)];
    bool const isSameType = known.literal.type() == literal.type();
    if (isSameType && known.literal.dims() == literal.dims()) return place->second;
    blobs_.push_back({literal, isSameType ? known.leftOut : std::nullopt}); // the same bytes in another shape
    return number;
}

void BlobWriter::leaveOut(LeftOut leftOut) {
    Literal const constant = leftOut.elements.constant;
    auto const number = static_cast<int64_t>(blobs_.size());
    if (!known_.try_emplace({constant.identity(), constant.bytes()}, number).second) return;
    blobs_.push_back({constant, std::move(leftOut)});
}

int64_t BlobWriter::addAbsent(Literal const& literal) {
    blobs_.push_back({Literal::absent(literal.type(), literal.dims())});
    return static_cast<int64_t>(blobs_.size()) - 1;
}

std::vector<size_t> BlobWriter::offsets() const {
    std::vector<size_t> offsets{0};
    for (Blob const& blob : blobs_)
        offsets.push_back(blob.isStored() ? aligned(offsets.back() + blob.literal.bytes()) : offsets.back());
    return offsets;
}

std::string BlobWriter::table(std::vector<size_t> const& offsets, std::vector<uint64_t> const& checksums) const {
    JsonList table;
    for (size_t i = 0; i < blobs_.size(); ++i) {
        Literal const& literal = blobs_[i].literal;
        Json row{{"type", nameOf(literal.type())}, {"dims", literal.dims().span()}, {"bytes", literal.bytes()}};
        if (auto const& leftOut = blobs_[i].leftOut) {
            row.update({{"packed_in", leftOut->packed},
                        {"at", leftOut->elements.at},
                        {"order", orderJson(leftOut->elements.order)}});
        } else if (literal.isAbsent()) {
            row["absent"] = true;
        } else {
            row.update({{"offset", offsets[i]}, {"checksum", checksums[i]}});
        }
        table.add(row);
    }
    return std::move(table).take();
}

/// Large ones first, so that no thread is left with one at the end.
std::vector<uint64_t> BlobWriter::write(std::span<std::byte> data, std::vector<size_t> const& offsets) const {
    std::vector<uint64_t> checksums(blobs_.size());
    std::vector<size_t> written;
    for (size_t i = 0; i < blobs_.size(); ++i) {
        if (blobs_[i].isStored()) written.push_back(i);
    }
    std::ranges::stable_sort(written, std::greater(), [&](size_t i) { return blobs_[i].literal.bytes(); });
    parallelTasks(static_cast<int64_t>(written.size()), [&](int64_t task) {
        size_t const i = written[static_cast<size_t>(task)];
        auto const room = data.subspan(offsets[i], offsets[i + 1] - offsets[i]);
        auto const bytes = room.first(blobs_[i].literal.bytes());
        blobs_[i].literal.copyTo(bytes.data());
        std::ranges::fill(room.subspan(bytes.size()), std::byte{0});
        checksums[i] = checksum(bytes);
    });
    return checksums;
}

Bytes BlobWriter::finish(JsonObject json, int64_t apiVersion) const {
    auto const places = offsets();
    json.addText("blobs", "");
    std::string description = std::move(json).take();
    description.pop_back(); // the table and the end of the object follow, when checksums are known
    size_t const mostBytes =
        description.size() + table(places, std::vector<uint64_t>(blobs_.size(), UINT64_MAX)).size() + 1;
    Header front{};
    std::memcpy(front.magic, kMagic, sizeof kMagic);
    front.format = kPlanFormat;
    for (int64_t i = 2, rest = apiVersion; i >= 0; --i, rest /= 100)
        front.apiVersion[i] = static_cast<uint8_t>(i == 0 ? rest : rest % 100);
    front.dataOffset = aligned(sizeof front + mostBytes); // no checksum has more digits
    front.fileBytes = front.dataOffset + places.back();

    Bytes file(front.fileBytes); // without values: each part is written once, at its position
    auto const checksums = write(std::span(file).subspan(front.dataOffset), places);
    (description += table(places, checksums)) += '}';
    front.jsonBytes = description.size();
    front.jsonChecksum = checksum(std::as_bytes(std::span(description)));
    front.headerChecksum = checksumOf(front);
    std::memcpy(file.data(), &front, sizeof front);
    std::memcpy(file.data() + sizeof front, description.data(), description.size());
    std::ranges::fill(std::span(file).first(front.dataOffset).subspan(sizeof front + description.size()), std::byte{0});
    return file;
}

BlobReader::BlobReader(std::span<std::byte const> bytes, std::shared_ptr<void const> owner) : owner_(std::move(owner)) {
    Header const header = readHeader(bytes);
    format_ = header.format;
    auto const description = bytes.subspan(sizeof header, header.jsonBytes);
    if (checksum(description) != header.jsonChecksum)
        fail(ErrorCode::InvalidPlan, "the engine was modified: the checksum of its description does not match");
    std::string_view const text(reinterpret_cast<char const*>(description.data()), description.size());
    json_.emplace(text, "the engine's description");
    if (!json().is_object()) fail(ErrorCode::InvalidPlan, "the engine's description is not a JSON object");
    readTable(bytes.subspan(header.dataOffset, header.fileBytes - header.dataOffset));
}

BlobReader::Blob BlobReader::stored(JsonReader& fields, std::span<std::byte const> data) const {
    int64_t offset = -1;
    int64_t bytes = -1;
    Blob blob;
    std::vector<int64_t> dims;
    fields("offset", offset);
    fields("bytes", bytes);
    fields("type", blob.type);
    fields("dims", dims);
    blob.dims = Dims(dims);
    auto const size = static_cast<int64_t>(data.size());
    bool const inside =
        offset >= 0 && bytes >= 0 && offset <= size && bytes <= size - offset && offset % kAlignment == 0;
    bool const positive = std::ranges::all_of(dims, [](int64_t d) { return d >= 0; });
    if (!inside || !positive || bytesOf(blob.type, blob.dims.volume()) != static_cast<size_t>(bytes))
        fail(ErrorCode::InvalidPlan, "blob ", blobs_.size(), " (", blob.type, blob.dims, ", ", bytes, " bytes at ",
             offset, ") does not fit into the engine's ", size, " bytes of data");
    blob.bytes = data.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
    return blob;
}

BlobReader::Blob BlobReader::absent(JsonReader& fields) const {
    Blob blob;
    std::vector<int64_t> dims;
    fields("type", blob.type);
    fields("dims", dims);
    if (std::ranges::any_of(dims, [](int64_t d) { return d < 0; }))
        fail(ErrorCode::InvalidPlan, "blob ", blobs_.size(), " (", blob.type, Dims(dims),
             "), which was left out, has no size");
    expectHoldable(blob.type, Dims(dims));
    blob.dims = Dims(dims);
    blob.absent = Literal::absent(blob.type, blob.dims);
    return blob;
}

void BlobReader::readTable(std::span<std::byte const> data) {
    auto const none = [](int64_t) -> Literal { fail(ErrorCode::InvalidPlan, "a blob in the table of blobs"); };
    auto const table = json().find("blobs");
    if (table == json().end() || !table->is_array()) fail(ErrorCode::InvalidPlan, "the engine has no table of blobs");
    for (Json const& row : *table) {
        if (!row.is_object()) fail(ErrorCode::InvalidPlan, "a row of the table of blobs is not an object");
        JsonReader fields(row, none);
        if (row.contains("absent"))
            blobs_.push_back(absent(fields));
        else
            blobs_.push_back(row.contains("packed_in") ? Blob{.leftOut = LeftOut{}} : stored(fields, data));
        blobs_.back().checksum = row.value("checksum", uint64_t{0});
    }
    for (size_t i = 0; i < blobs_.size(); ++i) {
        if (blobs_[i].leftOut) readLeftOut((*table)[i], i);
    }
}

void BlobReader::readLeftOut(Json const& row, size_t number) {
    Blob& blob = blobs_[number];
    PackedElements& elements = blob.leftOut->elements;
    JsonReader fields(row, {});
    std::vector<int64_t> dims;
    fields("type", blob.type);
    fields("dims", dims);
    blob.dims = Dims(dims);
    elements.at = integerAt(row, "at", 0, INT64_MAX);
    elements.order = orderFrom(tenon::at(row, "order"));
    blob.leftOut->packed = integerAt(row, "packed_in", 0, static_cast<int64_t>(blobs_.size()) - 1);
    Blob const& from = blobs_[static_cast<size_t>(blob.leftOut->packed)];
    auto const room = static_cast<int64_t>(from.bytes.size()) - elements.at;
    int64_t const width = bitsOf(blob.type) / 8;
    bool const positive = std::ranges::all_of(dims, [](int64_t d) { return d >= 0; });
    bool const fits = !from.leftOut && !from.absent && room > 0 && width > 0 && positive &&
                      isWithin(elements.order, blob.dims.volume(), room / width);
    if (!fits)
        fail(ErrorCode::InvalidPlan, "blob ", number, " (", blob.type, blob.dims, ") is not within blob ",
             blob.leftOut->packed, ", from which it is restored");
    auto const copy = from.bytes.subspan(static_cast<size_t>(elements.at));
    size_t const bytes = bytesOf(blob.type, blob.dims.volume());
    elements.constant = Literal::later(blob.type, blob.dims,
                                       [copy, bytes, width, order = elements.order, owner = owner_](std::byte* to) {
                                           restore(order, static_cast<size_t>(width), copy, {to, bytes});
                                       });
}

BlobReader::Blob const& BlobReader::at(int64_t number) const {
    if (number < 0 || number >= static_cast<int64_t>(blobs_.size()))
        fail(ErrorCode::InvalidPlan, "blob ", number, " is requested; the engine has ", blobs_.size());
    return blobs_[static_cast<size_t>(number)];
}

bool BlobReader::fits(int64_t number) const {
    Blob const& blob = at(number);
    if (blob.leftOut || blob.absent) return true;
    return fits_.empty() ? checksum(blob.bytes) == blob.checksum : fits_[static_cast<size_t>(number)] != 0;
}

BlobReader::Blob const& BlobReader::verified(int64_t number) const {
    Blob const& blob = at(number);
    if (!fits(number))
        fail(ErrorCode::InvalidPlan, "the engine was modified: the checksum of blob ", number, " (", blob.type,
             blob.dims, ") does not match");
    return blob;
}

void BlobReader::verify() const {
    parallelTasks(static_cast<int64_t>(blobs_.size()), [&](int64_t number) { bytes(number); });
}

void BlobReader::compareChecksums() {
    std::vector<char> found(blobs_.size());
    parallelTasks(static_cast<int64_t>(blobs_.size()),
                  [&](int64_t number) { found[static_cast<size_t>(number)] = fits(number) ? 1 : 0; });
    fits_ = std::move(found);
}

Literal BlobReader::literal(int64_t number) const {
    Blob const& blob = verified(number);
    if (blob.absent) return *blob.absent;
    if (blob.leftOut) return verified(blob.leftOut->packed), blob.leftOut->elements.constant;
    return Literal::borrowed(blob.type, blob.dims, blob.bytes.data(), owner_);
}

std::vector<PackedElements> BlobReader::elementsIn(int64_t number) const {
    std::vector<PackedElements> elements;
    for (Blob const& blob : blobs_) {
        if (blob.leftOut && blob.leftOut->packed == number) elements.push_back(blob.leftOut->elements);
    }
    return elements;
}

std::span<std::byte const> BlobReader::bytes(int64_t number) const { return verified(number).bytes; }

LeftOut const* BlobReader::leftOut(int64_t number) const {
    auto const& leftOut = at(number).leftOut;
    return leftOut ? &*leftOut : nullptr;
}

} // namespace tenon
