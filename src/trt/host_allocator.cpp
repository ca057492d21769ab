// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/host_allocator.h"

#include <algorithm>
#include <cstdlib>

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

} // namespace

nvinfer1::IGpuAllocator* allocatorOf(PluginResources const& resources) {
    static HostAllocator host;
    return resources.allocator ? static_cast<nvinfer1::IGpuAllocator*>(resources.allocator) : &host;
}

} // namespace tenon::trt
