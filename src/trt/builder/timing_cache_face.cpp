// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/timing_cache_face.h"

#include "trt/edge/host_memory.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

namespace tenon::trt {
namespace {

TimingCache::Key fromApi(nvinfer1::TimingCacheKey const& key) { return std::to_array(key.data); }

} // namespace

TimingCacheFace::TimingCacheFace(Reporter const& reporter, std::string const& device, void const* blob, size_t size)
    : reporter_(reporter), core_(std::make_shared<TimingCache>(device)) {
    if (size == 0) return;
    if (blob == nullptr) fail(ErrorCode::InvalidArgument, "blob is null and size is ", size);
    core_ = TimingCache::read({static_cast<char const*>(blob), size});
}

TimingCacheFace::TimingCacheFace(TimingCacheFace const& other)
    : ITimingCache(), reporter_(other.reporter_), core_(other.core_), original_(other.linked_.link()) {}

TimingCacheFace const* TimingCacheFace::original() const {
    TimingCacheFace const* const original = original_.get();
    return original ? original : this;
}

void TimingCacheFace::expectDevice(std::string const& device) const {
    if (core_->device() != device)
        fail(ErrorCode::InvalidArgument, "the timing cache was measured on ", core_->device(), ", but this is ", device,
             "; start with an empty one, or use its times with ignoreMismatch");
}

nvinfer1::IHostMemory* TimingCacheFace::serialize() const noexcept {
    return guarded(reporter_, "ITimingCache::serialize", [&]() -> nvinfer1::IHostMemory* {
        std::string const written = core_->write();
        auto const bytes = std::as_bytes(std::span(written));
        return std::make_unique<HostMemory>(Bytes(bytes.begin(), bytes.end())).release();
    });
}

bool TimingCacheFace::combine(nvinfer1::ITimingCache const& inputCache, bool ignoreMismatch) noexcept {
    return guarded(reporter_, "ITimingCache::combine", [&] {
        auto const& other = static_cast<TimingCacheFace const&>(inputCache);
        if (!ignoreMismatch) other.expectDevice(core_->device());
        core_->add(*other.core_);
        return true;
    });
}

bool TimingCacheFace::reset() noexcept {
    core_->clear();
    return true;
}

int64_t TimingCacheFace::queryKeys(nvinfer1::TimingCacheKey* keyBuffer, int64_t capacity) const noexcept {
    return guardedOr(-1, reporter_, "ITimingCache::queryKeys", [&] {
        if (capacity < 0 || (capacity > 0 && keyBuffer == nullptr))
            fail(ErrorCode::InvalidArgument, "capacity is ", capacity, keyBuffer ? "" : " and keyBuffer is null");
        auto const keys = core_->keys();
        auto const count = std::min(capacity, static_cast<int64_t>(keys.size()));
        for (int64_t i = 0; i < count; ++i) std::ranges::copy(keys[static_cast<size_t>(i)], keyBuffer[i].data);
        return static_cast<int64_t>(keys.size());
    });
}

nvinfer1::TimingCacheValue TimingCacheFace::query(nvinfer1::TimingCacheKey const& key) const noexcept {
    auto const found = core_->find(fromApi(key));
    if (!found) return {nvinfer1::TimingCacheValue::kINVALID_TACTIC_HASH, 0};
    return {found->tactic, found->milliseconds};
}

bool TimingCacheFace::update(nvinfer1::TimingCacheKey const& key, nvinfer1::TimingCacheValue const& value) noexcept {
    return guarded(reporter_, "ITimingCache::update", [&] {
        if (!core_->find(fromApi(key))) fail(ErrorCode::InvalidArgument, "no entry has this key");
        if (std::isnan(value.timingMSec)) return core_->remove(fromApi(key)), true;
        bool const isValid = value.tacticHash != nvinfer1::TimingCacheValue::kINVALID_TACTIC_HASH &&
                             std::isfinite(value.timingMSec) && value.timingMSec >= 0;
        if (!isValid)
            fail(ErrorCode::InvalidArgument, "tactic ", value.tacticHash, " in ", double{value.timingMSec},
                 " ms; expected a tactic and a time, or NaN to remove the entry");
        core_->set(fromApi(key), {value.tacticHash, value.timingMSec});
        return true;
    });
}

} // namespace tenon::trt
