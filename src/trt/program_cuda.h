// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntimeBase.h"

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
    /// The memory is a GPU's, where the CPU cannot read it.
    bool isOnlyOnDevice(void const* memory) const;

private:
    using Stream = int (*)(cudaStream_t);
    using Record = int (*)(cudaEvent_t, cudaStream_t);
    using Attributes = int (*)(void*, void const*);

    Stream synchronizeStream_ = nullptr;
    Record recordEvent_ = nullptr;
    Attributes pointerAttributes_ = nullptr;
};

} // namespace tenon::trt
