// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/literal.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/small_types.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>

namespace tenon {
namespace {

template <class To> std::vector<To> converted(Literal const& literal) {
    if (isSmall(literal.type())) {
        std::vector<To> values;
        for (int64_t i = 0; i < literal.dims().volume(); ++i)
            values.push_back(static_cast<To>(smallElement(literal.type(), literal.data(), i)));
        return values;
    }
    return dispatch(literal.type(), [&]<class T>(TypeTag<T>) {
        std::vector<To> values;
        for (T const value : literal.as<T>()) values.push_back(static_cast<To>(value));
        return values;
    });
}

} // namespace

std::shared_ptr<void> allocateHost(size_t bytes) {
    if (bytes > SIZE_MAX - 128) fail(ErrorCode::Memory, "cannot allocate ", bytes, " bytes");
    // Each run reads all weights: with pages of 4 KiB that takes two to three times as long.
    constexpr size_t kLargePage = 2 << 20;
    bool const isLarge = bytes >= kLargePage;
    size_t const alignment = isLarge ? kLargePage : 64;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, (bytes / 64 + 1) * 64) != 0)
        fail(ErrorCode::Memory, "cannot allocate ", bytes, " bytes of host memory");
    if (isLarge) madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
    return {memory, std::free};
}

struct Literal::Later {
    Fill fill;                                   // null for absent bytes
    std::shared_ptr<void const> found = nullptr; // the bytes at an unaligned address
    std::once_flag once;
    std::shared_ptr<void> memory = nullptr;
};

Literal Literal::later(DataType type, Dims const& dims, Fill fill) {
    Literal literal;
    literal.type_ = type;
    literal.dims_ = dims;
    literal.later_ = std::make_shared<Later>(std::move(fill));
    return literal;
}

Literal Literal::anywhere(DataType type, Dims const& dims, void const* data, std::shared_ptr<void const> owner) {
    auto const width = static_cast<uintptr_t>(bitsOf(type)) / 8;
    if (width <= 1 || reinterpret_cast<uintptr_t>(data) % width == 0)
        return borrowed(type, dims, data, std::move(owner));
    size_t const bytes = bytesOf(type, dims.volume());
    std::shared_ptr<void const> const found(std::move(owner), data);
    Literal literal = later(type, dims, [found, bytes](std::byte* to) {
        copyBytes(to, static_cast<std::byte const*>(found.get()), bytes);
    });
    literal.later_->found = found;
    return literal;
}

std::span<std::byte const> Literal::found() const {
    void const* const at = later_ ? later_->found.get() : data_;
    return {static_cast<std::byte const*>(at), at ? bytes() : 0};
}

bool Literal::isLent() const {
    bool const isFound = later_ && later_->found;
    return isFound ? later_->found.use_count() == 0 : data_ != nullptr && owner_ == nullptr;
}

bool Literal::isAbsent() const { return later_ && !later_->fill; }

void const* Literal::made() const {
    std::call_once(later_->once, [&] {
        auto memory = allocateHost(isAbsent() ? 0 : bytes());
        copyTo(static_cast<std::byte*>(memory.get()));
        later_->memory = std::move(memory);
    });
    return later_->memory.get();
}

Literal Literal::present() const {
    if (!later_) return *this;
    auto memory = allocateHost(bytes());
    copyTo(static_cast<std::byte*>(memory.get()));
    return borrowed(type_, dims_, memory.get(), memory);
}

void Literal::copyTo(std::byte* to) const {
    if (isAbsent())
        fail(ErrorCode::InvalidState, "weights ", type_, dims_,
             " are not in the engine (BuilderFlag::kSTRIP_PLAN); "
             "refit them with IRefitter first");
    if (later_) return later_->fill(to);
    copyBytes(to, static_cast<std::byte const*>(data_), bytes());
}

Literal Literal::copyOf(DataType type, Dims const& dims, void const* data) {
    auto const memory = copied({static_cast<std::byte const*>(data), bytesOf(type, dims.volume())});
    return borrowed(type, dims, memory.get(), memory);
}

Literal Literal::borrowed(DataType type, Dims const& dims, void const* data, std::shared_ptr<void const> owner) {
    Literal literal;
    literal.type_ = type;
    literal.dims_ = dims;
    literal.data_ = data;
    literal.owner_ = std::move(owner);
    return literal;
}

std::vector<int64_t> Literal::toInt64() const { return converted<int64_t>(*this); }
std::vector<float> Literal::toFloat() const { return converted<float>(*this); }

Literal Literal::reshaped(Dims const& dims) const {
    if (dims.volume() != dims_.volume()) fail(ErrorCode::Internal, "a literal ", dims_, " reshaped to ", dims);
    Literal literal = *this;
    literal.dims_ = dims;
    return literal;
}

bool operator==(Literal const& a, Literal const& b) {
    if (a.type_ != b.type_ || a.dims_ != b.dims_) return false;
    if (a.identity() == b.identity()) return true;
    return !a.isAbsent() && !b.isAbsent() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

} // namespace tenon
