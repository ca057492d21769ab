// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.h"

#include "base/error.h"

#include <map>
#include <mutex>
#include <sys/mman.h>

namespace island {
namespace {

struct Pieces {
    std::mutex mutex;
    std::map<char const*, size_t> bytes; // by the start of a piece
    int visits = 0;
    size_t taken = 0;
    size_t limit = size_t{1} << 30U;

    size_t free() const { return limit > taken ? limit - taken : 0; }
    int protection() const { return visits == 0 ? PROT_NONE : PROT_READ | PROT_WRITE; }
    void protect() const {
        for (auto const& [begin, size] : bytes) mprotect(const_cast<char*>(begin), size, protection());
    }
};

Pieces& pieces() {
    static Pieces& all = *new Pieces;
    return all;
}

void release(void* memory) {
    std::lock_guard const lock(pieces().mutex);
    auto const piece = pieces().bytes.find(static_cast<char*>(memory));
    munmap(memory, piece->second);
    pieces().taken -= piece->second;
    pieces().bytes.erase(piece);
}

} // namespace

std::shared_ptr<void> allocate(size_t bytes) {
    size_t const size = bytes == 0 ? 1 : bytes;
    std::lock_guard const lock(pieces().mutex);
    void* const memory = size > pieces().free()
                             ? MAP_FAILED
                             : mmap(nullptr, size, pieces().protection(), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) tenon::fail(tenon::ErrorCode::Memory, "the island has no ", bytes, " bytes left");
    pieces().bytes[static_cast<char*>(memory)] = size;
    pieces().taken += size;
    return {memory, release};
}

size_t freeBytes() {
    std::lock_guard const lock(pieces().mutex);
    return pieces().free();
}

bool holds(void const* address) {
    std::lock_guard const lock(pieces().mutex);
    auto const after = pieces().bytes.upper_bound(static_cast<char const*>(address));
    if (after == pieces().bytes.begin()) return false;
    auto const& [begin, size] = *std::prev(after);
    return static_cast<char const*>(address) < begin + size;
}

Visit::Visit() {
    std::lock_guard const lock(pieces().mutex);
    if (++pieces().visits == 1) pieces().protect();
}

Visit::~Visit() {
    std::lock_guard const lock(pieces().mutex);
    if (--pieces().visits == 0) pieces().protect();
}

} // namespace island

/// For the test: the address of the first piece of memory; null if there is none.
extern "C" __attribute__((visibility("default"))) void const* islandMemory() {
    auto const& all = island::pieces().bytes;
    return all.empty() ? nullptr : all.begin()->first;
}

/// For the test: the allocated and the total memory.
extern "C" __attribute__((visibility("default"))) int64_t islandTaken() {
    return static_cast<int64_t>(island::pieces().taken);
}
extern "C" __attribute__((visibility("default"))) void islandLimit(int64_t bytes) {
    island::pieces().limit = static_cast<size_t>(bytes);
}
