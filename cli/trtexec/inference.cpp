// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "inference.h"

#include "failure.h"
#include "log.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <thread>

namespace trtexec {
namespace {

std::atomic<bool> stop = false; // by the user, or because a stream failed
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

using Milliseconds = std::chrono::duration<double, std::milli>;

/// A thread's work and its result.
struct Worker {
    Stream& stream;
    std::unique_ptr<DeviceQueue> queue;
    std::vector<Query> queries;
    std::exception_ptr failure;
};

/// Whether more queries are needed: those that began in the warm up do not count.
bool wantsMore(InferenceOptions const& options, int64_t measured, double latestStart) {
    if (stop) return false;
    if (options.duration < 0) return true;
    return measured < options.iterations || latestStart < options.duration * 1000 + options.warmUp;
}

/// The report covers all queries, or the latest million if an endless run makes more.
void keep(std::vector<Query>& queries, Query const& query) {
    constexpr size_t kMost = 2'000'000;
    if (queries.size() == kMost) queries.erase(queries.begin(), queries.begin() + kMost / 2);
    queries.push_back(query);
}

void runQueries(Worker& worker, InferenceOptions const& options, Clock const& clock) {
    int64_t measured = 0;
    double latest = 0;
    if (!options.transfers) worker.stream.upload(*worker.queue);
    while (wantsMore(options, measured, latest)) {
        Query const query = worker.stream.run(*worker.queue, clock, options.transfers);
        latest = query.at(Moment::kComputeStart);
        measured += latest >= options.warmUp;
        keep(worker.queries, query);
        if (options.idleTime > 0 && latest >= options.warmUp)
            std::this_thread::sleep_for(Milliseconds(options.idleTime));
    }
    if (!options.transfers) worker.stream.download(*worker.queue);
    worker.queue->finish();
}

void work(Worker& worker, InferenceOptions const& options, Clock const& clock) noexcept {
    try {
        runQueries(worker, options, clock);
    } catch (...) {
        worker.failure = std::current_exception();
        stop = true;
    }
}

std::vector<Query> collect(std::vector<Worker>& workers) {
    std::vector<Query> all;
    for (Worker& worker : workers) {
        if (worker.failure) std::rethrow_exception(worker.failure);
        all.insert(all.end(), worker.queries.begin(), worker.queries.end());
    }
    std::ranges::sort(all, {}, [](Query const& query) { return query.at(Moment::kUploadStart); });
    return all;
}

} // namespace

void Stream::upload(DeviceQueue& queue) {
    for (auto const& binding : bindings_) binding->upload(queue);
}

void Stream::download(DeviceQueue& queue) {
    for (auto const& binding : bindings_) binding->download(queue);
}

Query Stream::run(DeviceQueue& queue, Clock const& clock, bool transfers) {
    Query query;
    queue.mark(Moment::kUploadStart);
    if (transfers) upload(queue);
    queue.mark(Moment::kUploadEnd);
    queue.mark(Moment::kComputeStart);
    query.enqueueStart = clock.milliseconds();
    if (!context_->enqueueV3(queue.stream())) fail("the engine failed; see the log above");
    query.enqueueEnd = clock.milliseconds();
    queue.mark(Moment::kComputeEnd);
    queue.mark(Moment::kDownloadStart);
    if (transfers) download(queue);
    queue.mark(Moment::kDownloadEnd);
    query.moments = queue.finish();
    if (context_->getProfiler() && !context_->getEnqueueEmitsProfile()) context_->reportToProfiler();
    return query;
}

std::vector<Query> runStreams(Streams const& streams, Device& device, InferenceOptions const& options, Log& log) {
    stop = false;
    if (options.duration < 0) {
        log.warning("--duration=-1 is specified, inference will run in an endless loop until aborted with CTRL-C "
                    "(SIGINT)");
        std::signal(SIGINT, [](int) { stop = true; }); // and the report follows
    }
    std::this_thread::sleep_for(Milliseconds(options.sleepTime));
    Clock const clock;
    std::vector<Worker> workers;
    for (auto const& stream : streams) workers.push_back({*stream, device.makeQueue(clock), {}, {}});
    std::vector<std::jthread> threads;
    for (Worker& worker : workers) threads.emplace_back([&] { work(worker, options, clock); });
    threads.clear(); // waits for them
    return collect(workers);
}

} // namespace trtexec
