// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

#include <NvInferRuntime.h>

#include <map>
#include <string>

namespace trtexec {

class Log;

/// Writes the elements of debug tensors to files, each time that they are computed.
class DebugFiles final : public nvinfer1::IDebugListener {
public:
    DebugFiles(std::map<std::string, std::string> const& files, Device& device, Log& log)
        : files_(files), log_(log), queue_(device.makeQueue(clock_)) {}

    /// Has the context show the tensors that there are files for. A Failure where one of them was not marked.
    void attach(nvinfer1::IExecutionContext& context);

    bool processDebugTensor(void const* memory, nvinfer1::TensorLocation location, nvinfer1::DataType type,
                            nvinfer1::Dims const& shape, char const* name, cudaStream_t stream) override;

private:
    std::map<std::string, std::string> const& files_; // by tensor
    Log& log_;
    Clock const clock_;
    std::unique_ptr<DeviceQueue> queue_; // elements come from the device by it
};

} // namespace trtexec
