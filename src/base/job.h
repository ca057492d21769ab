// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/borrowed_body.h"
#include "base/chunks.h"
#include "base/float_mode.h"
#include "base/spin.h"

#include <array>
#include <atomic>
#include <optional>

namespace tenon {

/// The work of one loop, done by the calling thread and by helpers. Reused, and never freed while a thread may access
/// it.
///
/// A helper may be descheduled at any point. So nothing waits for a helper that holds no chunk: between chunks it does
/// one compare-and-swap on a word that contains the loop's number, which fails once that loop is over. Only the holder
/// of a chunk may read non-atomic members, since the loop cannot end meanwhile.
class Job {
public:
    /// The data that a thread needs to join one loop.
    struct Seat {
        uint64_t generation;
        int seats; ///< of helpers
        int slot;
    };

    /// Makes the caller the owner; false if the job has one.
    bool acquire() { return !isOwned_.load(std::memory_order_relaxed) && !isOwned_.exchange(true); }
    void release() { isOwned_.store(false, std::memory_order_release); }

    /// Called by the owner: starts a loop with at most `helpers` other threads, fewer than there are chunks. The
    /// owner's slot is 0. `body` must live until wait() has returned.
    Seat open(Chunks const& chunks, int helpers, SlotBody body);
    /// Called by the owner when no chunk is left to take: returns when all are done. Spins for `most`, then sleeps.
    /// \return how long it waited for a helper that was descheduled; 0 if it did not have to sleep
    std::chrono::nanoseconds wait(std::chrono::nanoseconds most);

    /// A helper's seat, if one is free. It need not be given back.
    std::optional<Seat> enter();
    int freeSeats() const;
    /// The CPU on which the owner started the loop.
    int cpu() const { return cpu_.load(std::memory_order_relaxed); }

    /// Runs chunks until none is left to take, or leaves() is true after one; then returns true. Starts with the chunks
    /// of shard `home`: a thread with the same home in each loop finds the data that it wrote before in its cache.
    template <class Leaves> bool compute(Seat const& seat, int home, Leaves const& leaves);

    /// Called by an idle helper, and by one that has slept: its off-CPU time so far does not count.
    static void restartOffCpuTime();

    /// Called in a child of fork(): the threads that held chunks do not exist.
    void forget();

private:
    static constexpr int kShards = 16;

    /// Adjacent chunks. Threads start in different shards, so that they do not wait for each other's cache line.
    struct alignas(64) Shard {
        std::atomic<uint64_t> word{0};
        std::atomic<uint32_t> bell{0}; ///< the owner sleeps on it
    };

    // The state of a shard in one word: the number of chunks taken, done and in total, whether the owner sleeps, and
    // the number of the loop: 36 bits, which last a day at a million loops a second.
    static constexpr int kBits = 9;
    static constexpr uint64_t kTaken = 1;
    static constexpr uint64_t kDone = uint64_t{1} << kBits;
    static constexpr uint64_t kAll = uint64_t{1} << 2 * kBits;
    static constexpr uint64_t kSleeps = uint64_t{1} << 3 * kBits;
    static constexpr uint64_t kGeneration = kSleeps << 1;
    static_assert(Chunks::kMost < 1 << kBits);

    static uint64_t field(uint64_t word, uint64_t unit) { return word / unit % (uint64_t{1} << kBits); }
    static uint64_t generationOf(uint64_t word) { return word / kGeneration; }
    static bool isExhausted(uint64_t word) { return field(word, kTaken) >= field(word, kAll); }
    static bool isDone(uint64_t word) { return field(word, kDone) >= field(word, kAll); }

    // The same for the seats: the number taken, the total, the number of the loop.
    static constexpr int kSeatBits = 12;
    static constexpr uint64_t kSeat = 1;
    static constexpr uint64_t kSeats = uint64_t{1} << kSeatBits;
    static constexpr uint64_t kSeatGeneration = uint64_t{1} << 2 * kSeatBits;
    static constexpr uint64_t kGenerations = uint64_t{1} << 36;

    static int seatField(uint64_t word, uint64_t unit) {
        return static_cast<int>(word / unit % (uint64_t{1} << kSeatBits));
    }
    static int shardsFor(int helpers) { return std::min(helpers + 1, kShards); }

    int64_t firstOf(int shard) const { return chunks_.number() * shard / shards_; }
    static int64_t take(Shard& shard, uint64_t generation);
    int64_t finish(Shard& shard, bool takesNext);
    void ring(Shard& shard);
    static bool wait(Shard& shard, Spin& spin);

    std::atomic<uint64_t> seats_{0};
    std::atomic<int> cpu_{0};
    std::atomic<bool> isOwned_ = false;
    std::atomic<int64_t> offCpu_{0}; ///< off-CPU nanoseconds of helpers that the owner waits for
    // Written by the owner between loops, read by holders of a chunk.
    uint64_t generation_ = 0;
    int shards_ = 1;
    Chunks chunks_{0, 1};
    std::optional<SlotBody> body_;
    FloatMode mode_ = FloatMode::ofThisThread();
    std::array<Shard, kShards> all_;
};

template <class Leaves> bool Job::compute(Seat const& seat, int home, Leaves const& leaves) {
    int const shards = shardsFor(seat.seats);
    for (int i = 0; i < shards; ++i) {
        int const number = (home + i) % shards;
        Shard& shard = all_[static_cast<size_t>(number)];
        int64_t chunk = take(shard, seat.generation);
        if (chunk >= 0) mode_.apply();
        while (chunk >= 0) {
            int64_t const at = firstOf(number) + chunk;
            (*body_)(chunks_.begin(at), chunks_.end(at), seat.slot);
            bool const stays = !leaves();
            chunk = finish(shard, stays);
            if (!stays) return true;
        }
    }
    return false;
}

} // namespace tenon
