// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams. Work is executed in the call, on the calling thread, if all that it depends on is done: on a CPU nothing
// would be gained by handing a copy to another thread, and an engine that computes in its call finds its inputs ready.
// Only a function of the caller always runs on a worker thread, as it may take a lock that the caller holds; work
// submitted after it follows there, until the stream is empty again. Work may call the runtime itself (a graph's does,
// and an engine's in it): work that it submits to its own stream is a part of it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <driver_types.h>

namespace hostcuda {

class Stream;

// The point in a stream at which its first `position` operations are done.
struct Mark {
    std::shared_ptr<Stream> stream;
    uint64_t position = 0;
};

bool reached(Mark const& mark);
void waitFor(Mark const& mark);
// The calling thread executes the work of a stream.
bool isAtWork();

class Stream : public std::enable_shared_from_this<Stream> {
public:
    using Work = std::function<void()>;
    enum class Order { legacy, blocking, nonBlocking }; // with respect to the legacy default stream

    static std::shared_ptr<Stream> make(Order order, int priority);
    ~Stream();
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;

    // Executes the work once the stream has reached it and all of `after` is reached.
    Mark submit(Work work, std::vector<Mark> after = {});
    // Executes the work on a thread of the stream, never on the calling one.
    Mark submitElsewhere(Work work, std::vector<Mark> after = {});
    // The calling thread is executing work of the stream.
    bool isWorkingHere() const;
    // The end of all work submitted to the stream and to those that its order joins it with.
    std::vector<Mark> ends() const;
    Mark end() const;

    Order order() const { return order_; }
    int priority() const { return priority_; }
    uint64_t id() const { return id_; }

private:
    struct Item {
        Work work;
        std::vector<Mark> after;
    };

    Stream(Order order, int priority);
    friend bool reached(Mark const& mark);
    friend void waitFor(Mark const& mark);
    bool isReached(std::vector<Mark> const& marks) const;
    void comeAfterDefaultStream(std::vector<Mark>& after) const;
    void doHere(Work const& work, std::unique_lock<std::mutex>& lock);
    Mark submit(Item item, bool mayDoHere);
    void queue(Item item);
    void drain();

    Order const order_;
    int const priority_;
    uint64_t const id_;
    uint64_t submitted_ = 0;
    uint64_t done_ = 0;
    bool isAtWork_ = false; // a calling thread is executing work
    bool hasWorker_ = false;
    std::deque<Item> queue_;
};

// The stream of a handle, the default streams included; cudaErrorInvalidResourceHandle if it is invalid.
std::shared_ptr<Stream> findStream(cudaStream_t handle);
// All that exist or still have work.
std::vector<std::shared_ptr<Stream>> everyStream();
void waitForEverything();

} // namespace hostcuda
