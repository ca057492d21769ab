// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Interfaces that an application implements and the engine calls: profiles, outputs of unknown size, progress,
/// streams, debug tensors.
///
/// \note Owner: the application. Keep an object valid until the engine, context or builder that uses it has been
/// deleted or uses another one.
/// \note The methods must not throw.
#ifndef TENON_API_CALLBACKS_H
#define TENON_API_CALLBACKS_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// Receives the time of each layer. IExecutionContext::setProfiler() sets it. The engine calls it at the end of a run,
/// or in IExecutionContext::reportToProfiler(), on the thread that called the context.
class IProfiler : public tenonAbi::IVersionedInterface {
public:
    ~IProfiler() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IProfiler", 1, 0};
    }

    /// Receives the time of one layer. Called once for each layer of the engine, in the order of execution.
    /// \param layerName the name of the layer in the engine, valid as long as the engine; names of fused layers are
    /// joined by " + "
    /// \param ms milliseconds
    virtual void reportLayerTime(char const* layerName, float ms) = 0;
};

#if TENON_LEVEL >= 8

/// Provides the memory of outputs when their size is known. IExecutionContext::setOutputAllocator() sets it. Since
/// level 8.
///
/// For each run the engine calls reallocateOutputAsync() and notifyShape() once for the output, before enqueueV3()
/// returns, on the thread that called it.
class IOutputAllocator : public tenonAbi::IVersionedInterface {
public:
    ~IOutputAllocator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IOutputAllocator", 1, 0};
    }

    /// Returns the version of the interface, 1. Level 8 only; later levels have getInterfaceInfo().
    virtual int32_t TENON_UNTIL_8(getInterfaceVersion)() const { return 1; }

    /// Returns memory for an output. Called by reallocateOutputAsync() unless that is overridden.
    /// \param tensorName the name of the output
    /// \param currentMemory the address of setTensorAddress(), or null; may be returned if it is large enough
    /// \param size the size in bytes; at least 1, also for an empty output
    /// \param alignment the alignment in bytes; the engine requests 64
    /// \return the address, valid until the run has finished; null fails the run
#if TENON_LEVEL >= 10
    virtual void* reallocateOutput(char const* /*tensorName*/, void* /*currentMemory*/, uint64_t /*size*/,
                                   uint64_t /*alignment*/) {
        return nullptr;
    }
#else
    virtual void* reallocateOutput(char const* tensorName, void* currentMemory, uint64_t size, uint64_t alignment) = 0;
#endif

    /// Returns memory for an output that is written in stream order. The engine calls this method. Unless overridden,
    /// it calls reallocateOutput(). Since level 10.
    virtual void* TENON_FROM_10(reallocateOutputAsync)(char const* tensorName, void* currentMemory, uint64_t size,
                                                       uint64_t alignment, cudaStream_t /*stream*/) {
        return reallocateOutput(tensorName, currentMemory, size, alignment);
    }

    /// Receives the shape of the output. Called after the memory has been requested and before enqueueV3() returns.
    TENON_LEVELED virtual void TENON_AS64(notifyShape)(char const* tensorName, tenonAbi::Dims64 const& dims)
        TENON_SLOT64({ notifyShape(tensorName, tenonAbi::dims32(dims)); });
    /// Receives the shape with 32-bit extents. Levels up to 8 override this method.
    TENON_LEVELED virtual void TENON_AS32(notifyShape)(char const* tensorName, tenonAbi::Dims32 const& dims)
        TENON_SLOT32({ notifyShape(tensorName, tenonAbi::dims64(dims)); });
};

/// Receives the progress of a build and can stop it. IBuilderConfig::setProgressMonitor() sets it. Since level 8.
///
/// The outermost phase "Building the engine" has one step for each stage of the build; each stage is a phase inside it
/// with one step. "Calibrating" contains a phase for each batch. The engine calls the methods on the thread that
/// builds.
class IProgressMonitor : public tenonAbi::IVersionedInterface {
public:
    ~IProgressMonitor() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"IProgressMonitor", 1, 0};
    }

    /// Receives the begin of a phase.
    /// \param phaseName unique among the open phases
    /// \param parentPhase the phase that contains it; null for the outermost
    /// \param nbSteps the number of steps
    virtual void phaseStart(char const* phaseName, char const* parentPhase, int32_t nbSteps) = 0;

    /// Receives the end of a step.
    /// \param step 0 to nbSteps - 1
    /// \return false stops the build, which then fails
    virtual bool stepComplete(char const* phaseName, int32_t step) = 0;

    /// Receives the end of a phase, also when the build fails or is stopped.
    virtual void phaseFinish(char const* phaseName) = 0;
};

/// Finds the logger of the application for a plugin library. A library that exports the C function
/// `setLoggerFinder(ILoggerFinder*)` receives one when it is loaded. Since level 8.
class ILoggerFinder : public tenonAbi::IVersionedInterface {
public:
    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return tenonAbi::InterfaceInfo{"ILoggerFinder", 1, 0};
    }

    /// Returns the logger of the application; null if there is none.
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

/// The position from which IStreamReaderV2::seek() counts. Since level 10.
enum class SeekPosition : int32_t {
    kSET = 0, ///< The beginning of the source.
    kCUR = 1, ///< The current position.
    kEND = 2, ///< The end of the source; offsets are 0 or negative.
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

/// A source from which IRuntime::deserializeCudaEngine() reads an engine, front to back. Called on the thread of that
/// call. Since level 10.
class IStreamReader : public IVersionedInterface {
public:
    ~IStreamReader() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IStreamReader", 1, 0}; }

    /// Copies the next bytes of the source.
    /// \param destination host memory
    /// \param nbBytes the number of bytes; the engine requests up to 1 MiB
    /// \return the number of copied bytes, which may be less than requested; 0 at the end of the source. A negative
    /// number is an error, except after a short read, where it means the end
    virtual int64_t read(void* destination, int64_t nbBytes) = 0;
};

/// A source with random access from which IRuntime::deserializeCudaEngine() reads an engine. Since level 10.
class IStreamReaderV2 : public IVersionedInterface {
public:
    ~IStreamReaderV2() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IStreamReaderV2", 1, 0}; }

    /// Copies the next bytes of the source.
    /// \param destination host or device memory; the engine passes host memory
    /// \param nbBytes the number of bytes; the engine requests up to 1 MiB
    /// \param stream the stream of the copy; the engine passes null
    /// \return as IStreamReader::read()
    virtual int64_t read(void* destination, int64_t nbBytes, cudaStream_t stream) = 0;

    /// Moves the position of the next read to `offset` bytes from `where`. The engine does not call it.
    /// \return false if that is outside the source
    virtual bool seek(int64_t offset, SeekPosition where) = 0;
};

/// A destination to which IBuilder::buildSerializedNetworkToStream() writes an engine. Called on the thread of that
/// call. Since level 10.
class IStreamWriter : public IVersionedInterface {
public:
    ~IStreamWriter() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IStreamWriter", 1, 0}; }

    /// Accepts the next bytes of the engine.
    /// \param data valid during the call only
    /// \param nbBytes the number of bytes; the engine passes the whole engine in one call
    /// \return the number of accepted bytes; less than nbBytes fails the build
    virtual int64_t write(void const* data, int64_t nbBytes) = 0;
};

/// Receives the values of tensors that INetworkDefinition::markDebug() marked. IExecutionContext::setDebugListener()
/// sets it. The engine calls it during a run, on the thread that runs. Since level 10.
class IDebugListener : public IVersionedInterface {
public:
    ~IDebugListener() override = default;

    InterfaceInfo getInterfaceInfo() const override { return InterfaceInfo{"IDebugListener", 1, 0}; }

    /// Receives a tensor when it has been computed, in a loop once for each trip. The engine has waited for `stream`.
    /// \param addr the values in kLINEAR format at `location`; valid during the call only
    /// \param location kHOST for shape tensors, else kDEVICE
    /// \param type the element type
    /// \param shape the shape of this run
    /// \param name the name of the tensor; valid during the call only
    /// \param stream the stream of the run
    /// \return false stops the run, which then fails
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
