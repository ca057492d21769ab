// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a program implements so that the engine can call it: progress, profile, outputs of unknown size, streams.
///
/// The engine never owns such an object: keep it alive until the engine, context or builder that was given it is gone
/// or was given another one. No method may throw.
#ifndef TENON_API_CALLBACKS_H
#define TENON_API_CALLBACKS_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// Is told how long each layer took; `IExecutionContext::setProfiler()`.
class IProfiler : public tenonAbi::IVersionedInterface {
public:
    ~IProfiler() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IProfiler", 1, 0};
    }

    /// Called once for each layer after each execution, in order of execution, on the thread that executes.
    /// \param layerName name of the layer in the engine; layers that were fused have their names joined by " + "
    /// \param ms milliseconds
    virtual void reportLayerTime(char const* layerName, float ms) = 0;
};

#if TENON_LEVEL >= 8

/// Gives memory for outputs whose size is known only once they are computed; `IExecutionContext::setOutputAllocator()`.
class IOutputAllocator : public tenonAbi::IVersionedInterface {
public:
    ~IOutputAllocator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IOutputAllocator", 1, 0};
    }

    /// The version of this interface, before it had getInterfaceInfo().
    virtual int32_t TENON_UNTIL_8(getInterfaceVersion)() const { return 1; }

    /// Memory of at least `size` bytes, aligned to `alignment`, for the output `tensorName`. `size` is never 0, also
    /// where the output turns out empty, so that null can only mean failure.
    /// \param currentMemory what `setTensorAddress` was given; may be returned again if it is large enough
    /// \return null where there is none: the execution fails
#if TENON_LEVEL >= 10
    virtual void* reallocateOutput(char const* /*tensorName*/, void* /*currentMemory*/, uint64_t /*size*/,
                                   uint64_t /*alignment*/) {
        return nullptr;
    }
#else
    virtual void* reallocateOutput(char const* tensorName, void* currentMemory, uint64_t size, uint64_t alignment) = 0;
#endif

    /// The same in the order of `stream`. This is the one that the engine calls.
    virtual void* TENON_FROM_10(reallocateOutputAsync)(char const* tensorName, void* currentMemory, uint64_t size,
                                                       uint64_t alignment, cudaStream_t /*stream*/) {
        return reallocateOutput(tensorName, currentMemory, size, alignment);
    }

    /// The shape that the output has, once it is known: after reallocateOutput() and before the execution returns.
    TENON_LEVELED virtual void TENON_AS64(notifyShape)(char const* tensorName, tenonAbi::Dims64 const& dims)
        TENON_SLOT64({ notifyShape(tensorName, tenonAbi::dims32(dims)); });
    /// The same with 32-bit extents; levels up to 8 override this one.
    TENON_LEVELED virtual void TENON_AS32(notifyShape)(char const* tensorName, tenonAbi::Dims32 const& dims)
        TENON_SLOT32({ notifyShape(tensorName, tenonAbi::dims64(dims)); });
};

/// Is told how far a build is, and may stop it; `IBuilderConfig::setProgressMonitor()`. Phases nest and may overlap;
/// calls may come from any thread of the build.
class IProgressMonitor : public tenonAbi::IVersionedInterface {
public:
    ~IProgressMonitor() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IProgressMonitor", 1, 0};
    }

    /// A phase of `nbSteps` steps begins, inside `parentPhase` (null: outermost). Names are unique among open phases.
    virtual void phaseStart(char const* phaseName, char const* parentPhase, int32_t nbSteps) = 0;

    /// Step `step`, from 0, is done. \return false to stop the build, which then fails
    virtual bool stepComplete(char const* phaseName, int32_t step) = 0;

    /// The phase is over, finished or stopped.
    virtual void phaseFinish(char const* phaseName) = 0;
};

/// Finds the logger of a program on behalf of its plugin library, which exports `setLoggerFinder(ILoggerFinder*)`.
class ILoggerFinder : public tenonAbi::IVersionedInterface {
public:
    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"ILoggerFinder", 1, 0};
    }

    /// \return null where there is none
    virtual ILogger* findLogger() = 0;

protected:
    ~ILoggerFinder() override = default;
};

namespace tenonAbi {
using nvinfer1::IOutputAllocator;
using nvinfer1::IProgressMonitor;
} // namespace tenonAbi

#else

namespace tenonAbi {
// The engine's slots name these at every level.
class IOutputAllocator;
class IProgressMonitor;
} // namespace tenonAbi

#endif

#if TENON_LEVEL >= 10

/// What IStreamReaderV2::seek() counts from.
enum class SeekPosition : int32_t {
    kSET = 0, ///< The beginning.
    kCUR = 1, ///< The present position.
    kEND = 2, ///< The end; offsets are then negative or 0.
};

namespace impl {
template <> struct EnumMaxImpl<SeekPosition> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(SeekPosition::kEND);
};
} // namespace impl

namespace v_1_0 {

using nvinfer1::IOutputAllocator;
using nvinfer1::IProfiler;
using nvinfer1::IProgressMonitor;
#if TENON_LEVEL >= 11
using nvinfer1::ILoggerFinder;
#endif

/// A source that an engine is read from, front to back; `IRuntime::deserializeCudaEngine()`. Reading is done in host
/// memory, before that call returns.
class IStreamReader : public IVersionedInterface {
public:
    ~IStreamReader() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IStreamReader", 1, 0}; }

    /// Copies the next `nbBytes` bytes to `destination`.
    /// \return how many were copied; fewer only at the end of the source; -1 on error
    virtual int64_t read(void* destination, int64_t nbBytes) = 0;
};

/// A source that an engine is read from in any order.
class IStreamReaderV2 : public IVersionedInterface {
public:
    ~IStreamReaderV2() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IStreamReaderV2", 1, 0}; }

    /// Copies the next `nbBytes` bytes to `destination`, which may be host or device memory, in the order of `stream`.
    /// \return how many were copied; fewer only at the end of the source; -1 on error
    virtual int64_t read(void* destination, int64_t nbBytes, cudaStream_t stream) = 0;

    /// Moves the position of the next read to `offset` bytes from `where`.
    /// \return false where that is outside the source
    virtual bool seek(int64_t offset, SeekPosition where) = 0;
};

/// Where an engine is written to, front to back; `IBuilder::buildSerializedNetworkToStream()`.
class IStreamWriter : public IVersionedInterface {
public:
    ~IStreamWriter() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IStreamWriter", 1, 0}; }

    /// Takes the next `nbBytes` bytes.
    /// \return how many were taken; the build fails if that is not all of them
    virtual int64_t write(void const* data, int64_t nbBytes) = 0;
};

/// Sees the values of tensors marked with `INetworkDefinition::markDebug()`; `IExecutionContext::setDebugListener()`.
class IDebugListener : public IVersionedInterface {
public:
    ~IDebugListener() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IDebugListener", 1, 0}; }

    /// Called during execution, once the tensor `name` is computed: in a loop each trip. Shape tensors are on the host.
    /// \param addr its values, linear, at `location`; valid until this call returns
    /// \param stream the stream that computes them: work on other streams must wait for it
    /// \return false stops the execution with an error
    virtual bool processDebugTensor(void const* addr, TensorLocation location, DataType type, Dims64 const& shape,
                                    char const* name, cudaStream_t stream) = 0;
};

} // namespace v_1_0

using IStreamReader = v_1_0::IStreamReader;
using IStreamReaderV2 = v_1_0::IStreamReaderV2;
using IStreamWriter = v_1_0::IStreamWriter;
using IDebugListener = v_1_0::IDebugListener;

#endif

} // namespace nvinfer1

#endif // TENON_API_CALLBACKS_H
