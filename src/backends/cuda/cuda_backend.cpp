// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cuda_backend.h"

#include "backends/cuda/cuda_programs.h"
#include "backends/cuda/cuda_streams.h"
#include "backends/cuda/entry.h"
#include "backends/cuda/graph_recording.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/machine.h"
#include "backends/cuda/status.h"

#include <mutex>
#include <vector>

namespace tenon::cuda {
namespace {

class EventMoment final : public Moment {
public:
    EventMoment() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
    ~EventMoment() override { cudaEventDestroy(event_); }
    EventMoment(EventMoment const&) = delete;
    EventMoment& operator=(EventMoment const&) = delete;

    void mark(void* stream) override { check(cudaEventRecord(event_, streamOf(stream)), "cudaEventRecord"); }
    double nanosecondsSince(Moment const& earlier) const override {
        float milliseconds = 0;
        check(cudaEventSynchronize(event_), "cudaEventSynchronize");
        check(cudaEventElapsedTime(&milliseconds, static_cast<EventMoment const&>(earlier).event_, event_),
              "cudaEventElapsedTime");
        return milliseconds * 1e6;
    }

private:
    cudaEvent_t event_ = nullptr;
};

[[noreturn]] void failToAllocate(size_t bytes) {
    cudaGetLastError();
    size_t free = 0;
    size_t total = 0;
    cudaMemGetInfo(&free, &total);
    fail(ErrorCode::Memory, "cuda:", backend().current(), " has no ", bytes, " bytes in one piece; ", free, " of its ",
         total, " bytes are free");
}

class CudaBackend final : public Backend {
public:
    Device device() const override { return Device::Cuda; }

    std::string describe() const override {
        cudaDeviceProp const& p = properties();
        int driver = 0;
        check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
        return text(p.name, ", compute capability ", p.major, '.', p.minor, ", ", p.multiProcessorCount,
                    " multiprocessors, driver for CUDA ", versionText(driver), describeLibraries());
    }

    size_t memoryBytes() const override { return properties().totalGlobalMem; }

    std::vector<Kernel const*> kernelsFor(std::string_view kind) const override {
        return tenon::kernelsFor(kind, allKernelLists());
    }

    double reformatCost(Dims const& dims, Label const& from, Label const& to) const override {
        auto const bytes = static_cast<double>(bytesOf(dims, from) + bytesOf(dims, to));
        if (from.device == to.device) return kernelCost(bytes);
        constexpr double kWait = 20e3;     // the other side waits for it
        constexpr double kBytesPerNs = 20; // PCI Express 4, 16 lanes
        double const hop = kWait + bytes / 2 / kBytesPerNs;
        return from.type == to.type && from.format == to.format ? hop : hop + kernelCost(bytes);
    }

    double multiplySpeed(DataType type) const override {
        constexpr double kTensorCores = 8; // 16-bit products against TF32's and plain float32's in between
        switch (type) {
        case DataType::Float16:
        case DataType::BFloat16: return kTensorCores;
        case DataType::Int8: return 2 * kTensorCores;
        case DataType::Float32:
        case DataType::Float8:
        case DataType::Int4:
        case DataType::UInt8:
        case DataType::Int32:
        case DataType::Int64:
        case DataType::Bool: return 1;
        }
        return 1;
    }

    int count() const override {
        int devices = 0;
        check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
        return devices;
    }
    int current() const override {
        int index = 0;
        check(cudaGetDevice(&index), "cudaGetDevice");
        return index;
    }
    void makeCurrent(int index) const override {
        if (index < 0 || index >= count()) fail(ErrorCode::Device, absenceOf(index, findMachine()));
        check(cudaSetDevice(index), "cudaSetDevice");
    }

    size_t alignment() const override { return 256; } // as cudaMalloc's
    std::shared_ptr<void> allocate(size_t bytes) const override {
        void* memory = nullptr;
        if (cudaMalloc(&memory, std::max<size_t>(bytes, 1)) != cudaSuccess) failToAllocate(bytes);
        return {memory, [](void* m) { cudaFree(m); }};
    }

    std::shared_ptr<void> allocateStaging(size_t bytes) const override {
        void* memory = nullptr;
        check(cudaMallocHost(&memory, std::max<size_t>(bytes, 1)), "cudaMallocHost", {ErrorCode::Memory});
        return {memory, [](void* m) { cudaFreeHost(m); }};
    }

    void copy(void* to, void const* from, size_t bytes, void* stream) const override {
        if (bytes == 0 || to == from) return;
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, streamOf(stream)), "cudaMemcpyAsync");
    }

    void synchronize(void* stream) const override {
        check(cudaStreamSynchronize(streamOf(stream)), "cudaStreamSynchronize");
    }

    std::string unreachable(void const* address) const override {
        cudaPointerAttributes where{};
        check(cudaPointerGetAttributes(&where, address), "cudaPointerGetAttributes");
        switch (where.type) {
        case cudaMemoryTypeUnregistered: return "is host memory that no GPU can read; give it memory from cudaMalloc";
        case cudaMemoryTypeDevice:
            if (where.device == current()) return {};
            return text("is memory of cuda:", where.device);
        case cudaMemoryTypeHost:
        case cudaMemoryTypeManaged: return {};
        }
        return {}; // a kind of memory newer than this library
    }

    std::shared_ptr<void> makeStream() const override {
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        return {stream, [](void* s) { cudaStreamDestroy(streamOf(s)); }};
    }
    std::unique_ptr<Moment> makeMoment() const override { return std::make_unique<EventMoment>(); }
    void recordEvent(void* event, void* stream) const override {
        check(cudaEventRecord(static_cast<cudaEvent_t>(event), streamOf(stream)), "cudaEventRecord");
    }
    LibraryHandles makeLibraryHandles() const override { return cuda::makeLibraryHandles(); }
    std::unique_ptr<Recording> record(std::function<void(void*)> const& work) const override {
        return recordGraph(work);
    }
    bool isBeingRecorded(void* stream) const override {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        check(cudaStreamIsCapturing(streamOf(stream), &status), "cudaStreamIsCapturing");
        return status != cudaStreamCaptureStatusNone;
    }
};

/// Why this machine has no CUDA device to compute on; empty where it has one.
std::string absence() {
    int devices = 0;
    cudaError_t const status = cudaGetDeviceCount(&devices);
    cudaGetLastError();
    return absenceOn(static_cast<Status>(status), findMachine());
}

} // namespace

Backend const& backend() {
    static CudaBackend const instance;
    return instance;
}

cudaDeviceProp const& properties() {
    static std::mutex mutex;
    static std::vector<std::unique_ptr<cudaDeviceProp>> known;
    auto const index = static_cast<size_t>(backend().current());
    std::lock_guard const lock(mutex);
    if (known.size() <= index) known.resize(index + 1);
    if (!known[index]) {
        auto read = std::make_unique<cudaDeviceProp>();
        check(cudaGetDeviceProperties(read.get(), static_cast<int>(index)), "cudaGetDeviceProperties");
        Gpu const gpu{static_cast<int>(index), read->name, read->major * 10 + read->minor};
        if (std::string const why = refusalOf(gpu); !why.empty()) fail(ErrorCode::Device, why);
        known[index] = std::move(read);
    }
    return *known[index];
}

double kernelCost(double bytes, double operations, double flops) {
    constexpr double kLaunch = 1500;     // a small kernel behind another in a graph
    constexpr double kBytesPerNs = 3000; // 3 TB/s
    return kLaunch + std::max(bytes / kBytesPerNs, operations / flops);
}

} // namespace tenon::cuda

void tenonCudaBackend(char const* version, tenon::cuda::EntryAnswer& answer) {
    answer.absence.clear();
    if (std::string_view(version) != tenon::cuda::kEntryVersion)
        answer.absence = tenon::text("libtenon_cuda.so.1 is of Tenon ", tenon::cuda::kEntryVersion,
                                     " and libtenon.so.1 of ", version, "; install both from one build");
    else
        answer.absence = tenon::cuda::absence();
    if (!answer.absence.empty()) return;
    answer.backend = &tenon::cuda::backend();
    answer.streams = &tenon::cuda::streams();
    answer.programs = &tenon::cuda::programs();
}
