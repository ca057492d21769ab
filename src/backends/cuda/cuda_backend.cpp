// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cuda_backend.h"

#include "backends/cuda/cuda_programs.h"
#include "backends/cuda/cuda_streams.h"
#include "backends/cuda/gpu_costs.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/machine.h"
#include "backends/cuda/status.h"
#include "backends/entry.h"
#include "base/disk_cache.h"

#include <mutex>
#include <nvtx3/nvToolsExt.h>
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

class CudaTiming final : public Timing {
public:
    std::unique_ptr<Moment> makeMoment() const override { return std::make_unique<EventMoment>(); }
};

class CudaMemory final : public ProgramMemory {
public:
    std::string unreachable(void const* address) const override {
        cudaPointerAttributes where{};
        check(cudaPointerGetAttributes(&where, address), "cudaPointerGetAttributes");
        switch (where.type) {
        case cudaMemoryTypeUnregistered: return "is host memory that GPUs cannot access; use memory from cudaMalloc";
        case cudaMemoryTypeDevice:
            if (where.device == backend().current()) return {};
            return text("is memory of cuda:", where.device);
        case cudaMemoryTypeHost:
        case cudaMemoryTypeManaged: return {};
        }
        return {}; // a memory type newer than this library
    }
};

class CudaPlugins final : public PluginSupport {
public:
    LibraryHandles makeLibraryHandles() const override { return cuda::makeLibraryHandles(); }
};

/// NVTX, which searches for a profiler on its first call.
class CudaMarkers final : public Markers {
public:
    void begin(char const* name) const override {
        nvtxEventAttributes_t range{};
        range.version = NVTX_VERSION;
        range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        range.messageType = NVTX_MESSAGE_TYPE_ASCII;
        range.message.ascii = name;
        nvtxDomainRangePushEx(domain(), &range);
    }
    void end() const override { nvtxDomainRangePop(domain()); }

private:
    static nvtxDomainHandle_t domain() {
        static nvtxDomainHandle_t const ours = nvtxDomainCreateA("Tenon");
        return ours;
    }
};

[[noreturn]] void failToAllocate(size_t bytes) {
    cudaGetLastError();
    size_t free = 0;
    size_t total = 0;
    cudaMemGetInfo(&free, &total); // its status matters less than the error being reported
    fail(ErrorCode::Memory, "cuda:", backend().current(), " cannot allocate ", bytes, " bytes; ", free, " of its ",
         properties().totalGlobalMem, " bytes are free");
}

class CudaBackend final : public Backend {
public:
    Device device() const override { return kCuda; }

    std::string describe() const override {
        cudaDeviceProp const& p = properties();
        int driver = 0;
        check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
        return text(p.name, ", compute capability ", p.major, '.', p.minor, ", ", p.multiProcessorCount,
                    " multiprocessors, driver for CUDA ", versionText(driver), describeLibraries());
    }

    size_t memoryBytes() const override { return properties().totalGlobalMem; }
    size_t freeBytes() const override {
        size_t free = 0;
        size_t total = 0;
        check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        return free;
    }

    std::vector<Kernel const*> kernelsFor(std::string_view kind) const override {
        return tenon::kernelsFor(kind, allKernelLists());
    }

    Costs const& costs() const override { return cuda::costs(); }

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

    size_t alignment() const override { return 256; } // like cudaMalloc's
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

    Streams const* streams() const override { return &cuda::streams(); }
    Programs const* programs() const override { return &cuda::programs(); }
    ProgramMemory const* programMemory() const override { return &memory_; }
    PluginSupport const* pluginSupport() const override { return &plugins_; }
    Timing const* timing() const override { return &timing_; }
    Markers const* markers() const override { return &markers_; }
    std::shared_ptr<void> compileAnew() const override { return std::make_shared<NoDiskCache>(); }

private:
    CudaMemory memory_;
    CudaPlugins plugins_;
    CudaTiming timing_;
    CudaMarkers markers_;
};

/// Why this machine has no usable CUDA device; empty if it has one.
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

namespace {

/// The properties of a GPU, read once.
struct KnownGpu {
    cudaDeviceProp properties{};
    Costs costs;
};

double attributeOf(cudaDeviceAttr attribute, int index) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, attribute, index), "cudaDeviceGetAttribute");
    return value;
}

Costs costsOf(cudaDeviceProp const& gpu, int index) {
    return costsOf(GpuFigures{gpu.major * 10 + gpu.minor, gpu.multiProcessorCount,
                              attributeOf(cudaDevAttrClockRate, index), attributeOf(cudaDevAttrMemoryClockRate, index),
                              attributeOf(cudaDevAttrGlobalMemoryBusWidth, index)});
}

std::unique_ptr<KnownGpu> readGpu(int index) {
    auto read = std::make_unique<KnownGpu>();
    check(cudaGetDeviceProperties(&read->properties, index), "cudaGetDeviceProperties");
    Gpu const gpu{index, read->properties.name, read->properties.major * 10 + read->properties.minor};
    if (std::string const why = refusalOf(gpu); !why.empty()) fail(ErrorCode::Device, why);
    read->costs = costsOf(read->properties, index);
    return read;
}

KnownGpu const& currentGpu() {
    static std::mutex mutex;
    static std::vector<std::unique_ptr<KnownGpu>> known;
    auto const index = static_cast<size_t>(backend().current());
    std::lock_guard const lock(mutex);
    if (known.size() <= index) known.resize(index + 1);
    if (!known[index]) known[index] = readGpu(static_cast<int>(index));
    return *known[index];
}

} // namespace

cudaDeviceProp const& properties() { return currentGpu().properties; }
Costs const& costs() { return currentGpu().costs; }

double kernelCost(double bytes, double operations, double perNs) { return costs().kernel(bytes, operations, perNs); }
double kernelCost(double bytes, double operations) {
    return kernelCost(bytes, operations, kOrdinary * costs().float32);
}

Offer offerMoving(KernelQuery const& query, Moving const& moving, std::vector<Format> const& formats) {
    return tenon::offerMoving(query, {kCuda, [](double bytes) { return kernelCost(bytes); }}, moving, formats);
}

} // namespace tenon::cuda

tenon::BackendEntry const tenonBackendEntry{.open = [] {
    tenon::BackendAnswer answer{.absence = tenon::cuda::absence()};
    if (answer.absence.empty()) answer.backend = &tenon::cuda::backend();
    return answer;
}};
