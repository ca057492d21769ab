// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntimeBase.h"

#include <string>

namespace tenon::trt {

/// The CUDA runtime that the program itself uses, where one is in the process and its functions are visible (a shared
/// libcudart). Engines on the CPU take their place in the program's streams with it; the library never links to it.
class ProgramCuda {
public:
    /// Looks the functions up in what is loaded now.
    static ProgramCuda find();

    /// Waits until the stream has done what was put into it before; null streams and no runtime: nothing to wait for.
    void waitFor(cudaStream_t stream) const;
    /// Marks in the stream that what the event stands for has happened. An Error where there is no runtime.
    void record(cudaEvent_t event, cudaStream_t stream) const;
    bool canRecord() const { return recordEvent_ != nullptr; }
    /// The program's last error, 0 for none or no runtime; looking does not make the runtime forget it.
    int lastError() const;
    /// Its name, such as "cudaErrorNotSupported".
    std::string nameOf(int error) const;
    /// The memory is a GPU's, where the CPU cannot read it.
    bool isOnlyOnDevice(void const* memory) const;

private:
    using Stream = int (*)(cudaStream_t);
    using Record = int (*)(cudaEvent_t, cudaStream_t);
    using Peek = int (*)();
    using Name = char const* (*)(int);
    using Attributes = int (*)(void*, void const*);

    Stream synchronizeStream_ = nullptr;
    Record recordEvent_ = nullptr;
    Peek peekAtLastError_ = nullptr;
    Name errorName_ = nullptr;
    Attributes pointerAttributes_ = nullptr;
};

} // namespace tenon::trt
