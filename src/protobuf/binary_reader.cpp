// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "protobuf/message.h"

#include <set>

namespace tenon::pb {
namespace {

/// How the value of a field is stored: the low three bits of its tag.
enum class Wire : uint8_t { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

class Reader {
public:
    Reader(std::span<std::byte const> bytes, Log const& log) : bytes_(bytes), log_(log) {}

    void read(Target target) {
        message(target, bytes_.size());
        for (auto const& [type, number] : newer_)
            say(log_, Severity::Warning, text("field ", number, " of ", type->name, " is unknown and ignored"));
    }

private:
    void message(Target target, size_t end) {
        last_ = "the start";
        while (at_ < end) {
            start_ = at_;
            uint64_t const tag = varint(end).value_or(0);
            auto const wire = static_cast<Wire>(tag & 7U);
            bool const isWire =
                wire == Wire::Varint || wire == Wire::Fixed64 || wire == Wire::Length || wire == Wire::Fixed32;
            if (tag >> 3U == 0 || tag >> 3U > INT32_MAX || !isWire) failNoField();
            field(target, static_cast<int>(tag >> 3U), wire, end);
        }
    }

    void field(Target target, int number, Wire wire, size_t end) {
        Field const* const field = target.type->find(number);
        if (!field) {
            newer_.emplace(target.type, number);
            skip(text(number), wire, end);
            return;
        }
        path_.push_back(field->name);
        if (field->isRead()) {
            value(target.object, *field, wire, end);
        } else {
            skip(joined(path_, "."), wire, end);
        }
        last_ = field->name;
        path_.pop_back();
    }

    void value(void* object, Field const& field, Wire wire, size_t end) {
        switch (wire) {
        case Wire::Varint:
            if (field.kind != Kind::Integer) failKind();
            if (auto const value = varint(end)) return field.addInteger(object, *value);
            failEnd(end);
        case Wire::Fixed64: return real(object, field, 8, end);
        case Wire::Fixed32: return real(object, field, 4, end);
        case Wire::Length: return lengthDelimited(object, field, take(length(end), end));
        }
    }

    void real(void* object, Field const& field, size_t width, size_t end) {
        if (field.kind != Kind::Real || field.width != width) failKind();
        field.addReals(object, take(width, end));
    }

    void lengthDelimited(void* object, Field const& field, std::span<std::byte const> part) {
        switch (field.kind) {
        case Kind::Bytes: return bytes(object, field, {reinterpret_cast<char const*>(part.data()), part.size()});
        case Kind::Message: return inner(field.open(object), part.size());
        case Kind::Integer: return packedIntegers(object, field, part.size());
        case Kind::Real:
            if (!field.repeated || part.size() % field.width != 0) failKind();
            return field.addReals(object, part);
        }
    }

    static void bytes(void* object, Field const& field, std::string_view part) {
        (field.lendBytes ? field.lendBytes : field.addBytes)(object, part);
    }

    void inner(Target target, size_t size) {
        if (!target.type) return; // only its presence counts
        if (path_.size() > static_cast<size_t>(kMostDeep))
            fail(ErrorCode::InvalidModel, "its messages are nested more than ", kMostDeep,
                 " deep; nested graphs are supported down to ", kMostDeep / 3);
        size_t const end = at_;
        at_ -= size;
        size_t const start = start_;
        message(target, end);
        start_ = start;
    }

    void packedIntegers(void* object, Field const& field, size_t size) {
        if (!field.repeated) failKind();
        size_t const end = at_;
        at_ -= size;
        while (at_ < end) {
            auto const value = varint(end);
            if (!value) failEnd(end);
            field.addInteger(object, *value);
        }
    }

    void skip(std::string const& name, Wire wire, size_t end) {
        switch (wire) {
        case Wire::Varint:
            if (!varint(end)) failEnd(end, name);
            return;
        case Wire::Fixed64: take(8, end, name); return;
        case Wire::Fixed32: take(4, end, name); return;
        case Wire::Length: take(length(end, name), end, name); return;
        }
    }

    /// nullopt if it does not end before `end`.
    std::optional<uint64_t> varint(size_t end) {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 70 && at_ < end; shift += 7) {
            auto const byte = std::to_integer<uint64_t>(bytes_[at_++]);
            if (shift < 64) value |= (byte & 0x7fU) << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    size_t length(size_t end, std::string const& name = {}) {
        auto const length = varint(end);
        if (!length) failEnd(end, name);
        return *length;
    }

    std::span<std::byte const> take(size_t size, size_t end, std::string const& name = {}) {
        if (size > end - at_) failEnd(end, name);
        at_ += size;
        return bytes_.subspan(at_ - size, size);
    }

    [[noreturn]] void failNoField() const {
        std::string const where = path_.empty() ? "" : text("in its field '", joined(path_, "."), "', ");
        fail(ErrorCode::InvalidModel, where, "after ", last_, ", byte ", start_,
             " does not start a known field: another kind of file, or damaged");
    }

    [[noreturn]] void failEnd(size_t end, std::string const& name = {}) const {
        bool const isLast = end == bytes_.size();
        fail(ErrorCode::InvalidModel, "its field '", name.empty() ? joined(path_, ".") : name, "', from byte ", start_,
             " on, extends beyond the end ", isLast ? "" : "of its message ", "at ", end, ": ",
             isLast ? "the file is truncated or damaged; get it again" : "damaged; get it again");
    }

    [[noreturn]] void failKind() const {
        fail(ErrorCode::InvalidModel, "its field '", joined(path_, "."), "', at byte ", start_,
             ", has another wire type than its kind: damaged; get it again");
    }

    std::span<std::byte const> bytes_;
    Log const& log_;
    size_t at_ = 0;
    size_t start_ = 0; // of the current field
    std::string_view last_;
    std::vector<std::string_view> path_;
    std::set<std::pair<MessageType const*, int>> newer_;
};

} // namespace

void readBinary(std::span<std::byte const> bytes, Target message, Log const& log) { Reader(bytes, log).read(message); }

} // namespace tenon::pb
