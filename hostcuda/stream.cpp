// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <set>
#include <thread>
#include <utility>

#include "status.h"

namespace hostcuda {
namespace {

// Never destroyed: worker threads may outlive the globals of a process that ends.
struct Shared {
    std::mutex mutex; // guards the counters and queues of all streams
    std::condition_variable changed;
    std::mutex aliveMutex; // locked alone or inside the other
    std::set<Stream*> alive;
    std::atomic<uint64_t> ids{0};
};

Shared& shared() {
    static Shared& instance = *new Shared;
    return instance;
}

thread_local Stream const* working = nullptr; // whose work this thread executes

void doFor(Stream const& stream, Stream::Work const& work) {
    Stream const* const outer = std::exchange(working, &stream);
    work();
    working = outer;
}

} // namespace

Stream::Stream(Order order, int priority) : order_(order), priority_(priority), id_(++shared().ids) {}

std::shared_ptr<Stream> Stream::make(Order order, int priority) {
    std::shared_ptr<Stream> stream(new Stream(order, priority));
    std::lock_guard const lock(shared().aliveMutex);
    shared().alive.insert(stream.get());
    return stream;
}

Stream::~Stream() {
    std::lock_guard const lock(shared().aliveMutex);
    shared().alive.erase(this);
}

std::vector<std::shared_ptr<Stream>> everyStream() {
    std::vector<std::shared_ptr<Stream>> streams;
    std::lock_guard const lock(shared().aliveMutex);
    for (Stream* stream : shared().alive) {
        if (auto alive = stream->weak_from_this().lock()) streams.push_back(std::move(alive));
    }
    return streams;
}

Mark Stream::end() const {
    std::lock_guard const lock(shared().mutex);
    return {std::const_pointer_cast<Stream>(shared_from_this()), submitted_};
}

std::vector<Mark> Stream::ends() const {
    std::vector<Mark> marks{end()};
    comeAfterDefaultStream(marks);
    return marks;
}

// The legacy default stream waits for all blocking streams, and they for it.
void Stream::comeAfterDefaultStream(std::vector<Mark>& after) const {
    if (order_ == Order::nonBlocking) return;
    for (auto const& other : everyStream()) {
        Order const joined = order_ == Order::legacy ? Order::blocking : Order::legacy;
        if (other->order_ == joined && !other->isWorkingHere()) after.push_back(other->end());
    }
}

bool Stream::isWorkingHere() const { return working == this; }

Mark Stream::submit(Work work, std::vector<Mark> after) { return submit({std::move(work), std::move(after)}, true); }

Mark Stream::submitElsewhere(Work work, std::vector<Mark> after) {
    return submit({std::move(work), std::move(after)}, false);
}

Mark Stream::submit(Item item, bool mayDoHere) {
    refuseInFunction();
    if (isWorkingHere()) {
        item.work();
        return {shared_from_this(), 0};
    }
    comeAfterDefaultStream(item.after);
    std::unique_lock lock(shared().mutex);
    shared().changed.wait(lock, [this] { return !isAtWork_; });
    Mark mark{shared_from_this(), submitted_ + 1};
    if (mayDoHere && !hasWorker_ && isReached(item.after)) {
        doHere(item.work, lock);
    } else {
        queue(std::move(item));
    }
    return mark;
}

void Stream::doHere(Work const& work, std::unique_lock<std::mutex>& lock) {
    ++submitted_;
    isAtWork_ = true;
    lock.unlock();
    doFor(*this, work);
    lock.lock();
    isAtWork_ = false;
    ++done_;
    shared().changed.notify_all();
}

void Stream::queue(Item item) {
    queue_.push_back(std::move(item));
    ++submitted_;
    if (hasWorker_) return;
    try {
        std::thread([self = shared_from_this()] { self->drain(); }).detach();
    } catch (std::system_error const&) {
        queue_.pop_back();
        --submitted_;
        throw;
    }
    hasWorker_ = true;
}

void Stream::drain() {
    std::unique_lock lock(shared().mutex);
    while (!queue_.empty()) {
        Item item = std::move(queue_.front());
        queue_.pop_front();
        shared().changed.wait(lock, [&] { return isReached(item.after); });
        lock.unlock();
        doFor(*this, [&item] {
            item.work();
            item = {}; // with its captures, whose destructors may call the runtime
        });
        lock.lock();
        ++done_;
        shared().changed.notify_all();
    }
    hasWorker_ = false;
}

bool Stream::isReached(std::vector<Mark> const& marks) const {
    return std::all_of(marks.begin(), marks.end(),
                       [](Mark const& mark) { return mark.stream->done_ >= mark.position; });
}

bool isAtWork() { return working != nullptr; }

bool reached(Mark const& mark) {
    if (mark.stream->isWorkingHere()) return true;
    std::lock_guard const lock(shared().mutex);
    return mark.stream->done_ >= mark.position;
}

void waitFor(Mark const& mark) {
    refuseInFunction();
    if (mark.stream->isWorkingHere()) return;
    std::unique_lock lock(shared().mutex);
    shared().changed.wait(lock, [&] { return mark.stream->done_ >= mark.position; });
}

void waitForEverything() {
    refuseInFunction();
    if (isAtWork()) return; // later work can wait only for the end of this work
    for (auto const& stream : everyStream()) waitFor(stream->end());
}

} // namespace hostcuda
