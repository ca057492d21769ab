// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: when a stream came to a point.
#include <chrono>

#include "export.h"
#include "handles.h"
#include "stream.h"

namespace hostcuda {
namespace {

using Clock = std::chrono::steady_clock;

// One recording. Recording again leaves those who wait for the last time as they are.
struct Moment {
    Mark mark;
    Clock::time_point time; // once the mark is reached
};

class Event {
public:
    explicit Event(unsigned flags) : flags_(flags) {}
    bool isTimed() const { return (flags_ & cudaEventDisableTiming) == 0; }

    void record(Stream& stream) {
        auto moment = std::make_shared<Moment>();
        moment->mark = stream.submit([moment] { moment->time = Clock::now(); });
        std::lock_guard const lock(mutex_);
        moment_ = std::move(moment);
    }

    // Null if it was never recorded.
    std::shared_ptr<Moment const> last() const {
        std::lock_guard const lock(mutex_);
        return moment_;
    }

private:
    unsigned const flags_;
    mutable std::mutex mutex_;
    std::shared_ptr<Moment const> moment_;
};

// Never destroyed: calls may come from the destructors of other globals.
Handles<Event>& handles() {
    static Handles<Event>& instance = *new Handles<Event>;
    return instance;
}

constexpr unsigned kFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

void create(cudaEvent_t* result, unsigned flags) {
    require(result != nullptr && (flags & ~kFlags) == 0);
    // An event that another process could open must not be timed; here there is no other process.
    require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
    *result = static_cast<cudaEvent_t>(handles().add(std::make_shared<Event>(flags)));
}

Clock::time_point timeOf(cudaEvent_t handle) {
    auto const event = handles().find(handle);
    auto const moment = event->last();
    require(event->isTimed() && moment != nullptr, cudaErrorInvalidResourceHandle);
    require(reached(moment->mark), cudaErrorNotReady);
    return moment->time;
}

} // namespace
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
    return call([&] { handles().find(event)->record(*findStream(stream)); });
}

CUDART_ON_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                 (event, stream, flags)) {
    return call([&] {
        require(flags == cudaEventRecordDefault || flags == cudaEventRecordExternal);
        handles().find(event)->record(*findStream(stream));
    });
}

CUDART(cudaEventQuery)(cudaEvent_t event) {
    return call([&] {
        auto const moment = handles().find(event)->last();
        require(moment == nullptr || reached(moment->mark), cudaErrorNotReady);
    });
}

CUDART(cudaEventSynchronize)(cudaEvent_t event) {
    return call([&] {
        if (auto const moment = handles().find(event)->last()) waitFor(moment->mark);
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
    return call([&] {
        require(flags == cudaEventWaitDefault || flags == cudaEventWaitExternal);
        auto const moment = handles().find(event)->last();
        if (moment != nullptr) findStream(stream)->submit([] {}, {moment->mark});
    });
}

// 12.8 has it under this name too.
CUDART_HIDDEN(cudaError_t, cudaEventElapsedTime_v2)(float* ms, cudaEvent_t start, cudaEvent_t end) {
    return hostcuda_cudaEventElapsedTime(ms, start, end);
}
