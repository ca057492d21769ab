// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Execution contexts: shapes, addresses and scratch memory of the runs of an engine.
#ifndef TENON_API_CONTEXT_H
#define TENON_API_CONTEXT_H

#include "tenon/api/callbacks.h"

namespace nvinfer1 {

class ICudaEngine;
class TENON_FROM_10(IRuntimeConfig);
namespace v_1_0 {
class IDebugListener;
} // namespace v_1_0

/// How much logs, profiles, NVTX ranges and the inspector show of the layers of an engine;
/// IBuilderConfig::setProfilingVerbosity().
enum class ProfilingVerbosity : int32_t {
#if TENON_LEVEL < 10
    kDEFAULT = 0, ///< Earlier name of kLAYER_NAMES_ONLY.
#endif
    TENON_FROM_8(kLAYER_NAMES_ONLY) = 0, ///< Names of layers.
    kNONE = 1,                           ///< Nothing.
    TENON_FROM_8(kDETAILED) = 2,         ///< Names, shapes, types, formats and kernels.
#if TENON_LEVEL < 10
    kVERBOSE = 2, ///< Earlier name of kDETAILED.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<ProfilingVerbosity> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(ProfilingVerbosity::TENON_FROM_8(kDETAILED));
};
} // namespace impl

/// Runs an engine. ICudaEngine::createExecutionContext() makes it.
///
/// Typical sequence: setInputShape() for inputs with dimensions of -1, setTensorAddress() for every input and output
/// (or setOutputAllocator() for outputs), enqueueV3(). Shapes and addresses stay set for the next run. The first run
/// with new shapes prepares kernels and memory for them; further runs with these shapes do not.
///
/// A method that fails leaves the context as it was, and logs why. Methods that take the name of a tensor report an
/// unknown name as an error.
///
/// \note Owner: the application deletes it, preferably before the engine.
/// \note Thread: one at a time. Contexts of one engine may run at once; a context needs a thread of its own for that.
class IExecutionContext : public tenonAbi::INoCopy {
public:
    ~IExecutionContext() override = default;

    /// Sets whether execute(), executeV2() wait for each layer and log it. With the environment variable TENON_BLAME=1
    /// every run waits for each layer, so that errors name it.
    virtual void setDebugSync(bool sync) noexcept = 0;
    /// Returns whether execute() and executeV2() wait for each layer; false unless set.
    virtual bool getDebugSync() const noexcept = 0;
    /// Sets the object that receives the time of every layer of each run. Runs with a profiler are slower.
    /// \param profiler not owned; null disables profiling
    virtual void setProfiler(IProfiler* profiler) noexcept = 0;
    /// Returns the profiler; null unless set.
    virtual IProfiler* getProfiler() const noexcept = 0;
    /// Returns the engine that made the context; if that has been deleted, an equal one that the context owns.
    virtual ICudaEngine const& getEngine() const noexcept = 0;
    /// Sets the name that logs and errors show.
    /// \param name copied; null is an error
    virtual void setName(char const* name) noexcept = 0;
    /// Returns the name; "" unless set, never null.
    virtual char const* getName() const noexcept = 0;
    /// Sets the scratch memory of a context that was created without any.
    /// \param memory ICudaEngine::getDeviceMemorySize() bytes, aligned to 256; not owned. Null: none. On a device whose
    /// memory applications cannot allocate it has no effect, and the context uses its own
    /// \pre no run of the context is in progress
    virtual void setDeviceMemory(void* memory) noexcept = 0;

    /// Returns the index of the profile that shapes are checked against; 0 unless set.
    virtual int32_t getOptimizationProfile() const noexcept = 0;
    /// Returns whether the shapes of all inputs are known.
    virtual bool allInputDimensionsSpecified() const noexcept = 0;
    /// Returns whether all inputs that are shape tensors have values. Up to level 10.
    virtual bool TENON_UNTIL_10(allInputShapesSpecified)() const noexcept = 0;
    /// Sets the error recorder; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; initially that of the engine.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Changes the profile. Takes effect immediately; `stream` is ignored. Shapes that the profile leaves open must be
    /// set again.
    /// \return false, and an error in the log, if the index is out of range
    virtual bool setOptimizationProfileAsync(int32_t profileIndex, cudaStream_t stream) noexcept = 0;
    /// Runs the engine and waits for the result. Since level 10; level 8 has an overload below.
    /// \param bindings one address for each input and output, in the order of ICudaEngine::getIOTensorName()
    /// \return false on error
    virtual bool TENON_FROM_10(executeV2)(void* const* bindings) noexcept = 0;

    /// Sets whether every run reports to the profiler, or only reportToProfiler() does. Since level 8.
    virtual void TENON_FROM_8(setEnqueueEmitsProfile)(bool enqueueEmitsProfile) noexcept = 0;
    /// Returns whether every run reports to the profiler; true unless set. Since level 8.
    virtual bool TENON_FROM_8(getEnqueueEmitsProfile)() const noexcept = 0;
    /// Reports the times of the last run to the profiler, unless the run has done so. Since level 8.
    /// \return false, and an error in the log, if no profiler is set or nothing has run since it was set
    virtual bool TENON_FROM_8(reportToProfiler)() const noexcept = 0;

    /// Sets the address from which an input is read or to which an output is written. Since level 8.
    /// \param data in the memory of ICudaEngine::getTensorLocation(), aligned to 256 bytes on a GPU and to the element
    /// type on a CPU; valid until the run has finished. Null removes the address
    /// \return false, and an error in the log, for an unknown name and an address that the device cannot access
    virtual bool TENON_FROM_8(setTensorAddress)(char const* tensorName, void* data) noexcept = 0;
    /// Returns the address of an input or output; null if none is set. Since level 8.
    virtual void const* TENON_FROM_8(getTensorAddress)(char const* tensorName) const noexcept = 0;
    /// Sets the address of an input, as setTensorAddress(). Since level 8.
    /// \return also false for an output
    virtual bool TENON_FROM_8(setInputTensorAddress)(char const* tensorName, void const* data) noexcept = 0;
    /// Returns the address of an output; null if none is set, and for an input, which is an error. Since level 8.
    virtual void* TENON_FROM_8(getOutputTensorAddress)(char const* tensorName) const noexcept = 0;
    /// Infers all shapes that the current inputs determine, and writes the outputs for shapes (see
    /// INetworkDefinition::markOutputForShapes()) that have an address. Since level 8.
    /// \param nbMaxNames the length of `tensorNames`
    /// \param tensorNames receives names of inputs whose shape or values are missing; null if nbMaxNames is 0
    /// \return the number of such inputs, 0 if all shapes are known; -1 on error
    virtual int32_t TENON_FROM_8(inferShapes)(int32_t nbMaxNames, char const** tensorNames) noexcept = 0;
    /// Sets an event that is recorded when a run has read its inputs, so that the application may overwrite them. Since
    /// level 8.
    /// \param event not owned; null: none
    /// \return false, and an error in the log, without a CUDA runtime in the process. On a CPU the inputs have been
    /// read when enqueueV3() returns
    virtual bool TENON_FROM_8(setInputConsumedEvent)(cudaEvent_t event) noexcept = 0;
    /// Returns the event of setInputConsumedEvent(); null unless set. Since level 8.
    virtual cudaEvent_t TENON_FROM_8(getInputConsumedEvent)() const noexcept = 0;
    /// Sets an object that provides the memory of an output when its size is known, in place of the address of
    /// setTensorAddress(). Outputs whose shape depends on data need one, or an address with getMaxOutputSize() bytes.
    /// Since level 8.
    /// \param outputAllocator not owned; null removes it
    /// \return false, and an error in the log, for an input or an unknown name
    virtual bool TENON_FROM_8(setOutputAllocator)(char const* tensorName,
                                                  tenonAbi::IOutputAllocator* outputAllocator) noexcept = 0;
    /// Returns the allocator of an output; null if none is set. Since level 8.
    virtual tenonAbi::IOutputAllocator* TENON_FROM_8(getOutputAllocator)(char const* tensorName) const noexcept = 0;
    /// Returns an upper bound of the size of an output in bytes for the current input shapes; -1 on error. Since level
    /// 8.
    virtual int64_t TENON_FROM_8(getMaxOutputSize)(char const* tensorName) const noexcept = 0;
    /// Sets the allocator of scratch memory that a run needs temporarily. Since level 8.
    /// \param allocator not owned; null selects that of the runtime or builder, else that of the library
    /// \return true
    virtual bool TENON_FROM_8(setTemporaryStorageAllocator)(IGpuAllocator* allocator) noexcept = 0;
    /// Returns the allocator of temporary memory: the one that was set, else that of the runtime or builder; null if
    /// these have none. Since level 8.
    virtual IGpuAllocator* TENON_FROM_8(getTemporaryStorageAllocator)() const noexcept = 0;
    /// Enqueues a run in `stream`. On a CPU the run has finished when the call returns, after work that `stream`
    /// contains; then `stream` may be null. In a stream that is being captured, the run becomes part of the CUDA graph.
    /// Since level 8.
    /// \pre all shapes are known, every input has an address and every output an address or an allocator
    /// \return false on error; the log and the error recorder say why
    virtual bool TENON_FROM_8(enqueueV3)(cudaStream_t stream) noexcept = 0;
    /// Stores the limit of level 2 cache that stays between runs, in bytes. Without effect: contexts keep none. Since
    /// level 8.
    virtual void TENON_FROM_8(setPersistentCacheLimit)(std::size_t size) noexcept = 0;
    /// Returns the limit of setPersistentCacheLimit(); 0 unless set. Since level 8.
    virtual std::size_t TENON_FROM_8(getPersistentCacheLimit)() const noexcept = 0;
    /// Sets how much the NVTX ranges (domain "Tenon") of runs on a GPU show: names of layers, with kDETAILED their
    /// kernels too. Layers that are replayed as a CUDA graph have no range. Since level 8.
    /// \return false, and an error in the log, for more than the verbosity of the engine
    virtual bool TENON_FROM_8(setNvtxVerbosity)(ProfilingVerbosity verbosity) noexcept = 0;
    /// Returns the verbosity of NVTX ranges; that of the engine unless set. Since level 8.
    virtual ProfilingVerbosity TENON_FROM_8(getNvtxVerbosity)() const noexcept = 0;
    /// Replaces the first auxiliary streams of the context by those of the application. No effect on a CPU. Since level
    /// 8.
    /// \param auxStreams nbStreams streams, not owned, of the same green context as the stream of the run: else
    /// enqueueV3() fails
    /// \param nbStreams 0 restores the streams of the context
    virtual void TENON_FROM_8(setAuxStreams)(cudaStream_t* auxStreams, int32_t nbStreams) noexcept = 0;

    /// Sets the address of an output, as setTensorAddress(). Since level 10.
    /// \return also false for an input
    virtual bool TENON_FROM_10(setOutputTensorAddress)(char const* tensorName, void* data) noexcept = 0;
    /// Returns the scratch memory for the current input shapes in bytes. With kUSER_MANAGED set that much with
    /// setDeviceMemoryV2() before the run. Since level 10.
    /// \return 0, and an error in the log, if an input has no shape
    virtual std::size_t TENON_FROM_10(updateDeviceMemorySizeForShapes)() noexcept = 0;
    /// Sets the object that receives the values of debug tensors as they are computed. A run waits for each of them.
    /// Since level 10.
    /// \param listener not owned; null removes it
    /// \return true
    virtual bool TENON_FROM_10(setDebugListener)(v_1_0::IDebugListener* listener) noexcept = 0;
    /// Returns the debug listener; null unless set. Since level 10.
    virtual v_1_0::IDebugListener* TENON_FROM_10(getDebugListener)() noexcept = 0;
    /// Sets whether the listener receives a tensor that INetworkDefinition::markDebug() marked. Since level 10.
    /// \return false, and an error in the log with the names that exist, for others
    virtual bool TENON_FROM_10(setTensorDebugState)(char const* name, bool flag) noexcept = 0;
    /// Returns whether the listener receives the tensor; false unless set, and for a tensor that was not marked. Since
    /// level 10.
    virtual bool TENON_FROM_10(getDebugState)(char const* name) const noexcept = 0;
    /// Sets whether the listener receives all tensors that were marked. Since level 10.
    /// \return true
    virtual bool TENON_FROM_10(setAllTensorsDebugState)(bool flag) noexcept = 0;
    /// Sets the scratch memory, as setDeviceMemory(), with its size: a run that needs more fails. Since level 10.
    /// \param size bytes; less than 0 is an error
    virtual void TENON_FROM_10(setDeviceMemoryV2)(void* memory, int64_t size) noexcept = 0;
    /// Returns a copy of the configuration that the context was made with. Since level 10.
    /// \return the configuration, which the caller deletes; null on error
    virtual TENON_FROM_10(IRuntimeConfig) * TENON_FROM_10(getRuntimeConfig)() const noexcept = 0;
    /// Sets whether the listener receives the tensors between layers that fusion kept and that were not marked, except
    /// those in loops and conditionals. Since level 10.
    /// \return false, and an error in the log, if the network was built without
    /// INetworkDefinition::markUnfusedTensorsAsDebugTensors()
    virtual bool TENON_FROM_10(setUnfusedTensorsDebugState)(bool flag) noexcept = 0;
    /// Returns whether the listener receives tensors that were not marked; false unless set. Since level 10.
    virtual bool TENON_FROM_10(getUnfusedTensorsDebugState)() const noexcept = 0;
    /// Sets the NCCL communicator of collective layers. Since level 10.
    /// \param communicator an ncclComm_t, not owned; keep it valid during all runs. Null removes it
    /// \return false, and an error in the log, if the engine runs on a CPU
    virtual bool TENON_FROM_10(setCommunicator)(void* communicator) noexcept = 0;

#if TENON_LEVEL >= 8
    /// Returns the strides of an input or output in elements, for each axis of getTensorShape(). Since level 8.
    /// \return nbDims -1 if the shape is not known
    TENON_LEVELED Dims getTensorStrides(char const* tensorName) const noexcept {
        return shown_(getTensorStrides_(tensorName));
    }
    /// Sets the shape of an input, with the batch in any case. Since level 8.
    /// \param dims within the profile, and equal to the network where that has no -1
    /// \return false, and an error in the log that names the range, for others
    bool setInputShape(char const* tensorName, Dims const& dims) noexcept {
        return setInputShape_(tensorName, tenonAbi::dims64(dims));
    }
    /// Returns the shape of an input or output for the current inputs; -1 for a dimension that is not known yet. Up to
    /// level 8 without an implicit batch. Since level 8.
    /// \return nbDims -1, and an error in the log, for an unknown name
    TENON_LEVELED Dims getTensorShape(char const* tensorName) const noexcept {
        return shown_(getTensorShape_(tensorName));
    }
#endif

#if TENON_LEVEL < 10
    /// \name Bindings
    /// Inputs and outputs by number, as ICudaEngine::getBindingIndex() returns it. `bindings` has one address for each
    /// number; those of other profiles than the current one are not read. Up to level 8.
    /// \{
    /// Sets the shape of an input; see setInputShape().
    /// \return also false for a binding of another profile
    bool setBindingDimensions(int32_t bindingIndex, Dims dimensions) noexcept {
        return setBindingDimensions_(bindingIndex, tenonAbi::dims64(dimensions));
    }
    /// Returns the shape for the current inputs; nbDims -1 for a binding of another profile.
    TENON_LEVELED Dims getBindingDimensions(int32_t bindingIndex) const noexcept {
        return tenonAbi::dims(getBindingDimensions_(bindingIndex));
    }
    /// Returns the strides in elements; nbDims -1 for a binding of another profile, or if the shape is not known.
    TENON_LEVELED Dims getStrides(int32_t bindingIndex) const noexcept {
        return tenonAbi::dims(getStrides_(bindingIndex));
    }
    /// Sets the values of a kINT32 input that is a shape tensor.
    /// \param data copied
    /// \return false, and an error in the log, for other bindings and values outside the profile
    bool setInputShapeBinding(int32_t bindingIndex, int32_t const* data) noexcept {
        return setInputShapeBinding_(bindingIndex, data);
    }
    /// Copies the values of an input or output that is a shape tensor to `data`.
    /// \return false, and an error in the log, for other bindings, while inputs that the values depend on are missing,
    /// and for values that only a run finds
    bool getShapeBinding(int32_t bindingIndex, int32_t* data) const noexcept {
        return getShapeBinding_(bindingIndex, data);
    }
    /// Runs the engine and waits for the result.
    /// \return false on error, and for an engine with implicit batch
    bool executeV2(void* const* bindings) noexcept { return executeBindings_(bindings); }
    /// Enqueues a run in `stream`.
    /// \param inputConsumed recorded when the inputs have been read; null: none
    /// \return false on error, and for an engine with implicit batch
    bool enqueueV2(void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept {
        return enqueueBindings_(bindings, stream, inputConsumed);
    }
    /// Runs an engine with implicit batch and waits for the result. Each binding holds `batchSize` consecutive samples.
    /// \param batchSize 1 to ICudaEngine::getMaxBatchSize(). An engine with explicit batch ignores it, and warns if it
    /// is more than 1
    bool execute(int32_t batchSize, void* const* bindings) noexcept { return executeBatch_(batchSize, bindings); }
    /// Enqueues a run of an engine with implicit batch in `stream`; see execute().
    /// \param inputConsumed recorded when the inputs have been read; null: none
    bool enqueue(int32_t batchSize, void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept {
        return enqueueBatch_(batchSize, bindings, stream, inputConsumed);
    }
    /// \}
    /// Changes the profile. Shapes must be set again. Up to level 8.
    /// \return false, and an error in the log, if the index is out of range
    bool setOptimizationProfile(int32_t profileIndex) noexcept {
        return setOptimizationProfileAsync(profileIndex, nullptr);
    }
    /// Deletes the context, as `delete` does. Up to level 8.
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
