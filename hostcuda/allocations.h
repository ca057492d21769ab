// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory that the runtime allocated or that was registered: identifies pointers, and detects copies that leave
// their allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>

#include <driver_types.h>

namespace hostcuda {

// Counts the allocations from it.
class Pool {
public:
    void add(size_t bytes);
    void remove(size_t bytes) { used_ -= bytes; }
    uint64_t used() const { return used_; }
    uint64_t high() const { return high_; }
    void resetHigh() { high_ = used_.load(); }
    std::atomic<uint64_t> releaseThreshold{0};
    std::atomic<int> reuse[3] = {1, 1, 1}; // by follow-event, opportunistic, internal dependencies

private:
    std::atomic<uint64_t> used_{0};
    std::atomic<uint64_t> high_{0};
};

enum class Kind { device, managed, pinned, registered };

// Owns the memory, unless it is registered only.
struct Allocation {
    struct Free {
        void operator()(void* memory) const;
    };
    uintptr_t start = 0;
    size_t bytes = 0;
    Kind kind = Kind::device;
    unsigned flags = 0;
    std::unique_ptr<void, Free> memory;
    std::shared_ptr<Pool> pool;
};

// A part of an allocation that remains readable after it is freed.
struct Range {
    uintptr_t start;
    size_t bytes;
    Kind kind;
    unsigned flags;
    bool holds(uintptr_t first, size_t count) const {
        return first - start <= bytes && count <= bytes - (first - start);
    }
};

class Allocations {
public:
    // System memory, 256-byte aligned; cudaErrorMemoryAllocation if there is not enough. Null for 0 bytes.
    void* allocate(size_t bytes, Kind kind, unsigned flags = 0, std::shared_ptr<Pool> pool = nullptr);
    void registerHost(void* start, size_t bytes, unsigned flags);
    // Removes the allocation that starts there; if there is none of these kinds, returns `otherwise`.
    Allocation take(void const* start, bool (*accepts)(Kind), cudaError_t otherwise);
    std::optional<Range> find(void const* pointer) const;
    size_t bytesHeld() const { return held_; }
    void clear();

private:
    void forget(uintptr_t start, size_t bytes);

    mutable std::shared_mutex mutex_;
    std::map<uintptr_t, Allocation> byStart_;
    std::atomic<size_t> held_{0};
};

Allocations& allocations();

} // namespace hostcuda
