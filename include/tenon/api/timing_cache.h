// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Times of kernels and plugins that builds reuse.
#ifndef TENON_API_TIMING_CACHE_H
#define TENON_API_TIMING_CACHE_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/host_memory.h"

namespace nvinfer1 {

/// Identifies an entry of a timing cache. Since level 10.
struct TENON_FROM_10(TimingCacheKey) {
    uint8_t data[16]; ///< A digest of layer, shapes, types, formats and device.
};

/// An entry of a timing cache: the fastest tactic and its time. Since level 10.
struct TENON_FROM_10(TimingCacheValue) {
    uint64_t tacticHash; ///< The tactic; kINVALID_TACTIC_HASH for no entry.
    float timingMSec;    ///< The time of one run in milliseconds.

    static constexpr uint64_t kINVALID_TACTIC_HASH = UINT64_MAX; ///< No entry.
};

/// Times of kernels and plugins with several tactics. A build with a cache times only what the cache lacks, so it is
/// faster and chooses the same kernels again. IBuilderConfig::createTimingCache() makes it. Since level 8.
///
/// \note Owner: the application deletes it.
/// \note Thread: any, several at once.
class TENON_FROM_8(ITimingCache) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_8(ITimingCache)() override = default;

    /// Serializes the cache for IBuilderConfig::createTimingCache().
    /// \return the bytes, which the caller deletes; null on error
    virtual IHostMemory* serialize() const noexcept = 0;
    /// Adds the entries of another cache whose keys are missing here.
    /// \param ignoreMismatch whether a cache of another device is accepted
    /// \return false, and an error in the log, for a cache of another device without `ignoreMismatch`
    virtual bool combine(TENON_FROM_8(ITimingCache) const& inputCache, bool ignoreMismatch) noexcept = 0;
    /// Removes all entries.
    /// \return true
    virtual bool reset() noexcept = 0;

    /// Copies keys to a buffer. Since level 10.
    /// \param keyBuffer room for `capacity` keys; null if that is 0
    /// \return the number of keys in the cache; -1 on error
    virtual int64_t TENON_FROM_10(queryKeys)(TENON_FROM_10(TimingCacheKey) * keyBuffer,
                                             int64_t capacity) const noexcept = 0;
    /// Returns an entry; its tacticHash is kINVALID_TACTIC_HASH if the key is missing. Since level 10.
    virtual TENON_FROM_10(TimingCacheValue)
        TENON_FROM_10(query)(TENON_FROM_10(TimingCacheKey) const& key) const noexcept = 0;
    /// Replaces an entry. Since level 10.
    /// \param value a tactic and a finite time of 0 or more; a time of NaN removes the entry
    /// \return false, and an error in the log, for other values and a key that is missing
    virtual bool TENON_FROM_10(update)(TENON_FROM_10(TimingCacheKey) const& key,
                                       TENON_FROM_10(TimingCacheValue) const& value) noexcept = 0;
};

} // namespace nvinfer1

#endif
