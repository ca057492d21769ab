// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/sampled_copy.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

constexpr int64_t kLongRun = 32; // bytes from which a memcpy call pays

template <int kBytes> struct Pixel { std::byte bytes[kBytes]; };

template <class T> void copyEach(std::vector<int64_t> const& table, std::byte const* from, std::byte* to) {
    for (size_t i = 0; i < table.size(); ++i) std::memcpy(to + i * sizeof(T), from + table[i], sizeof(T));
}

} // namespace

std::vector<MemoryAxis> memoryAxes(Dims const& dims, Format const& format) {
    std::vector<MemoryAxis> axes;
    bool const blocked = !format.channelsLast && format.block != 1;
    auto const padded = [&](int axis) {
        return format.isLinear() || axis != format.axis ? dims[axis]
                                                        : (dims[axis] + format.block - 1) / format.block * format.block;
    };
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (!format.channelsLast || axis != format.axis)
            axes.push_back({axis, blocked && axis == format.axis ? padded(axis) / format.block : padded(axis), 1});
    }
    if (format.channelsLast) axes.push_back({format.axis, padded(format.axis), 1});
    if (blocked) axes.push_back({MemoryAxis::kLanes, format.block, 1});
    for (size_t i = axes.size(); i-- > 1;) axes[i - 1].stride = axes[i].stride * axes[i].extent;
    return axes;
}

SampledCopy::SampledCopy(std::vector<std::vector<int64_t>> tables, size_t elementBytes)
    : tables_(std::move(tables)), elementBytes_(static_cast<int64_t>(elementBytes)), pixelBytes_(elementBytes_) {
    for (auto& table : tables_) {
        for (int64_t& offset : table) offset = offset == kNowhere ? kNowhere : offset * elementBytes_;
    }
    foldInnermost();
    rows_ = 1;
    for (size_t i = 0; i + 1 < tables_.size(); ++i) rows_ *= static_cast<int64_t>(tables_[i].size());
    rowBytes_ = static_cast<int64_t>(tables_.back().size()) * pixelBytes_;
    findRuns();
}

/// An innermost axis that is read in order, without gaps, becomes one longer pixel.
void SampledCopy::foldInnermost() {
    while (!tables_.empty()) {
        auto const& last = tables_.back();
        bool together = !last.empty();
        for (size_t i = 0; together && i < last.size(); ++i)
            together = last[i] != kNowhere && last[i] == last[0] + static_cast<int64_t>(i) * pixelBytes_;
        if (!together) break;
        base_ += last[0];
        pixelBytes_ *= static_cast<int64_t>(last.size());
        tables_.pop_back();
    }
    constexpr int64_t kLongPixel = 4096; // worth a row, and so a thread, of its own
    if (tables_.empty() || pixelBytes_ >= kLongPixel) tables_.push_back({0});
}

void SampledCopy::findRuns() {
    auto const& last = tables_.back();
    for (size_t i = 0; i < last.size(); ++i) {
        int64_t const at = static_cast<int64_t>(i) * pixelBytes_;
        bool const goesOn =
            !runs_.empty() &&
            (last[i] == kNowhere ? runs_.back().from == kNowhere
                                 : runs_.back().from != kNowhere && runs_.back().from + runs_.back().bytes == last[i]);
        if (goesOn) {
            runs_.back().bytes += pixelBytes_;
        } else {
            runs_.push_back({at, last[i], pixelBytes_});
        }
    }
    bool const filled = std::ranges::count(last, kNowhere) != 0;
    bool const known = pixelBytes_ <= 64 && (pixelBytes_ & (pixelBytes_ - 1)) == 0;
    bool const isLong = rowBytes_ >= kLongRun * static_cast<int64_t>(runs_.size()) &&
                        pixelBytes_ * 2 * static_cast<int64_t>(runs_.size()) <= rowBytes_;
    if (known && !filled && !isLong) runs_.clear();
}

void SampledCopy::fillRun(std::byte* to, std::byte const* fill, int64_t bytes) const {
    for (int64_t at = 0; at < bytes; at += elementBytes_)
        std::memcpy(to + at, fill, static_cast<size_t>(elementBytes_));
}

void SampledCopy::copyRow(std::byte const* from, std::byte* to, std::byte const* fill) const {
    for (Run const& run : runs_) {
        if (run.from == kNowhere) {
            fillRun(to + run.to, fill, run.bytes);
        } else {
            std::memcpy(to + run.to, from + run.from, static_cast<size_t>(run.bytes));
        }
    }
    if (!runs_.empty()) return;
    auto const& table = tables_.back();
    switch (pixelBytes_) {
    case 1: return copyEach<Pixel<1>>(table, from, to);
    case 2: return copyEach<Pixel<2>>(table, from, to);
    case 4: return copyEach<Pixel<4>>(table, from, to);
    case 8: return copyEach<Pixel<8>>(table, from, to);
    case 16: return copyEach<Pixel<16>>(table, from, to);
    case 32: return copyEach<Pixel<32>>(table, from, to);
    case 64: return copyEach<Pixel<64>>(table, from, to);
    }
}

void SampledCopy::copyRows(std::byte const* from, std::byte* to, std::byte const* fill, int64_t begin,
                           int64_t end) const {
    std::byte const* before = nullptr; // the source of the previous row
    for (int64_t row = begin; row < end; ++row) {
        int64_t offset = base_;
        bool nowhere = false;
        int64_t rest = row;
        for (size_t axis = tables_.size() - 1; axis-- > 0;) {
            auto const extent = static_cast<int64_t>(tables_[axis].size());
            int64_t const at = tables_[axis][static_cast<size_t>(rest % extent)];
            nowhere |= at == kNowhere;
            offset += at;
            rest /= extent;
        }
        std::byte* const target = to + row * rowBytes_;
        if (nowhere) {
            fillRun(target, fill, rowBytes_);
            before = nullptr;
        } else if (from + offset == before) { // as in upsampled images
            std::memcpy(target, target - rowBytes_, static_cast<size_t>(rowBytes_));
        } else {
            copyRow(from + offset, target, fill);
            before = from + offset;
        }
    }
}

void SampledCopy::run(void const* from, void* to, void const* fill) const {
    if (rows_ * rowBytes_ == 0) return;
    parallelFor(rows_, std::max<int64_t>(1, kCopyGrain / rowBytes_), [&](int64_t begin, int64_t end) {
        copyRows(static_cast<std::byte const*>(from), static_cast<std::byte*>(to), static_cast<std::byte const*>(fill),
                 begin, end);
    });
}

} // namespace tenon::cpu
