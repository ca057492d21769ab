// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntimeBase.h"

#include <memory>
#include <string>

namespace tenon::trt {

/// Work that each launch of a graph of the application repeats.
class GraphWork {
public:
    virtual ~GraphWork() = default;
    virtual bool run() noexcept = 0;
};

/// The CUDA runtime that the application itself uses, if one is in the process and its functions are visible (a shared
/// libcudart). With it, engines on the CPU run in order with the application's streams; the library never links to it.
class ProgramCuda {
public:
    /// Looks up the functions in the libraries that are loaded now.
    static ProgramCuda find();

    /// Waits for the earlier work in the stream; null streams and no runtime: returns immediately.
    void waitFor(cudaStream_t stream) const;
    /// Records the event in the stream. An Error if there is no runtime.
    void record(cudaEvent_t event, cudaStream_t stream) const;
    bool canRecord() const { return recordEvent_ != nullptr; }
    /// The stream is being captured.
    bool isCapturing(cudaStream_t stream) const;
    /// Adds the work to the graph that the stream is captured into; it lives as long as the graph and its instances. An
    /// Error if the runtime cannot.
    void addToGraph(cudaStream_t stream, std::unique_ptr<GraphWork> work) const;
    /// A stream that no other work waits for; null if there is no runtime.
    std::shared_ptr<void> makeStream() const;
    /// While it lives, calls of this thread invalidate no capture of any stream and thread.
    class BesideCaptures {
    public:
        explicit BesideCaptures(ProgramCuda const& cuda);
        ~BesideCaptures();
        BesideCaptures(BesideCaptures const&) = delete;
        BesideCaptures& operator=(BesideCaptures const&) = delete;

    private:
        ProgramCuda const& cuda_;
        int mode_;
    };
    /// The application's last error, 0 for none or no runtime; the runtime keeps it.
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
    using Status = int (*)(cudaStream_t, int* status);
    using Info = int (*)(cudaStream_t, int* status, unsigned long long* id, void** graph, void*, void*, void*);
    using MakeStream = int (*)(cudaStream_t*, unsigned flags);
    using Exchange = int (*)(int* mode);
    using Launch = int (*)(cudaStream_t, int (*work)(void*), void* data);
    using MakeObject = int (*)(void** object, void* data, void (*destroy)(void*), unsigned count, unsigned flags);
    using Retain = int (*)(void* graph, void* object, unsigned count, unsigned flags);

    Stream synchronizeStream_ = nullptr;
    Record recordEvent_ = nullptr;
    Peek peekAtLastError_ = nullptr;
    Name errorName_ = nullptr;
    Attributes pointerAttributes_ = nullptr;
    Status isCapturing_ = nullptr;
    Info captureInfo_ = nullptr;
    MakeStream makeStream_ = nullptr;
    Stream destroyStream_ = nullptr;
    Exchange exchangeMode_ = nullptr;
    Launch launch_ = nullptr;
    MakeObject makeObject_ = nullptr;
    Retain retain_ = nullptr;
};

} // namespace tenon::trt
