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

/// Writes the elements of debug tensors to files, each time that they are computed: a file holds those of the last
/// query.
class DebugFiles final : public nvinfer1::IDebugListener {
public:
    DebugFiles(Options const& options, Device& device, Log& log)
        : options_(options.inference), showsUnfused_(options.build.debugUnfused || !options.build.loadEngine.empty()),
          log_(log), queue_(device.makeQueue(clock_)) {}

    /// Has the context show the tensors that there are files for. A Failure where one of them was not marked.
    void attach(nvinfer1::ICudaEngine const& engine, nvinfer1::IExecutionContext& context);
    /// After all queries: writes the summary.
    void finish() const;

    bool processDebugTensor(void const* memory, nvinfer1::TensorLocation location, nvinfer1::DataType type,
                            nvinfer1::Dims const& shape, char const* name, cudaStream_t stream) override;

private:
    bool has(DebugFormat format) const { return options_.debugFormats.count(format) > 0; }
    void write(std::string const& name, TensorValue const& tensor);

    InferenceOptions const& options_;
    bool showsUnfused_; // where the engine has such tensors, which one from a file does not say
    Log& log_;
    Clock const clock_;
    std::unique_ptr<DeviceQueue> queue_; // elements come from the device by it
    std::string engineName_;
    std::map<std::string, size_t> numbers_; // of tensors, in the order that they came in
    std::map<size_t, std::string> summary_; // by the tensor's number: a JSON object
};

} // namespace trtexec
