// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "runtime/context.h"
#include "trt/edge/call_program.h"
#include "trt/edge/convert.h"

#include <algorithm>

namespace tenon::trt {

/// Requests the memory of one output from the user's output allocator.
class AllocatorSink final : public OutputSink {
public:
    explicit AllocatorSink(nvinfer1::IOutputAllocator& allocator) : allocator_(allocator) {}

    nvinfer1::IOutputAllocator& allocator() const { return allocator_; }
    /// Sets the arguments of the next run's calls: the address from setTensorAddress, and the stream.
    void beginRun(void* current, cudaStream_t stream) {
        current_ = current;
        stream_ = stream;
    }

    void* allocate(std::string const& name, size_t bytes) override {
        constexpr uint64_t kAlignment = 64;
        uint64_t const size = std::max<uint64_t>(bytes, 1); // also for an empty output: null means failure
        return callProgram("IOutputAllocator::reallocateOutputAsync", [&] {
            return allocator_.reallocateOutputAsync(name.c_str(), current_, size, kAlignment, stream_);
        });
    }
    void shapeIs(std::string const& name, Dims const& dims) override {
        callProgram("IOutputAllocator::notifyShape", [&] { allocator_.notifyShape(name.c_str(), toApi(dims)); });
    }

private:
    nvinfer1::IOutputAllocator& allocator_;
    void* current_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

} // namespace tenon::trt
