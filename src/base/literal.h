// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tenon {

/// A non-owning view of a dense row-major tensor in host memory.
struct HostTensor {
    DataType type = DataType::Float32;
    Dims dims;
    void* data = nullptr;

    template <class T> std::span<T> as() const { return {static_cast<T*>(data), static_cast<size_t>(dims.volume())}; }
    size_t bytes() const { return bytesOf(type, dims.volume()); }
};

/// An immutable dense row-major tensor in host memory. Copies share the bytes, which are 64-byte aligned unless they
/// were borrowed. Thread-safe.
class Literal {
public:
    /// Writes all bytes of a literal to `to`, of any alignment; every call writes the same bytes.
    using Fill = std::function<void(std::byte* to)>;

    Literal() = default;
    static Literal copyOf(DataType type, Dims const& dims, void const* data);
    /// Shares `data`, which must stay unchanged while `owner` lives.
    static Literal borrowed(DataType type, Dims const& dims, void const* data, std::shared_ptr<void const> owner);

    /// Like borrowed(), but from any address: if it is not aligned for this type, the elements are copied on first
    /// access.
    static Literal anywhere(DataType type, Dims const& dims, void const* data, std::shared_ptr<void const> owner);
    /// A literal whose bytes are made on first access: large weights are in memory once, where they are needed, and not
    /// at all if nothing reads them.
    static Literal later(DataType type, Dims const& dims, Fill fill);

    /// A literal without bytes: accessing them is an Error.
    static Literal absent(DataType type, Dims const& dims) { return later(type, dims, nullptr); }

    template <class T> static Literal of(Dims const& dims, std::vector<T> const& values) {
        return copyOf(kTypeOf<T>, dims, values.data());
    }
    template <class T> static Literal scalar(T value) { return copyOf(kTypeOf<T>, {}, &value); }

    DataType type() const { return type_; }
    Dims const& dims() const { return dims_; }
    /// Bytes that are made for this call stay as long as any copy of the literal.
    void const* data() const { return later_ ? made() : data_; }
    size_t bytes() const { return bytesOf(type_, dims_.volume()); }
    /// Bytes that are made for this call are freed with the last copy of the result.
    Literal present() const;
    /// The stored bytes, of any alignment; empty if they are yet to be made.
    std::span<std::byte const> found() const;
    /// Writes the bytes to `to` and keeps none.
    void copyTo(std::byte* to) const;
    /// Whether the literal has a value.
    explicit operator bool() const { return data_ != nullptr || later_ != nullptr; }
    bool isAbsent() const;
    /// An identity that is equal for literals that share their bytes.
    void const* identity() const { return later_ ? static_cast<void const*>(later_.get()) : data_; }
    /// Whether the bytes belong to the caller, who keeps them as long as agreed.
    bool isLent() const;

    template <class T> std::span<T const> as() const {
        return {static_cast<T const*>(data()), static_cast<size_t>(dims_.volume())};
    }
    /// The elements as int64 or float, converted from the literal's type.
    std::vector<int64_t> toInt64() const;
    std::vector<float> toFloat() const;
    /// A view for the reference kernels, which only read their inputs.
    HostTensor view() const { return {type_, dims_, const_cast<void*>(data())}; }
    Literal reshaped(Dims const& dims) const;

    /// An absent literal is equal only to its copies.
    friend bool operator==(Literal const& a, Literal const& b);

private:
    struct Later;
    void const* made() const;

    DataType type_ = DataType::Float32;
    Dims dims_;
    void const* data_ = nullptr;
    std::shared_ptr<void const> owner_;
    std::shared_ptr<Later> later_; // null: the bytes are at data_
};

/// Writable, uninitialized host memory, 64-byte aligned (and at least 64 bytes), freed with the last owner.
std::shared_ptr<void> allocateHost(size_t bytes);

} // namespace tenon
