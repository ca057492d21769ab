// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Points in a stream's work.
#include "event.h"

#include <chrono>

#include "capture.h"
#include "export.h"

namespace hostcuda {
namespace {

using Clock = std::chrono::steady_clock;

// One recording. Recording again does not affect waits for an earlier recording.
struct Moment {
    Mark mark;
    Clock::time_point time; // once the mark is reached
};

class Event {
public:
    explicit Event(unsigned flags) : flags_(flags) {}
    bool isTimed() const { return (flags_ & cudaEventDisableTiming) == 0; }

    void record(Stream& stream) {
        auto captured = pointIn(stream);
        auto moment = captured != nullptr ? nullptr : std::make_shared<Moment>();
        if (moment != nullptr) moment->mark = stream.submit([moment] { moment->time = Clock::now(); });
        std::lock_guard const lock(mutex_);
        moment_ = std::move(moment);
        captured_ = std::move(captured);
    }

    // Null if it was never recorded, or last in a capture.
    std::shared_ptr<Moment const> last() const {
        std::lock_guard const lock(mutex_);
        return moment_;
    }

    // Null if it was not last recorded in a capture.
    std::shared_ptr<CapturedPoint const> captured() const {
        std::lock_guard const lock(mutex_);
        return captured_;
    }

private:
    unsigned const flags_;
    mutable std::mutex mutex_;
    std::shared_ptr<Moment const> moment_;
    std::shared_ptr<CapturedPoint const> captured_;
};

// Never destroyed: calls may come from the destructors of other globals.
Handles<Event>& handles() {
    static Handles<Event>& instance = *new Handles<Event>;
    return instance;
}

constexpr unsigned kFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

void create(cudaEvent_t* result, unsigned flags) {
    require(result != nullptr && (flags & ~kFlags) == 0);
    // An event that another process can open must not be timed; no other process can open it here.
    require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
    *result = static_cast<cudaEvent_t>(handles().add(std::make_shared<Event>(flags)));
}

Clock::time_point timeOf(cudaEvent_t handle) {
    auto const event = handles().find(handle);
    auto const moment = event->last();
    require(event->captured() == nullptr, cudaErrorCapturedEvent);
    require(event->isTimed() && moment != nullptr, cudaErrorInvalidResourceHandle);
    require(reached(moment->mark), cudaErrorNotReady);
    return moment->time;
}

// Of an event that may be queried.
std::shared_ptr<Moment const> lastOf(cudaEvent_t handle) {
    auto const event = handles().find(handle);
    refuseUnsafe();
    if (auto const point = event->captured()) refuseCaptured(*point);
    return event->last();
}

void record(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    require(flags == cudaEventRecordDefault || flags == cudaEventRecordExternal);
    auto const event = handles().find(handle);
    auto const found = findStream(stream);
    bool const isNode = flags == cudaEventRecordExternal && pointIn(*found) != nullptr;
    isNode ? static_cast<void>(submit(found, RecordEvent{handle})) : event->record(*found);
}

void wait(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    require(flags == cudaEventWaitDefault || flags == cudaEventWaitExternal);
    auto const event = handles().find(handle);
    auto const found = findStream(stream);
    bool const isCaptured = pointIn(*found) != nullptr;
    if (isCaptured && flags == cudaEventWaitExternal) return static_cast<void>(submit(found, WaitEvent{handle}));
    if (auto const point = event->captured()) return waitFor(found, *point);
    auto const moment = event->last();
    if (moment == nullptr) return;
    if (isCaptured) refuseUncaptured(*found);
    found->submit([] {}, {moment->mark});
}

} // namespace

void recordEvent(cudaEvent_t event, Stream& stream) { handles().find(event)->record(stream); }

void waitForEvent(cudaEvent_t event) {
    if (auto const moment = handles().find(event)->last()) waitFor(moment->mark);
}

} // namespace hostcuda

using namespace hostcuda;

CUDART(cudaEventCreate)(cudaEvent_t* event) {
    return call([&] { create(event, cudaEventDefault); });
}

CUDART(cudaEventCreateWithFlags)(cudaEvent_t* event, unsigned int flags) {
    return call([&] { create(event, flags); });
}

CUDART(cudaEventDestroy)(cudaEvent_t event) {
    return callAlways([&] { handles().remove(event); });
}

CUDART_ON_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream)) {
    return call([&] { record(event, stream, cudaEventRecordDefault); });
}

CUDART_ON_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                 (event, stream, flags)) {
    return call([&] { record(event, stream, flags); });
}

CUDART(cudaEventQuery)(cudaEvent_t event) {
    return call([&] {
        auto const moment = lastOf(event);
        require(moment == nullptr || reached(moment->mark), cudaErrorNotReady);
    });
}

CUDART(cudaEventSynchronize)(cudaEvent_t event) {
    return call([&] {
        if (auto const moment = lastOf(event)) waitFor(moment->mark);
    });
}

CUDART(cudaEventElapsedTime)(float* ms, cudaEvent_t start, cudaEvent_t end) {
    return call([&] {
        require(ms != nullptr);
        *ms = std::chrono::duration<float, std::milli>(timeOf(end) - timeOf(start)).count();
    });
}

CUDART_ON_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
                 (stream, event, flags)) {
    return call([&] { wait(stream, event, flags); });
}

// 12.8 has it under this name too.
CUDART_HIDDEN(cudaError_t, cudaEventElapsedTime_v2)(float* ms, cudaEvent_t start, cudaEvent_t end) {
    return hostcuda_cudaEventElapsedTime(ms, start, end);
}
