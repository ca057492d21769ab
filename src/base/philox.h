// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>

namespace tenon {

/// Identifies the numbers of a generator: one key and stream give the same numbers on every device and in any order of
/// access; different ones are independent.
struct RandomStream {
    uint64_t key = 0;
    uint32_t stream = 0;
    uint32_t run = 0;
};

namespace philox {

using Counter = std::array<uint32_t, 4>;

/// One round: two 64-bit products whose halves are swapped.
constexpr Counter mixed(Counter const& of, uint32_t key0, uint32_t key1) {
    uint64_t const a = uint64_t{0xD2511F53} * of[0];
    uint64_t const b = uint64_t{0xCD9E8D57} * of[2];
    return {static_cast<uint32_t>(b >> 32) ^ of[1] ^ key0, static_cast<uint32_t>(b),
            static_cast<uint32_t>(a >> 32) ^ of[3] ^ key1, static_cast<uint32_t>(a)};
}

} // namespace philox

/// Four random words for a counter and a key: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers:
/// As Easy as 1, 2, 3" (2011). Also compiled for GPUs.
constexpr philox::Counter philox4x32(philox::Counter counter, uint64_t key) {
    auto key0 = static_cast<uint32_t>(key);
    auto key1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        counter = philox::mixed(counter, key0, key1);
        key0 += 0x9E3779B9; // the golden ratio
        key1 += 0xBB67AE85; // the square root of 3, less 1
    }
    return counter;
}

/// Words 4 · block to 4 · block + 3 of a stream.
constexpr philox::Counter randomWords(RandomStream const& of, uint64_t block) {
    return philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), of.run, of.stream}, of.key);
}

/// A number in [0, 1) with 24 random bits.
constexpr float unitOf(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

/// Maps a number in [0, 1) to [low, high); `low` if that range is empty.
constexpr float betweenOf(uint32_t word, double low, double high) {
    auto const y = static_cast<float>(low + static_cast<double>(unitOf(word)) * (high - low));
    return y < static_cast<float>(high) ? y : static_cast<float>(low); // rounded up to `high`
}

} // namespace tenon
