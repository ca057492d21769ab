// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Messages in protobuf's formats, read into plain structs. An application may bring any version of protobuf and of
/// ONNX's classes, and the dynamic linker would bind the library's references to its symbols: so the library has none.
namespace tenon::pb {

struct MessageType;

/// Bytes that may be many. Bytes read from a binary file are a view of it; the reader's caller keeps the file.
struct LongBytes {
    std::string_view bytes;
    std::shared_ptr<std::string const> own; // null: the file's
};

/// The maximum nesting of messages; protobuf's own readers have the same limit. Reading is recursive.
constexpr int kMostDeep = 100;

/// An object that a message is read into.
struct Target {
    void* object = nullptr;
    MessageType const* type = nullptr; // null: the contents of the message are skipped
};

enum class Kind { Integer, Real, Bytes, Message };

/// One field of a message: its number in binary files, its name in text files, and its destination.
struct Field {
    int number = 0;
    std::string_view name;
    Kind kind = Kind::Bytes;
    bool repeated = false;
    // exactly one of these is set, by kind; none for an ignored field
    void (*addInteger)(void* message, uint64_t value) = nullptr;
    void (*addReals)(void* message, std::span<std::byte const> values) = nullptr;
    void (*addBytes)(void* message, std::string_view value) = nullptr;
    void (*lendBytes)(void* message, std::string_view value) = nullptr; // for LongBytes: `value` is not copied
    Target (*open)(void* message) = nullptr;

    size_t width = 0; // of a Real, in bytes
    int64_t least = 0;
    uint64_t most = 0;                         // of an Integer
    std::span<std::string_view const> names{}; // names of an Integer's values, from 0 on
    bool isBoolean = false;                    // the names alternate between 0 and 1

    bool isRead() const { return addInteger || addReals || addBytes || open; }
};

struct MessageType {
    std::string_view name;
    std::span<Field const> fields;

    Field const* find(int number) const;
    Field const* find(std::string_view name) const;
};

/// Reads protobuf's binary format. An Error says where it is malformed; unknown fields are logged, each once. LongBytes
/// are parts of `bytes`.
void readBinary(std::span<std::byte const> bytes, Target message, Log const& log);
/// Reads protobuf's text format. An Error gives line and column.
void readText(std::string_view text, Target message);

/// Each message class has its MessageType as kType.
template <class M> Target target(M& message) { return {&message, &M::kType}; }

// ---- how a member becomes a field

template <class T> struct Member {
    using Value = T;
    static constexpr bool kRepeated = false;
    static T& next(T& member) { return member; }
};
template <class T> struct Member<std::optional<T>> {
    using Value = T;
    static constexpr bool kRepeated = false;
    static T& next(std::optional<T>& member) { return member ? *member : member.emplace(); }
};
template <class T> struct Member<std::shared_ptr<T>> { // of a message that contains others of its own type
    using Value = T;
    static constexpr bool kRepeated = false;
    static T& next(std::shared_ptr<T>& member) {
        if (!member) member = std::make_shared<T>();
        return *member;
    }
};
template <class T> struct Member<std::vector<T>> {
    using Value = T;
    static constexpr bool kRepeated = true;
    static T& next(std::vector<T>& member) { return member.emplace_back(); }
};

template <class M, class T> M messageOf(T M::*);
template <class M, class T> T memberOf(T M::*);

template <auto member> struct Access {
    using Message = decltype(messageOf(member));
    using Whole = Member<decltype(memberOf(member))>;
    using Value = typename Whole::Value;

    static auto& whole(void* message) { return static_cast<Message*>(message)->*member; }
    static void addInteger(void* message, uint64_t value) { Whole::next(whole(message)) = static_cast<Value>(value); }
    static void addBytes(void* message, std::string_view value) {
        if constexpr (std::is_same_v<Value, LongBytes>) {
            auto const own = std::make_shared<std::string const>(value);
            Whole::next(whole(message)) = {*own, own};
        } else {
            Whole::next(whole(message)) = value;
        }
    }
    static void lendBytes(void* message, std::string_view value) { Whole::next(whole(message)) = {value, nullptr}; }
    static void addReals(void* message, std::span<std::byte const> values) {
        if (values.empty()) return;
        if constexpr (Whole::kRepeated) {
            auto& all = whole(message);
            size_t const before = all.size();
            all.resize(before + values.size() / sizeof(Value));
            std::memcpy(all.data() + before, values.data(), values.size());
        } else {
            std::memcpy(&Whole::next(whole(message)), values.data(), sizeof(Value));
        }
    }
    static Target open(void* message) {
        if constexpr (std::is_same_v<Value, bool>) {
            whole(message) = true;
            return {};
        } else {
            return target(Whole::next(whole(message)));
        }
    }
};

/// A field that is read into `member`; if that is a bool: whether the field is present.
template <auto member> constexpr Field field(int number, std::string_view name) {
    using A = Access<member>;
    using Value = typename A::Value;
    Field field{.number = number, .name = name, .repeated = A::Whole::kRepeated || std::is_same_v<Value, bool>};
    if constexpr (std::is_same_v<Value, LongBytes>) {
        field.addBytes = A::addBytes;
        field.lendBytes = A::lendBytes;
    } else if constexpr (std::is_same_v<Value, std::string>) {
        field.addBytes = A::addBytes;
    } else if constexpr (std::is_floating_point_v<Value>) {
        field.kind = Kind::Real;
        field.addReals = A::addReals;
        field.width = sizeof(Value);
    } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
        field.kind = Kind::Integer;
        field.addInteger = A::addInteger;
        field.least = std::numeric_limits<Value>::min();
        field.most = std::numeric_limits<Value>::max();
    } else {
        field.kind = Kind::Message;
        field.open = A::open;
    }
    return field;
}

/// A field whose values have names, from 0 on.
template <auto member>
constexpr Field field(int number, std::string_view name, std::span<std::string_view const> names) {
    Field named = field<member>(number, name);
    named.names = names;
    return named;
}

/// A boolean field of an integer member.
inline constexpr std::array<std::string_view, 6> kBooleans{"false", "true", "False", "True", "f", "t"};
template <auto member> constexpr Field boolean(int number, std::string_view name) {
    Field flag = field<member>(number, name, kBooleans);
    flag.least = 0;
    flag.most = 1;
    flag.isBoolean = true;
    return flag;
}

/// A field that does not affect what a model computes.
constexpr Field unread(int number, std::string_view name) { return {.number = number, .name = name}; }

} // namespace tenon::pb
