// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu_device.h"

#include "failure.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace trtexec {
namespace {

constexpr size_t kAlignment = 64;

size_t physicalMemory() {
    long const pages = sysconf(_SC_PHYS_PAGES);
    long const pageBytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && pageBytes > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(pageBytes) : SIZE_MAX;
}

class CpuMemory final : public DeviceMemory {
public:
    explicit CpuMemory(size_t bytes) : size_(bytes) {
        size_t const rounded = (bytes / kAlignment + 1) * kAlignment; // never empty: null means no address
        size_t const most = physicalMemory();
        size_t const before = allocated_;
        if (bytes < most && before + bytes < most)
            data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
        if (!data_)
            fail("Not enough memory: cannot allocate ", bytes, " bytes beside ", before,
                 " for inputs and outputs; the "
                 "machine has ",
                 most);
        allocated_ += size_;
    }
    ~CpuMemory() override { allocated_ -= size_; }
    CpuMemory(CpuMemory const&) = delete;
    CpuMemory& operator=(CpuMemory const&) = delete;

    std::byte* data() override { return data_.get(); }
    size_t size() const override { return size_; }

private:
    struct Free {
        void operator()(std::byte* data) const { std::free(data); }
    };

    static std::atomic<size_t> allocated_; // shared by all objects
    std::unique_ptr<std::byte, Free> data_;
    size_t size_;
};

std::atomic<size_t> CpuMemory::allocated_ = 0;

class CpuQueue final : public DeviceQueue {
public:
    explicit CpuQueue(Clock const& clock) : clock_(clock) {}

    cudaStream_t stream() override { return nullptr; }
    void upload(DeviceMemory& to, std::byte const* from, size_t bytes) override { std::memcpy(to.data(), from, bytes); }
    void download(std::byte* to, void const* from, size_t bytes) override { std::memcpy(to, from, bytes); }
    void mark(Moment moment) override { times_[static_cast<size_t>(moment)] = clock_.milliseconds(); }
    MomentTimes finish() override { return std::exchange(times_, MomentTimes{}); }

private:
    Clock const& clock_;
    MomentTimes times_{};
};

class CpuDevice final : public Device {
public:
    size_t memoryBytes() const override { return physicalMemory(); }
    std::unique_ptr<DeviceMemory> allocate(size_t bytes) override { return allocateHost(bytes); }
    std::unique_ptr<DeviceQueue> makeQueue(Clock const& clock) override { return std::make_unique<CpuQueue>(clock); }
    bool queuesWork() const override { return false; }
};

} // namespace

std::unique_ptr<Device> makeCpuDevice() { return std::make_unique<CpuDevice>(); }

std::unique_ptr<DeviceMemory> allocateHost(size_t bytes) { return std::make_unique<CpuMemory>(bytes); }

} // namespace trtexec
