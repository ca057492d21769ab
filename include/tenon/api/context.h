// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// One execution state of an engine: shapes, addresses, scratch memory.
#ifndef TENON_API_CONTEXT_H
#define TENON_API_CONTEXT_H

#include "tenon/api/callbacks.h"

namespace nvinfer1 {

class ICudaEngine;
class TENON_FROM_10(IRuntimeConfig);
namespace v_1_0 {
class IDebugListener;
} // namespace v_1_0

/// How much a layer's name says, in profiles, logs and the inspector.
enum class ProfilingVerbosity : int32_t {
#if TENON_LEVEL < 10
    kDEFAULT = 0, ///< The earlier name of kLAYER_NAMES_ONLY.
#endif
    TENON_FROM_8(kLAYER_NAMES_ONLY) = 0,
    kNONE = 1,
    TENON_FROM_8(kDETAILED) = 2, ///< Names, types, formats, kernels.
#if TENON_LEVEL < 10
    kVERBOSE = 2, ///< The earlier name of kDETAILED.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<ProfilingVerbosity> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ProfilingVerbosity::TENON_FROM_8(kDETAILED));
};
} // namespace impl

/// Runs an engine. Made by `ICudaEngine::createExecutionContext()`; the receiver deletes it, best before the engine.
/// Several contexts of one engine may run at once, each used from one thread at a time.
///
/// The way of a run: `setInputShape` where the profile leaves dimensions open, `setTensorAddress` for every input and
/// output (or `setOutputAllocator`), `enqueueV3`. Shapes and addresses stay set for the next run. After a method has
/// failed the context is as before the call.
class IExecutionContext : public tenonAbi::INoCopy {
public:
    ~IExecutionContext() override = default;

    /// Waits for each layer and logs that it ran, in `execute` and `executeV2` alone. The environment variable
    /// TENON_BLAME=1 has every run wait for each layer, so that errors name it.
    virtual void setDebugSync(bool sync) noexcept = 0;
    /// What setDebugSync() set; false unless set.
    virtual bool getDebugSync() const noexcept = 0;
    /// Told the time of every layer of each run. Null: none. Not owned.
    virtual void setProfiler(IProfiler* profiler) noexcept = 0;
    /// What setProfiler() set; null unless set.
    virtual IProfiler* getProfiler() const noexcept = 0;
    /// The engine that made it; where the program has deleted that, an equal one that goes with the context.
    virtual ICudaEngine const& getEngine() const noexcept = 0;
    /// Shown in logs and errors. Copied.
    virtual void setName(char const* name) noexcept = 0;
    /// Never null; "" unless set.
    virtual char const* getName() const noexcept = 0;
    /// Scratch memory for a context made without any: `ICudaEngine::getDeviceMemorySizeV2()` bytes, aligned to 256. Not
    /// owned; not while a run is under way.
    virtual void setDeviceMemory(void* memory) noexcept = 0;

    /// The profile that shapes are checked against. 0 at first.
    virtual int32_t getOptimizationProfile() const noexcept = 0;
    /// Whether every open input dimension is set.
    virtual bool allInputDimensionsSpecified() const noexcept = 0;
    /// Whether every input that is a shape tensor has values.
    virtual bool TENON_UNTIL_10(allInputShapesSpecified)() const noexcept = 0;
    /// Errors are kept there, beside the log. Null: none. Not owned; counted by incRefCount. At first the engine's.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// The engine's at first; else what setErrorRecorder() set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Changes the profile, at once: `stream` is not looked at. Shapes that the profile leaves open must be set anew.
    /// \return false where out of range
    virtual bool setOptimizationProfileAsync(int32_t profileIndex, cudaStream_t stream) noexcept = 0;
    /// Runs and waits. \param bindings one address for each input and output, in order of `getIOTensorName`
    virtual bool TENON_FROM_10(executeV2)(void* const* bindings) noexcept = 0;

    /// Whether a run reports to the profiler by itself (true at first) or only when reportToProfiler is called.
    virtual void TENON_FROM_8(setEnqueueEmitsProfile)(bool enqueueEmitsProfile) noexcept = 0;
    /// What setEnqueueEmitsProfile() set; true unless set.
    virtual bool TENON_FROM_8(getEnqueueEmitsProfile)() const noexcept = 0;
    /// Reports the times of the last run. \return false where there is none, or no profiler
    virtual bool TENON_FROM_8(reportToProfiler)() const noexcept = 0;

    /// Where an input is read or an output written; aligned to 256 bytes for devices (to its type on a CPU). Keep it
    /// until the run is over. Null takes it back. \return false for a name that is no input or output
    virtual bool TENON_FROM_8(setTensorAddress)(char const* tensorName, void* data) noexcept = 0;
    /// Null where none is set.
    virtual void const* TENON_FROM_8(getTensorAddress)(char const* tensorName) const noexcept = 0;
    /// setTensorAddress for an input only.
    virtual bool TENON_FROM_8(setInputTensorAddress)(char const* tensorName, void const* data) noexcept = 0;
    /// Null where none is set, or where it is no output.
    virtual void* TENON_FROM_8(getOutputTensorAddress)(char const* tensorName) const noexcept = 0;
    /// Computes all shapes that what is set tells, and writes the outputs for shapes that have an address.
    /// \param nbMaxNames length of `tensorNames`, which is filled with inputs that lack a shape or values
    /// \return how many inputs lack one (0: all shapes are known); -1 on error
    virtual int32_t TENON_FROM_8(inferShapes)(int32_t nbMaxNames, char const** tensorNames) noexcept = 0;
    /// Recorded once a run has read its inputs. Null: none. \return false where events are not supported
    virtual bool TENON_FROM_8(setInputConsumedEvent)(cudaEvent_t event) noexcept = 0;
    /// What setInputConsumedEvent() set; null unless set.
    virtual cudaEvent_t TENON_FROM_8(getInputConsumedEvent)() const noexcept = 0;
    /// Takes the place of setTensorAddress for an output. Null: none. Not owned. \return false where it is no output
    virtual bool TENON_FROM_8(setOutputAllocator)(char const* tensorName,
                                                  tenonAbi::IOutputAllocator* outputAllocator) noexcept = 0;
    /// What setOutputAllocator() set for this output; null unless set.
    virtual tenonAbi::IOutputAllocator* TENON_FROM_8(getOutputAllocator)(char const* tensorName) const noexcept = 0;
    /// The most bytes that an output can need with the shapes that are set; -1 on error.
    virtual int64_t TENON_FROM_8(getMaxOutputSize)(char const* tensorName) const noexcept = 0;
    /// For memory that a run needs for a short time. Null: the engine's own. Not owned.
    virtual bool TENON_FROM_8(setTemporaryStorageAllocator)(IGpuAllocator* allocator) noexcept = 0;
    /// What setTemporaryStorageAllocator() set, else the runtime's or builder's; null where that has none either.
    virtual IGpuAllocator* TENON_FROM_8(getTemporaryStorageAllocator)() const noexcept = 0;
    /// Runs in the order of `stream`; on a CPU it is done when the call returns, and `stream` may be null.
    /// \return false on error: read the log or the error recorder
    virtual bool TENON_FROM_8(enqueueV3)(cudaStream_t stream) noexcept = 0;
    /// The most bytes of second-level cache to keep between runs. A context keeps none.
    virtual void TENON_FROM_8(setPersistentCacheLimit)(std::size_t size) noexcept = 0;
    /// What setPersistentCacheLimit() set; 0 unless set.
    virtual std::size_t TENON_FROM_8(getPersistentCacheLimit)() const noexcept = 0;
    /// How much the NVTX ranges (domain "Tenon") of runs on a GPU tell: names of layers, in detail their kernels too.
    /// Layers that are replayed as a CUDA graph have none of their own. \return false for more than the engine has
    virtual bool TENON_FROM_8(setNvtxVerbosity)(ProfilingVerbosity verbosity) noexcept = 0;
    /// What setNvtxVerbosity() set; the engine's verbosity unless set.
    virtual ProfilingVerbosity TENON_FROM_8(getNvtxVerbosity)() const noexcept = 0;
    /// Streams that a run may use beside its own, in the places of the first of the context's; none: the context's
    /// again. Without effect on a CPU. They are of the green context of the run's stream, else enqueueV3() is false.
    virtual void TENON_FROM_8(setAuxStreams)(cudaStream_t* auxStreams, int32_t nbStreams) noexcept = 0;

    /// setTensorAddress for an output only.
    virtual bool TENON_FROM_10(setOutputTensorAddress)(char const* tensorName, void* data) noexcept = 0;
    /// How much scratch memory the shapes that are set take, in bytes: with kUSER_MANAGED, what setDeviceMemoryV2() is
    /// to be given before they are run. 0 on error, as where an input lacks its shape.
    virtual std::size_t TENON_FROM_10(updateDeviceMemorySizeForShapes)() noexcept = 0;
    /// Is shown tensors as they are computed; each makes the run wait. Null: none. Not owned.
    virtual bool TENON_FROM_10(setDebugListener)(v_1_0::IDebugListener* listener) noexcept = 0;
    /// What setDebugListener() set; null unless set.
    virtual v_1_0::IDebugListener* TENON_FROM_10(getDebugListener)() noexcept = 0;
    /// Whether a tensor marked for debugging is shown to the listener. False at first. \return false where it was not
    /// marked
    virtual bool TENON_FROM_10(setTensorDebugState)(char const* name, bool flag) noexcept = 0;
    /// Whether setTensorDebugState() has this one shown; false for a name that was not marked.
    virtual bool TENON_FROM_10(getDebugState)(char const* name) const noexcept = 0;
    /// setTensorDebugState() for all tensors that were marked.
    virtual bool TENON_FROM_10(setAllTensorsDebugState)(bool flag) noexcept = 0;
    /// setDeviceMemory, with the size in bytes, which is checked.
    virtual void TENON_FROM_10(setDeviceMemoryV2)(void* memory, int64_t size) noexcept = 0;
    /// What it was made with. The receiver deletes it.
    virtual TENON_FROM_10(IRuntimeConfig) * TENON_FROM_10(getRuntimeConfig)() const noexcept = 0;
    /// Whether tensors that were not marked, and that fusion left over, are shown to the listener. False at first.
    /// \return false where the network was built without markUnfusedTensorsAsDebugTensors()
    virtual bool TENON_FROM_10(setUnfusedTensorsDebugState)(bool flag) noexcept = 0;
    /// What setUnfusedTensorsDebugState() set; false unless set.
    virtual bool TENON_FROM_10(getUnfusedTensorsDebugState)() const noexcept = 0;
    /// An ncclComm_t for collective layers, which outlives all runs. \return false where the engine runs on a CPU
    virtual bool TENON_FROM_10(setCommunicator)(void* communicator) noexcept = 0;

#if TENON_LEVEL >= 8
    /// Elements from one index to the next, for each axis of getTensorShape(); nbDims -1 where not yet known.
    TENON_LEVELED Dims getTensorStrides(char const* tensorName) const noexcept {
        return shown_(getTensorStrides_(tensorName));
    }
    /// Sets the shape of an input, with the batch in any case: inside the profile, and equal to what the network fixes.
    bool setInputShape(char const* tensorName, Dims const& dims) noexcept {
        return setInputShape_(tensorName, tenonAbi::dims64(dims));
    }
    /// The shape of an input or output with what is set so far: -1 for a dimension that is not known yet, nbDims -1 for
    /// a name that is no input or output. Up to level 8 without the batch that a network left out.
    TENON_LEVELED Dims getTensorShape(char const* tensorName) const noexcept {
        return shown_(getTensorShape_(tensorName));
    }
#endif

#if TENON_LEVEL < 10
    /// \name Bindings
    /// Inputs and outputs by number, as `ICudaEngine::getBindingIndex()` tells it. Only those of the profile that is
    /// chosen are read; `bindings` has places for all profiles.
    /// \{
    /// \return false for a binding of another profile, and where setInputShape() is
    bool setBindingDimensions(int32_t bindingIndex, Dims dimensions) noexcept {
        return setBindingDimensions_(bindingIndex, tenonAbi::dims64(dimensions));
    }
    /// With what is set so far; nbDims -1 for a binding of another profile.
    TENON_LEVELED Dims getBindingDimensions(int32_t bindingIndex) const noexcept {
        return tenonAbi::dims(getBindingDimensions_(bindingIndex));
    }
    /// getTensorStrides() of the binding; nbDims -1 for a binding of another profile.
    TENON_LEVELED Dims getStrides(int32_t bindingIndex) const noexcept {
        return tenonAbi::dims(getStrides_(bindingIndex));
    }
    /// The elements of an input that is a shape tensor, copied.
    bool setInputShapeBinding(int32_t bindingIndex, int32_t const* data) noexcept {
        return setInputShapeBinding_(bindingIndex, data);
    }
    /// The elements of an input or output that is a shape tensor, as many as it has. \return false while inputs that
    /// they depend on are not set, and where it is none
    bool getShapeBinding(int32_t bindingIndex, int32_t* data) const noexcept {
        return getShapeBinding_(bindingIndex, data);
    }
    /// Runs and waits.
    bool executeV2(void* const* bindings) noexcept { return executeBindings_(bindings); }
    /// Runs in the order of `stream`. \param inputConsumed recorded when the inputs have been read; null: none
    bool enqueueV2(void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept {
        return enqueueBindings_(bindings, stream, inputConsumed);
    }
    /// Runs an engine with implicit batch, and waits. Each binding holds `batchSize` samples, one behind the other.
    /// \param batchSize 1 to ICudaEngine::getMaxBatchSize(); 1 for an engine with explicit batch
    bool execute(int32_t batchSize, void* const* bindings) noexcept { return executeBatch_(batchSize, bindings); }
    /// The same in the order of `stream`. \param inputConsumed as in enqueueV2
    bool enqueue(int32_t batchSize, void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept {
        return enqueueBatch_(batchSize, bindings, stream, inputConsumed);
    }
    /// \}
    /// Changes the profile. All shapes must be set anew. \return false where out of range
    bool setOptimizationProfile(int32_t profileIndex) noexcept {
        return setOptimizationProfileAsync(profileIndex, nullptr);
    }
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

private:
    TENON_LEVELED Dims shown_(tenonAbi::Dims64 const& dims) const noexcept; // engine.h defines it

protected:
    virtual tenonAbi::Dims64 getTensorStrides_(char const* tensorName) const noexcept = 0;
    virtual bool setInputShape_(char const* tensorName, tenonAbi::Dims64 const& dims) noexcept = 0;
    virtual tenonAbi::Dims64 getTensorShape_(char const* tensorName) const noexcept = 0;
    virtual bool setBindingDimensions_(int32_t bindingIndex, tenonAbi::Dims64 const& dims) noexcept = 0;
    virtual tenonAbi::Dims64 getBindingDimensions_(int32_t bindingIndex) const noexcept = 0;
    virtual tenonAbi::Dims64 getStrides_(int32_t bindingIndex) const noexcept = 0;
    virtual bool setInputShapeBinding_(int32_t bindingIndex, int32_t const* data) noexcept = 0;
    virtual bool executeBindings_(void* const* bindings) noexcept = 0;
    virtual bool enqueueBindings_(void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept = 0;
    virtual bool executeBatch_(int32_t batchSize, void* const* bindings) noexcept = 0;
    virtual bool enqueueBatch_(int32_t batchSize, void* const* bindings, cudaStream_t stream,
                               cudaEvent_t* inputConsumed) noexcept = 0;
    virtual bool getShapeBinding_(int32_t bindingIndex, int32_t* data) const noexcept = 0;
};

} // namespace nvinfer1

#endif
