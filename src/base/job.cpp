// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/job.h"

#include "base/futex.h"
#include "base/off_cpu.h"

#include <sched.h>
#include <utility>

namespace tenon {
namespace {

// Of helper threads; read only after the owner has gone to sleep.
thread_local OffCpuTime offCpuTime;
thread_local long preemptionsBefore = 0;

} // namespace

Job::Seat Job::open(Chunks const& chunks, int helpers, SlotBody body) {
    generation_ = (generation_ + 1) % kGenerations;
    shards_ = shardsFor(helpers);
    chunks_ = chunks;
    body_ = body;
    mode_ = FloatMode::ofThisThread();
    cpu_.store(sched_getcpu(), std::memory_order_relaxed);
    offCpu_.store(0, std::memory_order_relaxed);
    for (int i = 0; i < shards_; ++i) {
        auto const all = static_cast<uint64_t>(firstOf(i + 1) - firstOf(i));
        all_[static_cast<size_t>(i)].word.store(generation_ * kGeneration + all * kAll, std::memory_order_release);
    }
    seats_.store(generation_ * kSeatGeneration + static_cast<uint64_t>(helpers) * kSeats, std::memory_order_release);
    return {generation_, helpers, 0};
}

std::optional<Job::Seat> Job::enter() {
    uint64_t word = seats_.load(std::memory_order_acquire);
    while (seatField(word, kSeat) < seatField(word, kSeats)) {
        if (seats_.compare_exchange_weak(word, word + kSeat, std::memory_order_acquire))
            return Seat{word / kSeatGeneration, seatField(word, kSeats), seatField(word, kSeat) + 1};
    }
    return std::nullopt;
}

int Job::freeSeats() const {
    uint64_t const word = seats_.load(std::memory_order_acquire);
    return seatField(word, kSeats) - seatField(word, kSeat);
}

/// The next chunk of the shard if the shard still belongs to that loop and has one; else -1.
int64_t Job::take(Shard& shard, uint64_t generation) {
    uint64_t word = shard.word.load(std::memory_order_relaxed);
    while (generationOf(word) == generation && !isExhausted(word)) {
        if (shard.word.compare_exchange_weak(word, word + kTaken, std::memory_order_acquire, std::memory_order_relaxed))
            return static_cast<int64_t>(field(word, kTaken));
    }
    return -1;
}

/// Reports a chunk as done and, in the same step, takes the next one if wanted; -1 if there is none.
int64_t Job::finish(Shard& shard, bool takesNext) {
    uint64_t word = shard.word.load(std::memory_order_relaxed);
    while (true) {
        bool const takes = takesNext && !isExhausted(word);
        uint64_t const next = word + kDone + (takes ? kTaken : 0);
        if (!shard.word.compare_exchange_weak(word, next, std::memory_order_acq_rel, std::memory_order_relaxed))
            continue;
        if (takes) return static_cast<int64_t>(field(word, kTaken));
        if ((word & kSleeps) != 0 && isDone(next)) ring(shard);
        return -1;
    }
}

/// The loop may be over and the next one started: then its owner wakes once without need.
void Job::ring(Shard& shard) {
    if (std::exchange(preemptionsBefore, preemptions()) != preemptionsBefore) // else it slept in the body
        offCpu_.store(offCpuTime.elapsed().count(), std::memory_order_relaxed);
    shard.bell.fetch_add(1, std::memory_order_release);
    futexWake(shard.bell, 1);
}

void Job::restartOffCpuTime() { offCpuTime.restart(); }

/// Returns whether it had to sleep.
bool Job::wait(Shard& shard, Spin& spin) {
    bool sleeps = false;
    while (!isDone(shard.word.load(std::memory_order_acquire))) {
        if (spin.again()) continue;
        uint32_t const seen = shard.bell.load(std::memory_order_acquire);
        if (isDone(shard.word.fetch_or(kSleeps, std::memory_order_acq_rel))) break;
        sleeps = true;
        futexWait(shard.bell, seen);
    }
    return sleeps;
}

std::chrono::nanoseconds Job::wait(std::chrono::nanoseconds most) {
    Spin spin(most);
    bool sleeps = false;
    for (int i = 0; i < shards_; ++i) sleeps = wait(all_[static_cast<size_t>(i)], spin) || sleeps;
    if (!sleeps) return std::chrono::nanoseconds::zero();
    return std::min(spin.sinceStart(), std::chrono::nanoseconds(offCpu_.load(std::memory_order_relaxed)));
}

void Job::forget() {
    seats_ = 0;
    for (Shard& shard : all_) shard.word = 0;
    isOwned_ = false;
}

} // namespace tenon
