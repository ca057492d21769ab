// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Times of kernels and plugins that can compute in several ways, kept from one build to the next.
#ifndef TENON_API_TIMING_CACHE_H
#define TENON_API_TIMING_CACHE_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/host_memory.h"

namespace nvinfer1 {

/// What was timed: a digest of layer, shapes, types and formats.
struct TENON_FROM_10(TimingCacheKey) {
    uint8_t data[16];
};

/// What was found.
struct TENON_FROM_10(TimingCacheValue) {
    uint64_t tacticHash; ///< The way of the kernel or plugin.
    float timingMSec;    ///< Its time in milliseconds.

    static constexpr uint64_t kINVALID_TACTIC_HASH = UINT64_MAX; ///< No kernel.
};

/// Kernel times that are kept from one build to the next. Made by `IBuilderConfig::createTimingCache()`; the program
/// deletes it. One thread at a time.
class TENON_FROM_8(ITimingCache) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_8(ITimingCache)() override = default;

    /// The receiver deletes it; null on error.
    virtual IHostMemory* serialize() const noexcept = 0;
    /// Takes over the entries of `inputCache` that are new.
    /// \param ignoreMismatch whether a cache of another device is accepted
    virtual bool combine(TENON_FROM_8(ITimingCache) const& inputCache, bool ignoreMismatch) noexcept = 0;
    /// Removes all entries.
    virtual bool reset() noexcept = 0;

    /// Copies up to `capacity` keys. \return how many there are; -1 on error
    virtual int64_t TENON_FROM_10(queryKeys)(TENON_FROM_10(TimingCacheKey) * keyBuffer,
                                             int64_t capacity) const noexcept = 0;
    /// The entry; its tacticHash is kINVALID_TACTIC_HASH where there is none.
    virtual TENON_FROM_10(TimingCacheValue)
        TENON_FROM_10(query)(TENON_FROM_10(TimingCacheKey) const& key) const noexcept = 0;
    /// Changes an entry: the tactic to take, and its time; NaN removes it. \return false where there is no such key
    virtual bool TENON_FROM_10(update)(TENON_FROM_10(TimingCacheKey) const& key,
                                       TENON_FROM_10(TimingCacheValue) const& value) noexcept = 0;
};

} // namespace nvinfer1

#endif
