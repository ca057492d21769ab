// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "trt/edge.h"

namespace tenon::trt {

/// ITimingCache. Builds take kernels from a cost model and time none, so it has no entries; a saved cache is its first
/// line, which says what the file is.
class TimingCache final : public nvinfer1::ITimingCache {
public:
    /// From what serialize() gave, or from nothing; an Error for other bytes.
    TimingCache(Reporter const& reporter, void const* blob, size_t size);

    nvinfer1::IHostMemory* serialize() const noexcept override;
    bool combine(nvinfer1::ITimingCache const& inputCache, bool ignoreMismatch) noexcept override;
    bool reset() noexcept override { return true; }
    int64_t queryKeys(nvinfer1::TimingCacheKey* keyBuffer, int64_t capacity) const noexcept override;
    nvinfer1::TimingCacheValue query(nvinfer1::TimingCacheKey const& key) const noexcept override;
    bool update(nvinfer1::TimingCacheKey const& key, nvinfer1::TimingCacheValue const& value) noexcept override;

private:
    Reporter reporter_;
};

} // namespace tenon::trt
