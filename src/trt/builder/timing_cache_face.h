// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "plan/time/timing_cache.h"
#include "trt/edge/edge.h"
#include "trt/edge/link.h"

namespace tenon::trt {

/// ITimingCache over the core's.
class TimingCacheFace final : public nvinfer1::ITimingCache {
public:
    /// From the bytes of serialize(), or an empty one for `device`; an Error for other bytes.
    TimingCacheFace(Reporter const& reporter, std::string const& device, void const* blob, size_t size);

    /// Another one over the same times.
    TimingCacheFace(TimingCacheFace const& other);

    /// The cache that it was copied from, while that exists; else itself.
    TimingCacheFace const* original() const;
    std::shared_ptr<TimingCache> const& core() const { return core_; }
    /// Throws an Error if it was measured on another device than `device`.
    void expectDevice(std::string const& device) const;

    nvinfer1::IHostMemory* serialize() const noexcept override;
    bool combine(nvinfer1::ITimingCache const& inputCache, bool ignoreMismatch) noexcept override;
    bool reset() noexcept override;
    int64_t queryKeys(nvinfer1::TimingCacheKey* keyBuffer, int64_t capacity) const noexcept override;
    nvinfer1::TimingCacheValue query(nvinfer1::TimingCacheKey const& key) const noexcept override;
    bool update(nvinfer1::TimingCacheKey const& key, nvinfer1::TimingCacheValue const& value) noexcept override;

private:
    Reporter reporter_;
    std::shared_ptr<TimingCache> core_;
    Link<TimingCacheFace const> original_;
    Linked<TimingCacheFace const> linked_{this};
};

} // namespace tenon::trt
