// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace tenon {

/// The extents of a tensor whose shape is known: at most 8 axes, as in the public API.
class Dims {
public:
    static constexpr int kMaxRank = 8;

    Dims() = default;
    Dims(std::initializer_list<int64_t> extents) : Dims(std::span(extents.begin(), extents.size())) {}
    explicit Dims(std::span<int64_t const> extents);
    static Dims filled(int rank, int64_t extent);

    int rank() const { return rank_; }
    int64_t& operator[](int axis) { return extents_[static_cast<size_t>(axis)]; }
    int64_t operator[](int axis) const { return extents_[static_cast<size_t>(axis)]; }
    int64_t const* begin() const { return extents_.data(); }
    int64_t const* end() const { return extents_.data() + rank_; }
    int64_t* begin() { return extents_.data(); }
    int64_t* end() { return extents_.data() + rank_; }
    std::span<int64_t const> span() const { return {begin(), end()}; }
    void push(int64_t extent);

    /// The product of all extents, 1 for a scalar; throws an Error if it overflows.
    int64_t volume() const { return volume(0, rank_); }
    /// The product of the extents of axes [from, to).
    int64_t volume(int from, int to) const;

    friend bool operator==(Dims const& a, Dims const& b);

private:
    int rank_ = 0;
    std::array<int64_t, kMaxRank> extents_{};
};

void append(std::string& to, Dims const& dims); // [1,3,224,224]

/// The number of elements between neighbors along each axis of a dense row-major tensor.
Dims rowMajorStrides(Dims const& dims);
/// The strides that read `from` with the shape `to` (numpy broadcasting): 0 along broadcast axes.
Dims broadcastStrides(Dims const& from, Dims const& to);
/// Advances `index` to the next element in row-major order; false after the last one.
bool nextIndex(Dims& index, Dims const& dims);
/// Maps an axis in [-rank, rank) to [0, rank); throws an Error that names both otherwise.
int resolveAxis(int64_t axis, int rank);

} // namespace tenon
