// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

namespace tenon::trt {

/// An allocator with a unique address, by which plugins distinguish contexts.
class ContextAllocator final : public nvinfer1::IGpuAllocator {
public:
    explicit ContextAllocator(nvinfer1::IGpuAllocator& allocator) : allocator_(allocator) {}

    void* allocate(uint64_t size, uint64_t alignment, nvinfer1::AllocatorFlags flags) override {
        return allocator_.allocate(size, alignment, flags);
    }
    void* reallocate(void* memory, uint64_t alignment, uint64_t size) override {
        return allocator_.reallocate(memory, alignment, size);
    }
    bool deallocate(void* memory) override { return allocator_.deallocate(memory); }
    void* allocateAsync(uint64_t size, uint64_t alignment, nvinfer1::AllocatorFlags flags,
                        cudaStream_t stream) override {
        return allocator_.allocateAsync(size, alignment, flags, stream);
    }
    bool deallocateAsync(void* memory, cudaStream_t stream) override {
        return allocator_.deallocateAsync(memory, stream);
    }

private:
    nvinfer1::IGpuAllocator& allocator_;
};

/// The allocator that plugins get from their context: the application's, or one for memory of their device.
nvinfer1::IGpuAllocator* allocatorOf(PluginResources const& resources);

} // namespace tenon::trt
