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

/// An engine of the safety runtime. There is none: no method of it is ever called. Bindings are inputs and outputs by
/// number.
class ICudaEngine {
public:
    ICudaEngine() = default;
    ICudaEngine(ICudaEngine const&) = delete;
    ICudaEngine& operator=(ICudaEngine const&) & = delete;
    virtual ~ICudaEngine() noexcept = default;

    /// How many inputs and outputs there are.
    virtual std::int32_t getNbBindings() const noexcept = 0;
    /// The number of the binding of that name; -1 where there is none.
    virtual std::int32_t getBindingIndex(AsciiChar const* name) const noexcept = 0;
    /// Null where `bindingIndex` is out of range.
    virtual AsciiChar const* getBindingName(std::int32_t bindingIndex) const noexcept = 0;
    /// False for an output, and for a number out of range.
    virtual bool bindingIsInput(std::int32_t bindingIndex) const noexcept = 0;
    /// The shape, which is fixed.
    virtual Dims getBindingDimensions(std::int32_t bindingIndex) const noexcept = 0;
    /// The type of one element.
    virtual DataType getBindingDataType(std::int32_t bindingIndex) const noexcept = 0;
    /// The caller deletes it, before the engine.
    virtual IExecutionContext* createExecutionContext() noexcept = 0;
    /// A context that is to be given memory by setDeviceMemory(). The caller deletes it, before the engine.
    virtual IExecutionContext* createExecutionContextWithoutDeviceMemory() noexcept = 0;
    /// Bytes that a context needs.
    virtual size_t getDeviceMemorySize() const noexcept = 0;
    /// Bytes of one element; -1 where the format has no vectorized axis.
    virtual std::int32_t getBindingBytesPerComponent(std::int32_t bindingIndex) const noexcept = 0;
    /// Elements that lie together along the vectorized axis; -1 where the format has none.
    virtual std::int32_t getBindingComponentsPerElement(std::int32_t bindingIndex) const noexcept = 0;
    /// How the elements lie in memory.
    virtual TensorFormat getBindingFormat(std::int32_t bindingIndex) const noexcept = 0;
    /// The vectorized axis; -1 where the format has none.
    virtual std::int32_t getBindingVectorizedDim(std::int32_t bindingIndex) const noexcept = 0;
    /// The name of the network; never null.
    virtual AsciiChar const* getName() const noexcept = 0;
    /// Errors are kept there. Null: none. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// What setErrorRecorder() set; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// The shape of an input or output, by name; nbDims -1 for another name.
    virtual Dims getTensorShape(AsciiChar const* tensorName) const noexcept = 0;
    /// The type of one element.
    virtual DataType getTensorDataType(AsciiChar const* tensorName) const noexcept = 0;
    /// kNONE for a name that is no input or output.
    virtual TensorIOMode getTensorIOMode(AsciiChar const* tensorName) const noexcept = 0;
    /// Bytes of one element; -1 where the format has no vectorized axis.
    virtual std::int32_t getTensorBytesPerComponent(AsciiChar const* tensorName) const noexcept = 0;
    /// Elements that lie together along the vectorized axis; -1 where the format has none.
    virtual std::int32_t getTensorComponentsPerElement(AsciiChar const* tensorName) const noexcept = 0;
    /// How the elements lie in memory.
    virtual TensorFormat getTensorFormat(AsciiChar const* tensorName) const noexcept = 0;
    /// The vectorized axis; -1 where the format has none.
    virtual std::int32_t getTensorVectorizedDim(AsciiChar const* tensorName) const noexcept = 0;
    /// How many inputs and outputs there are.
    virtual std::int32_t getNbIOTensors() const noexcept = 0;
    /// Null where `index` is out of range.
    virtual AsciiChar const* getIOTensorName(std::int32_t index) const noexcept = 0;
};

/// Which of RuntimeErrorType were seen, in device memory; from version 9 on.
struct RuntimeErrorInformation {
    uint64_t bitMask;
};

/// What a run of the safety runtime may count; from version 9 on.
enum class RuntimeErrorType : uint64_t {
    kNAN_CONSUMED = 1ULL << 0, ///< A layer read a NaN.
    kINF_CONSUMED = 1ULL << 1, ///< A layer read an infinity.
    kGATHER_OOB = 1ULL << 2,   ///< A gather's index lay outside.
    kSCATTER_OOB = 1ULL << 3,  ///< A scatter's index lay outside.
    kSCATTER_RACE = 1ULL << 4, ///< Two indices of a scatter were equal.
};

#if TENON_LEVEL <= 8
/// How often a run of version 8 met NaN and infinity, in device memory.
struct FloatingPointErrorInformation {
    int32_t nbNanErrors;
    int32_t nbInfErrors;
};
using ErrorBuffer = FloatingPointErrorInformation;
#else
using ErrorBuffer = RuntimeErrorInformation;
#endif

/// The state of one execution in the safety runtime. There is none: no method of it is ever called.
class IExecutionContext {
public:
    IExecutionContext() = default;
    IExecutionContext(IExecutionContext const&) = delete;
    IExecutionContext& operator=(IExecutionContext const&) & = delete;
    virtual ~IExecutionContext() noexcept = default;

    /// The engine that made it.
    virtual ICudaEngine const& getEngine() const noexcept = 0;
    /// Shown in errors. Copied.
    virtual void setName(AsciiChar const* name) noexcept = 0;
    /// What setName() set; never null.
    virtual AsciiChar const* getName() const noexcept = 0;
    /// Scratch memory for a context made without any: ICudaEngine::getDeviceMemorySize() bytes. Not owned.
    virtual void setDeviceMemory(void* memory) noexcept = 0;
    /// Elements from one index to the next, for each axis.
    virtual Dims getStrides(std::int32_t bindingIndex) const noexcept = 0;
    /// Errors are kept there. Null: none. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// What setErrorRecorder() set; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Runs in the order of `stream`. \param bindings one address for each input and output \param inputConsumed
    /// recorded when the inputs have been read; null: none \return false on error
    virtual bool enqueueV2(void* const* bindings, cudaStream_t stream, cudaEvent_t const* inputConsumed) noexcept = 0;
    /// Where the run is to count errors; null for nowhere.
    TENON_LEVELED void setErrorBuffer(ErrorBuffer* buffer) noexcept { setErrorBuffer_(buffer); }
    /// What setErrorBuffer() set; null unless set.
    TENON_LEVELED ErrorBuffer* getErrorBuffer() const noexcept { return static_cast<ErrorBuffer*>(getErrorBuffer_()); }
    /// Elements from one index to the next, for each axis of an input or output.
    virtual Dims getTensorStrides(AsciiChar const* tensorName) const noexcept = 0;
    /// Where an input is read, in device memory. \return false for a name that is no input
    virtual bool setInputTensorAddress(AsciiChar const* tensorName, void const* data) noexcept = 0;
    /// Where an output is written, in device memory. \return false for a name that is no output
    virtual bool setOutputTensorAddress(AsciiChar const* tensorName, void* data) noexcept = 0;
    /// Recorded once a run has read its inputs. Null: none. \return false on error
    virtual bool setInputConsumedEvent(cudaEvent_t event) noexcept = 0;
    /// What setInputConsumedEvent() set; null unless set.
    virtual cudaEvent_t getInputConsumedEvent() const noexcept = 0;
    /// What setInputTensorAddress() set; null unless set.
    virtual void const* getInputTensorAddress(AsciiChar const* tensorName) const noexcept = 0;
    /// What setOutputTensorAddress() set; null unless set.
    virtual void* getOutputTensorAddress(AsciiChar const* tensorName) const noexcept = 0;
    /// Runs in the order of `stream`, at the addresses that are set. \return false on error
    virtual bool enqueueV3(cudaStream_t stream) noexcept = 0;

protected:
    virtual void setErrorBuffer_(void* buffer) noexcept = 0;
    virtual void* getErrorBuffer_() const noexcept = 0;
};

/// Reads engines of the safety runtime.
class IRuntime {
public:
    IRuntime() = default;
    IRuntime(IRuntime const&) = delete;
    IRuntime& operator=(IRuntime const&) & = delete;
    virtual ~IRuntime() noexcept = default;

    /// \return null, with an error that says what to do: no such engine can be built here
    virtual ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept = 0;
    /// Without effect: there is nothing to allocate for.
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;
    /// Errors are kept there, beside the log. Null: none. Not owned; counted by incRefCount().
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// What setErrorRecorder() set; null unless set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
};

/// The creators of plugins for the safety runtime.
class IPluginRegistry {
public:
    IPluginRegistry() = default;
    IPluginRegistry(IPluginRegistry const&) = delete;
    IPluginRegistry& operator=(IPluginRegistry const&) & = delete;

    /// Registers a creator in the common registry. \return false where one of that name, version and namespace is there
    /// already
    virtual bool registerCreator(IPluginCreator& creator, AsciiChar const* pluginNamespace) noexcept = 0;
    /// All creators of the common registry. The array is valid until this thread asks again. \param numCreators set to
    /// how many there are
    virtual IPluginCreator* const* getPluginCreatorList(int32_t* numCreators) const noexcept = 0;
    /// The creator of that name, version and namespace; null where there is none.
    virtual IPluginCreator* getPluginCreator(AsciiChar const* pluginName, AsciiChar const* pluginVersion,
                                             AsciiChar const* pluginNamespace = "") noexcept = 0;
    /// nvinfer1::IPluginRegistry::setErrorRecorder() of the common registry.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// nvinfer1::IPluginRegistry::getErrorRecorder() of the common registry.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// Takes a creator out of the common registry. \return false where it is not registered
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

/// \param logger must live as long as the runtime \return the caller's, which deletes it
inline IRuntime* createInferRuntime(ILogger& logger) noexcept { return new tenonAbi::SafeRuntime(&logger); }

/// getPluginRegistry() under the interface of the safety runtime.
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
