// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/bytes.h"

#include "base/literal.h"
#include "base/parallel.h"

#include <cstdint>
#include <cstring>

namespace tenon {

void copyBytes(std::byte* to, std::byte const* from, size_t bytes) {
    constexpr int64_t kGrain = int64_t{1} << 22;
    parallelFor(static_cast<int64_t>(bytes), kGrain, [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    });
}

std::shared_ptr<void> copied(std::span<std::byte const> bytes) {
    auto memory = allocateHost(bytes.size());
    copyBytes(static_cast<std::byte*>(memory.get()), bytes.data(), bytes.size());
    return memory;
}

} // namespace tenon
