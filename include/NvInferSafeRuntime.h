// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The runtime for engines that were built with EngineCapability::kSAFETY, which NVIDIA supports in its products for
/// vehicles. There are no such engines here, so the runtime refuses what it is given; programs and plugins that also
/// serve those products compile, and a plugin that registers itself for the safety runtime is in the common registry.
#ifndef NV_INFER_SAFE_RUNTIME_H
#define NV_INFER_SAFE_RUNTIME_H

#include "NvInferRuntime.h"

#include <cstddef>
#include <cstdint>

#if (TENON_LEVEL < 8 || TENON_LEVEL > 10) && !defined(TENON_ALL_LEVELS)
#error "NvInferSafeRuntime.h began with level 8 and ended with level 10: use NvInferRuntime.h."
#else

namespace nvinfer1 {

namespace safe {

class IExecutionContext;

/// An engine of the safety runtime. Not supported: no object of this class exists, so its methods are never called.
class ICudaEngine {
public:
    ICudaEngine() = default;
    ICudaEngine(ICudaEngine const&) = delete;
    ICudaEngine& operator=(ICudaEngine const&) & = delete;
    virtual ~ICudaEngine() noexcept = default;

    /// Returns the number of inputs and outputs.
    virtual std::int32_t getNbBindings() const noexcept = 0;
    /// Returns the number of a binding; -1 for an unknown name.
    virtual std::int32_t getBindingIndex(AsciiChar const* name) const noexcept = 0;
    /// Returns the name of a binding; null if the number is out of range.
    virtual AsciiChar const* getBindingName(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns whether the binding is an input; false if the number is out of range.
    virtual bool bindingIsInput(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns the shape of a binding, which is fixed.
    virtual Dims getBindingDimensions(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns the element type of a binding.
    virtual DataType getBindingDataType(std::int32_t bindingIndex) const noexcept = 0;
    /// Creates a context, which the caller deletes before the engine.
    virtual IExecutionContext* createExecutionContext() noexcept = 0;
    /// Creates a context that needs setDeviceMemory(). The caller deletes it before the engine.
    virtual IExecutionContext* createExecutionContextWithoutDeviceMemory() noexcept = 0;
    /// Returns the memory of a context in bytes.
    virtual size_t getDeviceMemorySize() const noexcept = 0;
    /// Returns the bytes of one element; -1 if the format has no vectorized axis.
    virtual std::int32_t getBindingBytesPerComponent(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns the block size of the vectorized axis; -1 if the format has none.
    virtual std::int32_t getBindingComponentsPerElement(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns the memory layout of a binding.
    virtual TensorFormat getBindingFormat(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns the index of the vectorized axis; -1 if the format has none.
    virtual std::int32_t getBindingVectorizedDim(std::int32_t bindingIndex) const noexcept = 0;
    /// Returns the name of the network; never null.
    virtual AsciiChar const* getName() const noexcept = 0;
    /// Sets the error recorder; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Returns the shape of an input or output; nbDims -1 for an unknown name.
    virtual Dims getTensorShape(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the element type of an input or output.
    virtual DataType getTensorDataType(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns whether a tensor is an input or an output; kNONE for an unknown name.
    virtual TensorIOMode getTensorIOMode(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the bytes of one element; -1 if the format has no vectorized axis.
    virtual std::int32_t getTensorBytesPerComponent(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the block size of the vectorized axis; -1 if the format has none.
    virtual std::int32_t getTensorComponentsPerElement(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the memory layout of an input or output.
    virtual TensorFormat getTensorFormat(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the index of the vectorized axis; -1 if the format has none.
    virtual std::int32_t getTensorVectorizedDim(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the number of inputs and outputs.
    virtual std::int32_t getNbIOTensors() const noexcept = 0;
    /// Returns the name of an input or output; null if `index` is out of range.
    virtual AsciiChar const* getIOTensorName(std::int32_t index) const noexcept = 0;
};

/// The errors of a run, in device memory. Since API version 9.
struct RuntimeErrorInformation {
    uint64_t bitMask; ///< A bit of RuntimeErrorType for each kind of error.
};

/// A kind of error that a run of the safety runtime detects. Since API version 9.
enum class RuntimeErrorType : uint64_t {
    kNAN_CONSUMED = 1ULL << 0, ///< A layer read a NaN.
    kINF_CONSUMED = 1ULL << 1, ///< A layer read an infinity.
    kGATHER_OOB = 1ULL << 2,   ///< An index of a gather was out of range.
    kSCATTER_OOB = 1ULL << 3,  ///< An index of a scatter was out of range.
    kSCATTER_RACE = 1ULL << 4, ///< Two indices of a scatter were equal.
};

#if TENON_LEVEL <= 8
/// The numbers of NaN and infinity in a run, in device memory. API version 8.
struct FloatingPointErrorInformation {
    int32_t nbNanErrors; ///< The number of NaN.
    int32_t nbInfErrors; ///< The number of infinities.
};
using ErrorBuffer = FloatingPointErrorInformation;
#else
using ErrorBuffer = RuntimeErrorInformation;
#endif

/// A context of the safety runtime. Not supported: no object of this class exists, so its methods are never called.
class IExecutionContext {
public:
    IExecutionContext() = default;
    IExecutionContext(IExecutionContext const&) = delete;
    IExecutionContext& operator=(IExecutionContext const&) & = delete;
    virtual ~IExecutionContext() noexcept = default;

    /// Returns the engine that made the context.
    virtual ICudaEngine const& getEngine() const noexcept = 0;
    /// Sets the name that errors show.
    /// \param name copied
    virtual void setName(AsciiChar const* name) noexcept = 0;
    /// Returns the name; never null.
    virtual AsciiChar const* getName() const noexcept = 0;
    /// Sets the memory of a context that was created without.
    /// \param memory ICudaEngine::getDeviceMemorySize() bytes, not owned
    virtual void setDeviceMemory(void* memory) noexcept = 0;
    /// Returns the strides of a binding in elements.
    virtual Dims getStrides(std::int32_t bindingIndex) const noexcept = 0;
    /// Sets the error recorder; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Enqueues a run in `stream`.
    /// \param bindings one address for each input and output
    /// \param inputConsumed recorded when the inputs have been read; null: none
    /// \return false on error
    virtual bool enqueueV2(void* const* bindings, cudaStream_t stream, cudaEvent_t const* inputConsumed) noexcept = 0;
    /// Sets where a run stores its errors; null: nowhere.
    TENON_LEVELED void setErrorBuffer(ErrorBuffer* buffer) noexcept { setErrorBuffer_(buffer); }
    /// Returns the error buffer; null unless set.
    TENON_LEVELED ErrorBuffer* getErrorBuffer() const noexcept { return static_cast<ErrorBuffer*>(getErrorBuffer_()); }
    /// Returns the strides of an input or output in elements.
    virtual Dims getTensorStrides(AsciiChar const* tensorName) const noexcept = 0;
    /// Sets the address of an input in device memory.
    /// \return false for an unknown name
    virtual bool setInputTensorAddress(AsciiChar const* tensorName, void const* data) noexcept = 0;
    /// Sets the address of an output in device memory.
    /// \return false for an unknown name
    virtual bool setOutputTensorAddress(AsciiChar const* tensorName, void* data) noexcept = 0;
    /// Sets an event that is recorded when a run has read its inputs; null: none.
    /// \return false on error
    virtual bool setInputConsumedEvent(cudaEvent_t event) noexcept = 0;
    /// Returns the event of setInputConsumedEvent(); null unless set.
    virtual cudaEvent_t getInputConsumedEvent() const noexcept = 0;
    /// Returns the address of an input; null unless set.
    virtual void const* getInputTensorAddress(AsciiChar const* tensorName) const noexcept = 0;
    /// Returns the address of an output; null unless set.
    virtual void* getOutputTensorAddress(AsciiChar const* tensorName) const noexcept = 0;
    /// Enqueues a run in `stream` with the addresses that are set.
    /// \return false on error
    virtual bool enqueueV3(cudaStream_t stream) noexcept = 0;

protected:
    virtual void setErrorBuffer_(void* buffer) noexcept = 0;
    virtual void* getErrorBuffer_() const noexcept = 0;
};

/// Loads engines of the safety runtime: it refuses all of them, since they are not supported.
class IRuntime {
public:
    IRuntime() = default;
    IRuntime(IRuntime const&) = delete;
    IRuntime& operator=(IRuntime const&) & = delete;
    virtual ~IRuntime() noexcept = default;

    /// Returns null, and an error in the log that names the alternative.
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;
    /// Has no effect: no engine is loaded.
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;
    /// Sets the error recorder; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
};

/// The plugin registry of the process under the interface of the safety runtime.
class IPluginRegistry {
public:
    IPluginRegistry() = default;
    IPluginRegistry(IPluginRegistry const&) = delete;
    IPluginRegistry& operator=(IPluginRegistry const&) & = delete;

    /// Registers a creator.
    /// \return false if a creator of this name, version and namespace is registered
    virtual bool registerCreator(IPluginCreator& creator, AsciiChar const* pluginNamespace) noexcept = 0;
    /// Lists the creators of the registry.
    /// \param numCreators receives their number
    /// \return an array, valid until the next such call of this thread
    virtual IPluginCreator* const* getPluginCreatorList(int32_t* numCreators) const noexcept = 0;
    /// Returns the creator of a name, version and namespace; null if there is none.
    virtual IPluginCreator* getPluginCreator(AsciiChar const* pluginName, AsciiChar const* pluginVersion,
                                             AsciiChar const* pluginNamespace = "") noexcept = 0;
    /// Sets the error recorder of the registry of the process.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder of the registry of the process.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Removes a creator.
    /// \return false if it is not registered
    virtual bool deregisterCreator(IPluginCreator const& creator) noexcept = 0;

protected:
    virtual ~IPluginRegistry() noexcept = default;
};

} // namespace safe

namespace tenonAbi {

/// The runtime that createInferRuntime() makes: it refuses every engine.
class SafeRuntime : public safe::IRuntime {
public:
    explicit SafeRuntime(ILogger* logger = nullptr) : logger_(logger) {}

    safe::ICudaEngine* deserializeCudaEngine(void const*, std::size_t) noexcept override {
        char const* const text = "safe::IRuntime::deserializeCudaEngine: not supported: engines of the safety runtime; "
                                 "build for EngineCapability::kSTANDARD and read with nvinfer1::createInferRuntime()";
        logger_->log(ILogger::Severity::kERROR, text);
        if (recorder_) recorder_->reportError(ErrorCode::kUNSUPPORTED_STATE, text);
        return nullptr;
    }
    void setGpuAllocator(IGpuAllocator*) noexcept override {}
    void setErrorRecorder(IErrorRecorder* recorder) noexcept override {
        if (recorder) recorder->incRefCount();
        if (recorder_) recorder_->decRefCount();
        recorder_ = recorder;
    }
    IErrorRecorder* getErrorRecorder() const noexcept override { return recorder_; }
    ~SafeRuntime() noexcept override { SafeRuntime::setErrorRecorder(nullptr); }

private:
    ILogger* logger_; // never null
    IErrorRecorder* recorder_ = nullptr;
};

/// The common registry, as the safety runtime sees it.
class SafePluginRegistry : public safe::IPluginRegistry {
public:
    bool registerCreator(IPluginCreator& creator, AsciiChar const* pluginNamespace) noexcept override {
        return getPluginRegistry()->registerCreator(creator, pluginNamespace);
    }
    IPluginCreator* const* getPluginCreatorList(int32_t* numCreators) const noexcept override {
        return getPluginRegistry()->getPluginCreatorList(numCreators);
    }
    IPluginCreator* getPluginCreator(AsciiChar const* pluginName, AsciiChar const* pluginVersion,
                                     AsciiChar const* pluginNamespace) noexcept override {
        return getPluginRegistry()->getPluginCreator(pluginName, pluginVersion, pluginNamespace);
    }
    void setErrorRecorder(IErrorRecorder* recorder) noexcept override {
        getPluginRegistry()->setErrorRecorder(recorder);
    }
    IErrorRecorder* getErrorRecorder() const noexcept override { return getPluginRegistry()->getErrorRecorder(); }
    bool deregisterCreator(IPluginCreator const& creator) noexcept override {
        return getPluginRegistry()->deregisterCreator(creator);
    }
    ~SafePluginRegistry() noexcept override = default;
};

} // namespace tenonAbi

namespace safe {

/// Creates a runtime that refuses all engines.
/// \param logger not owned; keep it valid as long as the runtime
/// \return the runtime, which the caller deletes
inline IRuntime* createInferRuntime(ILogger& logger) noexcept { return new tenonAbi::SafeRuntime(&logger); }

/// Returns the plugin registry of the process under the interface of the safety runtime.
inline IPluginRegistry* getSafePluginRegistry() noexcept {
    static tenonAbi::SafePluginRegistry registry;
    return &registry;
}

/// Registers a creator of class T while it lives.
template <typename T> class PluginRegistrar {
public:
    PluginRegistrar() { getSafePluginRegistry()->registerCreator(instance, ""); }

private:
    T instance{};
};

} // namespace safe

} // namespace nvinfer1

/// Registers a creator when the library or program is loaded.
#define REGISTER_SAFE_TENSORRT_PLUGIN(name)                                                                            \
    static nvinfer1::safe::PluginRegistrar<name> pluginRegistrar##name {}

#endif

#endif // NV_INFER_SAFE_RUNTIME_H
