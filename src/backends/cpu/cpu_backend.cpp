// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"

#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_calls.h"
#include "base/error.h"

#include <chrono>
#include <cstring>
#include <dnnl.hpp>
#include <fstream>
#include <unistd.h>

namespace tenon::cpu {
namespace {

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "unknown processor";
}

class ClockMoment final : public Moment {
public:
    void mark(void*) override { at_ = std::chrono::steady_clock::now(); }
    double nanosecondsSince(Moment const& earlier) const override {
        std::chrono::duration<double, std::nano> const since = at_ - static_cast<ClockMoment const&>(earlier).at_;
        return since.count();
    }

private:
    std::chrono::steady_clock::time_point at_;
};

class CpuBackend final : public Backend {
public:
    Device device() const override { return Device::Cpu; }

    std::string describe() const override {
        dnnl::version_t const* onednn = dnnl_version();
        return text(processorName(), ", own kernels for ", nameOf(bestIsa()), ", oneDNN ", onednn->major, '.',
                    onednn->minor, '.', onednn->patch);
    }

    size_t memoryBytes() const override {
        return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    }

    std::vector<Kernel const*> kernelsFor(std::string_view kind) const override {
        std::vector<Kernel const*> kernels = tenon::kernelsFor(kind, allKernelLists());
        kernels.push_back(&referenceKernel());
        return kernels;
    }

    double reformatCost(Dims const& dims, Label const& from, Label const& to) const override {
        return 1000 + memoryCost(static_cast<double>(bytesOf(dims, from) + bytesOf(dims, to)));
    }

    double multiplySpeed(DataType type) const override { return cpu::multiplySpeed(type); }

    int count() const override { return 1; }
    int current() const override { return 0; }
    void makeCurrent(int index) const override {
        if (index != 0) fail(ErrorCode::Device, "there is no CPU ", index, "; all cores are CPU 0");
    }

    size_t alignment() const override { return 64; } // a cache line, and the widest vector
    std::shared_ptr<void> allocate(size_t bytes) const override { return allocateHost(bytes); }
    std::shared_ptr<void> allocateStaging(size_t bytes) const override { return allocateHost(bytes); }
    void copy(void* to, void const* from, size_t bytes, void*) const override {
        if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
    }
    void synchronize(void*) const override {} // all is done when run() returns
    std::string unreachable(void const*) const override { return {}; }
    std::shared_ptr<void> makeStream() const override { return nullptr; }
    std::unique_ptr<Moment> makeMoment() const override { return std::make_unique<ClockMoment>(); }
    void recordEvent(void*, void*) const override { fail(ErrorCode::Device, "a CPU marks no events of CUDA's"); }
    LibraryHandles makeLibraryHandles() const override { return {}; }
    std::unique_ptr<Recording> record(std::function<void(void*)> const&) const override { return nullptr; }
    bool isBeingRecorded(void*) const override { return false; }
};

/// All is done when a step returns.
class NoStreams final : public Streams {
public:
    std::unique_ptr<Event> makeEvent() const override { return nullptr; }
    void finishAll() const override {}
    bool finishDefault() const override { return false; }
    bool isRecordingBroken(void*) const override { return false; }
};

} // namespace

Backend const& backend() {
    openOneDnn();
    static CpuBackend const instance;
    return instance;
}

Streams const& streams() {
    static NoStreams const instance;
    return instance;
}

int channelBlock() { return bestIsa() == Isa::Avx512 ? 16 : 8; }

double memoryCost(double bytes) { return bytes / 8; } // 8 GB/s a core: what one core of common servers streams

} // namespace tenon::cpu
