// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/bytes.h"

#include "base/parallel.h"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace tenon {

void expectWrites(void* memory, size_t bytes) {
    constexpr uintptr_t kLargePage = uintptr_t{1} << 21;
    auto const start = (reinterpret_cast<uintptr_t>(memory) + kLargePage - 1) / kLargePage * kLargePage;
    auto const end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kLargePage * kLargePage;
    if (end <= start || end - start < 2 * kLargePage) return;
    // where the system has no large pages it says so, and small ones do
    static_cast<void>(madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE));
}

void copyBytes(std::byte* to, std::byte const* from, size_t bytes) {
    constexpr int64_t kGrain = int64_t{1} << 22;
    parallelFor(static_cast<int64_t>(bytes), kGrain, [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    });
}

} // namespace tenon
