// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/default_allocator.h"

#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <unordered_map>

namespace tenon::trt {
namespace {

class HostAllocator final : public nvinfer1::IGpuAllocator {
public:
    void* allocate(uint64_t size, uint64_t alignment, nvinfer1::AllocatorFlags) override {
        constexpr uint64_t kLeast = 64;
        if (size == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
        uint64_t const unit = std::max(alignment, kLeast);
        if (size > UINT64_MAX - unit) return nullptr;
        return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
    }
    bool deallocate(void* memory) override {
        std::free(memory);
        return true;
    }
};

/// Memory of the device that is current at the request.
class DeviceAllocator final : public nvinfer1::IGpuAllocator {
public:
    explicit DeviceAllocator(Backend const& backend) : backend_(backend) {}

    void* allocate(uint64_t size, uint64_t alignment, nvinfer1::AllocatorFlags) override {
        if (size == 0 || alignment > backend_.alignment() || (alignment & (alignment - 1)) != 0) return nullptr;
        try {
            auto memory = backend_.allocate(size);
            std::lock_guard const lock(mutex_);
            return held_.emplace(memory.get(), memory).first->first;
        } catch (Error const&) {
            return nullptr; // as documented for out of memory
        }
    }
    bool deallocate(void* memory) override {
        std::lock_guard const lock(mutex_);
        return memory == nullptr || held_.erase(memory) == 1;
    }

private:
    Backend const& backend_;
    std::mutex mutex_;
    std::unordered_map<void*, std::shared_ptr<void>> held_;
};

} // namespace

nvinfer1::IGpuAllocator* allocatorOf(PluginResources const& resources) {
    if (resources.allocator) return static_cast<nvinfer1::IGpuAllocator*>(resources.allocator);
    static HostAllocator host;
    if (resources.device == Device::Cpu) return &host;
    static std::mutex mutex;
    static std::map<Device, DeviceAllocator> devices;
    std::lock_guard const lock(mutex);
    return &devices.try_emplace(resources.device, backendOf(resources.device)).first->second;
}

} // namespace tenon::trt
