// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

#include <memory>
#include <span>
#include <vector>

namespace tenon {

/// A view of a dense row-major tensor in host memory. Owns nothing.
struct HostTensor {
    DataType type = DataType::Float32;
    Dims dims;
    void* data = nullptr;

    template <class T> std::span<T> as() const { return {static_cast<T*>(data), static_cast<size_t>(dims.volume())}; }
    size_t bytes() const { return bytesOf(type, dims.volume()); }
};

/// An immutable dense row-major tensor in host memory. Copies share the bytes, which are 64-byte aligned
/// unless they were borrowed.
class Literal {
public:
    Literal() = default;
    static Literal copyOf(DataType type, Dims const& dims, void const* data);
    /// Shares `data`, which stays as it is while `owner` lives.
    static Literal borrowed(DataType type, Dims const& dims, void const* data, std::shared_ptr<void const> owner);

    template <class T> static Literal of(Dims const& dims, std::vector<T> const& values) {
        return copyOf(kTypeOf<T>, dims, values.data());
    }
    template <class T> static Literal scalar(T value) { return copyOf(kTypeOf<T>, {}, &value); }

    DataType type() const { return type_; }
    Dims const& dims() const { return dims_; }
    void const* data() const { return data_; }
    size_t bytes() const { return bytesOf(type_, dims_.volume()); }
    /// The bytes belong to the caller, who keeps them as long as agreed.
    bool isLent() const { return data_ != nullptr && owner_ == nullptr; }

    template <class T> std::span<T const> as() const {
        return {static_cast<T const*>(data_), static_cast<size_t>(dims_.volume())};
    }
    /// The elements as int64 or float, converted from whatever type is held.
    std::vector<int64_t> toInt64() const;
    std::vector<float> toFloat() const;
    /// A view for the reference kernels, which read their inputs only.
    HostTensor view() const { return {type_, dims_, const_cast<void*>(data_)}; }
    Literal reshaped(Dims const& dims) const;

    friend bool operator==(Literal const& a, Literal const& b);

private:
    DataType type_ = DataType::Float32;
    Dims dims_;
    void const* data_ = nullptr;
    std::shared_ptr<void const> owner_;
};

/// Writable host memory, 64-byte aligned (and at least 64 bytes), freed with the last owner.
std::shared_ptr<void> allocateHost(size_t bytes);

} // namespace tenon
