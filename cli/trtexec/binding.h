// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

#include <span>

namespace trtexec {

/// The memory layout of a tensor's elements.
struct TensorLayout {
    nvinfer1::DataType type;
    nvinfer1::Dims dims;
    nvinfer1::Dims strides; // in vector elements
    int32_t vectorAxis;     // -1: none
    int32_t vectorLength;

    int64_t elements() const;
    size_t bytes() const;
    /// The offset of element `index` of the row-major order, in elements.
    int64_t position(int64_t index) const;
};

/// Of a context whose shapes are set; unknown dimensions are -1.
TensorLayout layoutOf(nvinfer1::IExecutionContext const& context, char const* name);

bool isOpen(nvinfer1::Dims const& dims);

/// Memory for an output whose shape is known only after it is computed.
class OpenOutput final : public nvinfer1::IOutputAllocator {
public:
    explicit OpenOutput(Device& device) : device_(device) {}

    DeviceMemory* memory() { return memory_.get(); }
    nvinfer1::Dims const& dims() const { return dims_; }

    void* reallocateOutputAsync(char const* tensorName, void* currentMemory, uint64_t size, uint64_t alignment,
                                cudaStream_t stream) override;
    void notifyShape(char const*, nvinfer1::Dims const& dims) override { dims_ = dims; }

private:
    Device& device_;
    std::unique_ptr<DeviceMemory> memory_;
    nvinfer1::Dims dims_{};
};

/// One input or output of a context: host memory, and device memory if the engine uses a device.
class Binding {
public:
    /// Applies the context's shape of the tensor.
    Binding(Device& device, nvinfer1::IExecutionContext const& context, std::string name);

    std::string const& name() const { return name_; }
    bool isInput() const { return input_; }
    /// Whether the shape is known only after the output is computed.
    bool isOpen() const { return open_ != nullptr; }
    TensorLayout const& layout() const { return layout_; }
    /// The values on the host.
    std::span<std::byte> host() const { return {host_->data(), layout_.bytes()}; }

    /// Sets the tensor's address in the context. A Failure if the context refuses it.
    void bind(nvinfer1::IExecutionContext& context);
    void upload(DeviceQueue& queue);
    void download(DeviceQueue& queue);

private:
    std::string name_;
    bool input_;
    TensorLayout layout_;
    std::unique_ptr<DeviceMemory> host_;   // none for a dynamic output before it exists
    std::unique_ptr<DeviceMemory> memory_; // none for shape tensors, which the engine reads and writes on the host
    std::unique_ptr<OpenOutput> open_;
};

} // namespace trtexec
