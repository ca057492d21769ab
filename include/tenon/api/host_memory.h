// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A block of memory that the library allocates and the application deletes.
#ifndef TENON_API_HOST_MEMORY_H
#define TENON_API_HOST_MEMORY_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// A block of host memory, such as a serialized engine or timing cache.
///
/// \note Owner: the caller of the method that returned it deletes it.
/// \note Thread: may be read from any thread.
class IHostMemory : public tenonAbi::INoCopy {
public:
    ~IHostMemory() override = default;

    /// Returns the address of the first byte. Valid until the object is deleted.
    virtual void* data() const = 0;

    /// Returns the size in bytes.
    virtual std::size_t size() const = 0;

    /// Returns the type of the elements; kINT8 for serialized engines and caches.
    virtual DataType type() const = 0;

    /// Deletes the object, as `delete` does. Applications that derive from this class override it. Up to level 8.
    virtual void TENON_UNTIL_8(destroy)() { delete this; }
};

} // namespace nvinfer1

#endif
