// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"
#include "options.h"
#include "tensor_files.h"

#include <NvInferRuntime.h>

#include <map>
#include <string>

namespace trtexec {

class Log;

/// Writes the elements of debug tensors to files, each time that they are computed: a file has those of the last query.
class DebugFiles final : public nvinfer1::IDebugListener {
public:
    DebugFiles(Options const& options, Device& device, Log& log)
        : options_(options.inference), showsUnfused_(options.build.debugUnfused || !options.build.loadEngine.empty()),
          log_(log), queue_(device.makeQueue(clock_)) {}

    /// Makes the context report the tensors that have files. A Failure if one of them was not marked.
    void attach(nvinfer1::ICudaEngine const& engine, nvinfer1::IExecutionContext& context);
    /// After all queries: writes the summary.
    void finish() const;

    bool processDebugTensor(void const* memory, nvinfer1::TensorLocation location, nvinfer1::DataType type,
                            nvinfer1::Dims const& shape, char const* name, cudaStream_t stream) override;

private:
    bool has(DebugFormat format) const { return options_.debugFormats.count(format) > 0; }
    void write(std::string const& name, TensorValue const& tensor);

    InferenceOptions const& options_;
    bool showsUnfused_; // whether the engine has such tensors; one from a file does not tell which
    Log& log_;
    Clock const clock_;
    std::unique_ptr<DeviceQueue> queue_; // copies elements from the device
    std::string engineName_;
    std::map<std::string, size_t> numbers_; // of tensors, in the order of arrival
    std::map<size_t, std::string> summary_; // by the tensor's number: a JSON object
};

} // namespace trtexec
