// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "allocations.h"

#include <cstdlib>
#include <mutex>

#include "host.h"
#include "status.h"

namespace hostcuda {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kSmall =
    1 << 20; // below this size, querying the system for free memory would take longer than the allocation

} // namespace

void Allocation::Free::operator()(void* memory) const { std::free(memory); }

void Pool::add(size_t bytes) {
    uint64_t const now = used_ += bytes;
    for (uint64_t high = high_; high < now && !high_.compare_exchange_weak(high, now);) {
    }
}

// Never destroyed: calls may come from the destructors of other globals.
Allocations& allocations() {
    static Allocations& instance = *new Allocations;
    return instance;
}

void* Allocations::allocate(size_t bytes, Kind kind, unsigned flags, std::shared_ptr<Pool> pool) {
    if (bytes == 0) return nullptr;
    require(bytes <= host().memory && (bytes < kSmall || bytes <= freeMemory()), cudaErrorMemoryAllocation);
    size_t const rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    Allocation allocation;
    allocation.memory.reset(std::aligned_alloc(kAlignment, rounded));
    require(allocation.memory != nullptr, cudaErrorMemoryAllocation);
    void* const start = allocation.memory.get();
    allocation.start = reinterpret_cast<uintptr_t>(start);
    allocation.bytes = bytes;
    allocation.kind = kind;
    allocation.flags = flags;
    allocation.pool = std::move(pool);
    if (allocation.pool != nullptr) allocation.pool->add(bytes);
    std::unique_lock const lock(mutex_);
    forget(allocation.start, rounded);
    byStart_.emplace(allocation.start, std::move(allocation));
    held_ += bytes;
    return start;
}

// Memory that an application registered and freed without unregistering it.
void Allocations::forget(uintptr_t start, size_t bytes) {
    auto first = byStart_.lower_bound(start);
    if (first != byStart_.begin() && start - std::prev(first)->first < std::prev(first)->second.bytes) --first;
    byStart_.erase(first, byStart_.lower_bound(start + bytes));
}

void Allocations::registerHost(void* start, size_t bytes, unsigned flags) {
    Allocation allocation;
    allocation.start = reinterpret_cast<uintptr_t>(start);
    allocation.bytes = bytes;
    allocation.kind = Kind::registered;
    allocation.flags = flags;
    std::unique_lock const lock(mutex_);
    auto const next = byStart_.lower_bound(allocation.start);
    bool const hitsNext = next != byStart_.end() && next->first - allocation.start < bytes;
    bool const hitsLast =
        next != byStart_.begin() && allocation.start - std::prev(next)->first < std::prev(next)->second.bytes;
    require(!hitsNext && !hitsLast, cudaErrorHostMemoryAlreadyRegistered);
    byStart_.emplace(allocation.start, std::move(allocation));
}

Allocation Allocations::take(void const* start, bool (*accepts)(Kind), cudaError_t otherwise) {
    std::unique_lock const lock(mutex_);
    auto const found = byStart_.find(reinterpret_cast<uintptr_t>(start));
    require(found != byStart_.end() && accepts(found->second.kind), otherwise);
    Allocation allocation = std::move(found->second);
    byStart_.erase(found);
    if (allocation.memory != nullptr) held_ -= allocation.bytes;
    if (allocation.pool != nullptr) allocation.pool->remove(allocation.bytes);
    return allocation;
}

std::optional<Range> Allocations::find(void const* pointer) const {
    auto const address = reinterpret_cast<uintptr_t>(pointer);
    std::shared_lock const lock(mutex_);
    auto const next = byStart_.upper_bound(address);
    if (next == byStart_.begin()) return std::nullopt;
    Allocation const& candidate = std::prev(next)->second;
    if (address - candidate.start >= candidate.bytes) return std::nullopt;
    return Range{candidate.start, candidate.bytes, candidate.kind, candidate.flags};
}

void Allocations::clear() {
    std::unique_lock const lock(mutex_);
    byStart_.clear();
    held_ = 0;
}

} // namespace hostcuda
