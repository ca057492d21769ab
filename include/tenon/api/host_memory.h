// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A block of bytes that the library made and the program deletes.
#ifndef TENON_API_HOST_MEMORY_H
#define TENON_API_HOST_MEMORY_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// A block of host memory, such as a saved engine. The receiver deletes it. May be read from any thread.
class IHostMemory : public tenonAbi::INoCopy {
public:
    ~IHostMemory() override = default;

    /// The first byte.
    virtual void* data() const = 0;

    /// Bytes.
    virtual std::size_t size() const = 0;

    /// What the bytes are: kINT8 for files.
    virtual DataType type() const = 0;

    /// As `delete`. Programs that derive from this class override it.
    virtual void TENON_UNTIL_8(destroy)() { delete this; }
};

} // namespace nvinfer1

#endif
