// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "debug_tensors.h"

#include "element.h"
#include "failure.h"
#include "files.h"
#include "log.h"

namespace trtexec {

void DebugFiles::attach(nvinfer1::IExecutionContext& context) {
    if (files_.empty()) return;
    if (!context.setDebugListener(this)) fail("--saveDebugTensors is refused; the log above says why");
    for (auto const& [name, file] : files_) {
        if (!context.setTensorDebugState(name.c_str(), true))
            fail("--saveDebugTensors: ", name,
                 " is no debug tensor of the engine; name it in --markDebug when the engine "
                 "is built");
    }
}

bool DebugFiles::processDebugTensor(void const* memory, nvinfer1::TensorLocation, nvinfer1::DataType type,
                                    nvinfer1::Dims const& shape, char const* name, cudaStream_t) try {
    auto const file = files_.find(name);
    if (file == files_.end()) return true;
    int64_t elements = 1;
    for (int32_t axis = 0; axis < shape.nbDims; ++axis) elements *= shape.d[axis];
    std::string bytes(static_cast<size_t>((elements * bitsOf(type) + 7) / 8), '\0');
    queue_->download(reinterpret_cast<std::byte*>(bytes.data()), memory, bytes.size()); // they are computed by now
    queue_->finish();
    writeFile(file->second, bytes);
    return true;
} catch (std::exception const& error) { // the caller takes no exception
    log_.error(error.what());
    return false;
}

} // namespace trtexec
