// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess.h"

#include <NvInfer.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tenon/memory.h>
#include <vector>

namespace ocr {

// Memory for one output, requested by the engine once it knows the output's size.
class OutputBuffer final : public nvinfer1::IOutputAllocator {
public:
    void* reallocateOutputAsync(char const* name, void* current, uint64_t size, uint64_t alignment,
                                cudaStream_t stream) override;
    void notifyShape(char const* name, nvinfer1::Dims const& dims) noexcept override;

    nvinfer1::Dims const& shape() const { return shape_; }
    void const* data() const { return host_.data(); }
    // Copies the engine's output to the host. Throws std::runtime_error if that fails.
    void fetch(tenon::Stream& stream, size_t bytes);

private:
    std::unique_ptr<tenon::DeviceMemory> memory_;
    std::vector<std::byte> host_;
    nvinfer1::Dims shape_{};
};

// A saved engine with one input, and a context to run it in. One thread at a time.
class Engine {
public:
    // Throws std::runtime_error if the file cannot be read or is not an engine for this runtime.
    Engine(nvinfer1::IRuntime& runtime, std::filesystem::path const& file);

    // Runs synchronously. Throws std::runtime_error if the engine refuses the input or fails; the log has the reason.
    void run(Tensor const& input);

    // An output of the latest run, until the next one. Throws std::runtime_error for a name that is not an output.
    nvinfer1::Dims const& shape(std::string const& name) const { return output(name).shape(); }

    template <typename Value> std::span<Value const> values(std::string const& name) const {
        size_t count = 1;
        for (int32_t i = 0; i < shape(name).nbDims; ++i) count *= size_t(shape(name).d[i]);
        return {static_cast<Value const*>(output(name).data()), count};
    }

private:
    OutputBuffer const& output(std::string const& name) const;

    void fetchOutputs();

    std::string file_;
    tenon::Stream stream_;
    std::unique_ptr<tenon::DeviceMemory> inputMemory_;
    std::unique_ptr<nvinfer1::ICudaEngine> engine_;
    std::unique_ptr<nvinfer1::IExecutionContext> context_;
    std::string input_;
    std::map<std::string, OutputBuffer> outputs_;
};

} // namespace ocr
