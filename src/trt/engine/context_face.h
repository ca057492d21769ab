// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "runtime/context.h"
#include "trt/edge/default_allocator.h"
#include "trt/edge/edge.h"
#include "trt/edge/link.h"
#include "trt/edge/program_cuda.h"
#include "trt/engine/loaded_engine.h"
#include "trt/engine/output_sink.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tenon::trt {

namespace api = nvinfer1;

class EngineFace;

/// IExecutionContext over a context of the core.
class ContextFace final : public api::IExecutionContext {
public:
    ContextFace(EngineFace const& engine, api::ExecutionContextAllocationStrategy strategy);
    ~ContextFace() override;

    Link<ContextFace const> const& link() const { return linked_.link(); }
    /// The engine of the core that it runs.
    Engine const& core() const { return *engine_; }
    /// All tensors' shapes for the input shapes set so far; null while some are missing.
    ShapeProgram::Shapes const* shapes() const { return context().shapes(); }

    void setDebugSync(bool sync) noexcept override { debugSync_ = sync; }
    bool getDebugSync() const noexcept override { return debugSync_; }
    void setProfiler(api::IProfiler* profiler) noexcept override;
    api::IProfiler* getProfiler() const noexcept override { return profiler_; }
    api::ICudaEngine const& getEngine() const noexcept override;
    void setName(char const* name) noexcept override;
    char const* getName() const noexcept override { return name_.c_str(); }
    void setDeviceMemory(void* memory) noexcept override;

    int32_t getOptimizationProfile() const noexcept override { return context_.profile(); }
    bool allInputDimensionsSpecified() const noexcept override;
    bool allInputShapesSpecified() const noexcept override;
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }
    bool setOptimizationProfileAsync(int32_t profileIndex, cudaStream_t stream) noexcept override;
    bool executeV2(void* const* bindings) noexcept override;

    void setEnqueueEmitsProfile(bool enqueueEmitsProfile) noexcept override { emitsProfile_ = enqueueEmitsProfile; }
    bool getEnqueueEmitsProfile() const noexcept override { return emitsProfile_; }
    bool reportToProfiler() const noexcept override;

    bool setTensorAddress(char const* tensorName, void* data) noexcept override;
    void const* getTensorAddress(char const* tensorName) const noexcept override;
    bool setInputTensorAddress(char const* tensorName, void const* data) noexcept override;
    void* getOutputTensorAddress(char const* tensorName) const noexcept override;
    int32_t inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept override;
    bool setInputConsumedEvent(cudaEvent_t event) noexcept override;
    cudaEvent_t getInputConsumedEvent() const noexcept override { return inputConsumed_; }
    bool setOutputAllocator(char const* tensorName, api::IOutputAllocator* outputAllocator) noexcept override;
    api::IOutputAllocator* getOutputAllocator(char const* tensorName) const noexcept override;
    int64_t getMaxOutputSize(char const* tensorName) const noexcept override;
    bool setTemporaryStorageAllocator(api::IGpuAllocator* allocator) noexcept override;
    api::IGpuAllocator* getTemporaryStorageAllocator() const noexcept override { return temporary_; }
    bool enqueueV3(cudaStream_t stream) noexcept override;
    void setPersistentCacheLimit(size_t size) noexcept override { persistentCache_ = size; } // nothing is stored in it
    size_t getPersistentCacheLimit() const noexcept override { return persistentCache_; }
    bool setNvtxVerbosity(api::ProfilingVerbosity verbosity) noexcept override;
    api::ProfilingVerbosity getNvtxVerbosity() const noexcept override { return nvtxVerbosity_; }
    void setAuxStreams(cudaStream_t* auxStreams, int32_t nbStreams) noexcept override;

    bool setOutputTensorAddress(char const* tensorName, void* data) noexcept override;
    size_t updateDeviceMemorySizeForShapes() noexcept override;
    bool setDebugListener(api::v_1_0::IDebugListener* listener) noexcept override;
    api::v_1_0::IDebugListener* getDebugListener() noexcept override { return debug_.listener; }
    bool setTensorDebugState(char const* name, bool flag) noexcept override;
    bool getDebugState(char const* name) const noexcept override;
    bool setAllTensorsDebugState(bool flag) noexcept override;
    void setDeviceMemoryV2(void* memory, int64_t size) noexcept override;
    api::IRuntimeConfig* getRuntimeConfig() const noexcept override;
    bool setUnfusedTensorsDebugState(bool flag) noexcept override;
    bool getUnfusedTensorsDebugState() const noexcept override { return debug_.unfused; }
    bool setCommunicator(void* communicator) noexcept override;

protected:
    api::Dims64 getTensorStrides_(char const* tensorName) const noexcept override;
    bool setInputShape_(char const* tensorName, api::Dims64 const& dims) noexcept override;
    api::Dims64 getTensorShape_(char const* tensorName) const noexcept override;
    bool setBindingDimensions_(int32_t bindingIndex, api::Dims64 const& dims) noexcept override;
    api::Dims64 getBindingDimensions_(int32_t bindingIndex) const noexcept override;
    api::Dims64 getStrides_(int32_t bindingIndex) const noexcept override;
    bool setInputShapeBinding_(int32_t bindingIndex, int32_t const* data) noexcept override;
    bool getShapeBinding_(int32_t bindingIndex, int32_t* data) const noexcept override;
    bool executeBindings_(void* const* bindings) noexcept override;
    bool enqueueBindings_(void* const* bindings, cudaStream_t stream, cudaEvent_t* inputConsumed) noexcept override;
    bool executeBatch_(int32_t batchSize, void* const* bindings) noexcept override;
    bool enqueueBatch_(int32_t batchSize, void* const* bindings, cudaStream_t stream,
                       cudaEvent_t* inputConsumed) noexcept override;

private:
    struct LayerTime {
        char const* name;
        float ms;
    };

    void setAddress(Tensor const& io, void* data);
    void run(cudaStream_t stream, bool isWaitedFor = false);
    void record(cudaStream_t stream);
    /// The elements of a shape tensor; null if they are not known before a run.
    Literal const* shapeValue(Tensor const& tensor) const;
    void writeShapeOutputs();
    void watchDebugTensors();
    void expectPlacesOfHostOutputs();
    [[noreturn]] void failForDebugName(char const* name) const;
    void showDebugTensor(Tensor const& tensor, Dims const& dims, void const* data) const;
    void report(std::vector<LayerTime> const& times) const;
    /// Null if all work is done when a run returns.
    Streams const* streams() const { return engine_->backend().streams(); }
    /// The core context of this object, also from methods that the API declares const.
    Context& context() const { return const_cast<Context&>(context_); }
    Tensor const& input(char const* name) const;
    Tensor const& output(char const* name) const;
    /// Throws an Error for a binding of another profile than the selected one.
    Tensor const& tensorOf(int32_t bindingIndex) const;
    void setBindings(void* const* bindings);
    /// Throws an Error if the application omits the batch, with the alternative `instead`.
    void expectExplicitBatch(std::string_view instead) const;
    void setBatch(int32_t batchSize);
    void ignoreBatch(int32_t batchSize);
    void runAndWait();
    void expectOnePartition(cudaStream_t stream);
    /// False if the event cannot be recorded, which is reported.
    bool runWith(void* const* bindings, cudaStream_t stream, cudaEvent_t const* inputConsumed);

    std::shared_ptr<LoadedEngine const> loaded_;
    Link<EngineFace const> engineFace_;
    mutable std::unique_ptr<EngineFace> ownFace_; // if the application has deleted the engine's
    std::shared_ptr<Engine const> engine_;
    Reporter reporter_;
    ContextAllocator pluginAllocator_; // before the context, because its plugins refer to them
    ContextAllocator pluginHostAllocator_;
    Context context_;
    api::ExecutionContextAllocationStrategy strategy_;
    ProgramCuda cuda_ = ProgramCuda::find();
    cudaEvent_t inputConsumed_ = nullptr;
    struct {
        std::vector<cudaStream_t> streams;      // of setAuxStreams()
        std::optional<cudaStream_t> checkedFor; // the stream of the run that uses them
    } auxiliary_;
    struct {
        api::v_1_0::IDebugListener* listener = nullptr;
        std::set<Tensor const*> shown; // of those that were marked
        bool unfused = false;          // including others, but not those in loops and branches, which have no names
        cudaStream_t stream = nullptr; // of the run
    } debug_;
    std::map<Tensor const*, std::vector<int32_t>> shapeValues_; // of inputs, by setInputShapeBinding()
    int32_t batch_ = 0;                                         // of the last run of an engine with implicit batch
    bool warnedOfBatch_ = false;                                // that value is ignored
    bool hasMemory_;
    api::IGpuAllocator* temporary_ = nullptr;
    std::string name_;
    std::map<Tensor const*, AllocatorSink> sinks_;
    api::IProfiler* profiler_ = nullptr;
    std::vector<LayerTime> times_; // of the last run
    bool emitsProfile_ = true;
    bool debugSync_ = false;
    size_t persistentCache_ = 0;
    api::ProfilingVerbosity nvtxVerbosity_;
    Linked<ContextFace const> linked_{this};
};

} // namespace tenon::trt
