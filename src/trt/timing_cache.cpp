// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/timing_cache.h"

#include "trt/host_memory.h"

#include <memory>
#include <span>
#include <vector>

namespace tenon::trt {
namespace {

constexpr std::string_view kHead = "tenon timing cache 1\n";

} // namespace

TimingCache::TimingCache(Reporter const& reporter, void const* blob, size_t size) : reporter_(reporter) {
    if (size == 0) return;
    if (blob == nullptr || std::string_view(static_cast<char const*>(blob), size) != kHead)
        fail(ErrorCode::InvalidArgument, "the ", size,
             " bytes are not a timing cache of this version; begin with an "
             "empty one (size 0)");
}

nvinfer1::IHostMemory* TimingCache::serialize() const noexcept {
    return guarded(reporter_, "ITimingCache::serialize", [&]() -> nvinfer1::IHostMemory* {
        auto const bytes = std::as_bytes(std::span(kHead));
        return std::make_unique<HostMemory>(std::vector(bytes.begin(), bytes.end())).release();
    });
}

bool TimingCache::combine(nvinfer1::ITimingCache const&, bool) noexcept { return true; }

int64_t TimingCache::queryKeys(nvinfer1::TimingCacheKey*, int64_t) const noexcept { return 0; }

nvinfer1::TimingCacheValue TimingCache::query(nvinfer1::TimingCacheKey const&) const noexcept {
    return {nvinfer1::TimingCacheValue::kINVALID_TACTIC_HASH, 0};
}

bool TimingCache::update(nvinfer1::TimingCacheKey const&, nvinfer1::TimingCacheValue const&) noexcept {
    return guarded(reporter_, "ITimingCache::update", [&]() -> bool { notSupported("the cache has no entries"); });
}

} // namespace tenon::trt
