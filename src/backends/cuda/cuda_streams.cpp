// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cuda_streams.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/graph_recording.h"
#include "backends/cuda/status.h"

#include <dlfcn.h>

namespace tenon::cuda {
namespace {

class CudaEvent final : public Event {
public:
    CudaEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
    ~CudaEvent() override { cudaEventDestroy(event_); }
    CudaEvent(CudaEvent const&) = delete;
    CudaEvent& operator=(CudaEvent const&) = delete;

    void record(void* stream) override { check(cudaEventRecord(event_, streamOf(stream)), "cudaEventRecord"); }
    void wait(void* stream) override { check(cudaStreamWaitEvent(streamOf(stream), event_, 0), "cudaStreamWaitEvent"); }

private:
    cudaEvent_t event_ = nullptr;
};

/// Null if the driver has no green contexts: they exist since CUDA 12.4.
void const* greenContextOf(void* stream) {
    using GetGreenContext = int (*)(cudaStream_t stream, void** context); // cuStreamGetGreenCtx
    static auto const get = [] {
        static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
        return driver ? reinterpret_cast<GetGreenContext>(dlsym(driver, "cuStreamGetGreenCtx")) : nullptr;
    }();
    void* context = nullptr;
    return get && get(streamOf(stream), &context) == 0 ? context : nullptr;
}

class CudaStreams final : public Streams {
public:
    std::shared_ptr<void> makeStream() const override {
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        return {stream, [](void* s) { cudaStreamDestroy(streamOf(s)); }};
    }
    std::unique_ptr<Event> makeEvent() const override { return std::make_unique<CudaEvent>(); }

    void recordEvent(void* event, void* stream) const override {
        check(cudaEventRecord(static_cast<cudaEvent_t>(event), streamOf(stream)), "cudaEventRecord");
    }

    void finishAll() const override { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

    bool finishDefault() const override {
        bool wasBusy = false;
        for (cudaStream_t const stream : {cudaStreamLegacy, cudaStreamPerThread}) {
            if (cudaStreamQuery(stream) != cudaErrorNotReady) continue;
            wasBusy = true;
            cudaStreamSynchronize(stream);
        }
        cudaGetLastError(); // cudaErrorNotReady is an error too
        return wasBusy;
    }

    void const* partition(void* stream) const override { return greenContextOf(stream); }

    std::unique_ptr<Recording> record(std::function<void(void*)> const& work) const override {
        return recordGraph(work);
    }

    bool isBeingRecorded(void* stream) const override {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        check(cudaStreamIsCapturing(streamOf(stream), &status), "cudaStreamIsCapturing");
        return status != cudaStreamCaptureStatusNone;
    }

    bool isRecordingBroken(void* stream) const override {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        if (cudaStreamIsCapturing(streamOf(stream), &status) == cudaSuccess)
            return status == cudaStreamCaptureStatusInvalidated;
        cudaGetLastError();
        return false; // the default stream, while the application records another one
    }
};

} // namespace

Streams const& streams() {
    static CudaStreams const instance;
    return instance;
}

} // namespace tenon::cuda
