// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plan/file/plan_file.h"
#include "plugin/registry.h"
#include "runtime/engine.h"
#include "trt/edge/edge.h"
#include "trt/edge/link.h"
#include "trt/engine/loaded_engine.h"

#include <map>
#include <memory>
#include <string>

namespace tenon::trt {

namespace api = nvinfer1;

/// ICudaEngine over an engine of the core.
class EngineFace final : public api::ICudaEngine {
public:
    EngineFace(std::shared_ptr<LoadedEngine const> loaded, Reporter const& reporter);

    std::shared_ptr<LoadedEngine const> const& loaded() const { return loaded_; }
    Link<EngineFace const> const& link() const { return linked_.link(); }
    Reporter const& reporter() const { return reporter_; }

    int32_t getNbLayers() const noexcept override;
    api::IHostMemory* serialize() const noexcept override;
    bool isRefittable() const noexcept override { return plan().settings.refits; }
    char const* getName() const noexcept override { return plan().graph.name.c_str(); }
    int32_t getNbOptimizationProfiles() const noexcept override;
    api::EngineCapability getEngineCapability() const noexcept override { return api::EngineCapability::kSTANDARD; }
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }
    api::ProfilingVerbosity getProfilingVerbosity() const noexcept override;
    api::IEngineInspector* createEngineInspector() const noexcept override;

    int32_t getNbIOTensors() const noexcept override { return static_cast<int32_t>(ios().size()); }
    char const* getIOTensorName(int32_t index) const noexcept override;
    api::DataType getTensorDataType(char const* tensorName) const noexcept override;
    api::TensorLocation getTensorLocation(char const* tensorName) const noexcept override;
    bool isShapeInferenceIO(char const* tensorName) const noexcept override;
    api::TensorIOMode getTensorIOMode(char const* tensorName) const noexcept override;
    int32_t getTensorBytesPerComponent(char const* tensorName) const noexcept override;
    int32_t getTensorComponentsPerElement(char const* tensorName) const noexcept override;
    api::TensorFormat getTensorFormat(char const* tensorName) const noexcept override;
    char const* getTensorFormatDesc(char const* tensorName) const noexcept override;
    int32_t getTensorVectorizedDim(char const* tensorName) const noexcept override;
    int32_t getTensorBytesPerComponent(char const* tensorName, int32_t profileIndex) const noexcept override;
    int32_t getTensorComponentsPerElement(char const* tensorName, int32_t profileIndex) const noexcept override;
    api::TensorFormat getTensorFormat(char const* tensorName, int32_t profileIndex) const noexcept override;
    char const* getTensorFormatDesc(char const* tensorName, int32_t profileIndex) const noexcept override;
    int32_t getTensorVectorizedDim(char const* tensorName, int32_t profileIndex) const noexcept override;

    api::HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept override;
    int32_t getNbAuxStreams() const noexcept override { return loaded_->core->auxStreams(); }
    api::ISerializationConfig* createSerializationConfig() noexcept override;
    api::IHostMemory* serializeWithConfig(api::ISerializationConfig& config) const noexcept override;

    api::IExecutionContext* createExecutionContext(api::ExecutionContextAllocationStrategy strategy) noexcept override;
    api::IExecutionContext* createExecutionContextWithoutDeviceMemory() noexcept override;
    api::IExecutionContext* createExecutionContext(api::IRuntimeConfig* runtimeConfig) noexcept override;
    api::IRuntimeConfig* createRuntimeConfig() noexcept override;

    size_t getDeviceMemorySize() const noexcept override;
    size_t getDeviceMemorySizeForProfile(int32_t profileIndex) const noexcept override;
    int64_t getDeviceMemorySizeV2() const noexcept override;
    int64_t getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept override;
    int32_t const* getProfileTensorValues(char const* tensorName, int32_t profileIndex,
                                          api::OptProfileSelector select) const noexcept override;
    int64_t const* getProfileTensorValuesV2(char const* tensorName, int32_t profileIndex,
                                            api::OptProfileSelector select) const noexcept override;

    // weight_streaming.cpp
    bool setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept override;
    int64_t getWeightStreamingBudget() const noexcept override;
    int64_t getMinimumWeightStreamingBudget() const noexcept override;
    int64_t getStreamableWeightsSize() const noexcept override;
    bool setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept override;
    int64_t getWeightStreamingBudgetV2() const noexcept override;
    int64_t getWeightStreamingAutomaticBudget() const noexcept override;
    int64_t getWeightStreamingScratchMemorySize() const noexcept override;

    bool isDebugTensor(char const* name) const noexcept override { return !loaded_->debugTensorsNamed(name).empty(); }
    int64_t getEngineStat(api::EngineStat stat) const noexcept override;
    char const* getAliasedInputTensor(char const* tensorName) const noexcept override;

protected:
    api::Dims64 getTensorShape_(char const* tensorName) const noexcept override;
    api::Dims64 getProfileShape_(char const* tensorName, int32_t profileIndex,
                                 api::OptProfileSelector select) const noexcept override;
    uint64_t getTacticSources_() const noexcept override;
    int32_t getBindingIndex_(char const* name) const noexcept override;
    char const* getBindingName_(int32_t bindingIndex) const noexcept override;
    api::Dims64 getBindingDimensions_(int32_t bindingIndex) const noexcept override;
    api::Dims64 getProfileDimensions_(int32_t bindingIndex, int32_t profileIndex,
                                      api::OptProfileSelector select) const noexcept override;
    int32_t getMaxBatchSize_() const noexcept override { return loaded_->maxBatch(); }
    bool hasImplicitBatchDimension_() const noexcept override { return loaded_->hasImplicitBatch(); }

private:
    Plan const& plan() const { return loaded_->core->plan(); }
    std::vector<Tensor const*> const& ios() const { return loaded_->ios; }
    void nameBindings();
    void setWeightBudget(size_t bytes);
    size_t affordableWeightBudget() const;
    /// The name of the input or output of a binding; empty if there is none.
    char const* ioName(int32_t bindingIndex) const;
    Profile const& profileAt(int32_t index) const;
    InputRange const* rangeOf(char const* tensorName, int32_t profileIndex) const;

    std::shared_ptr<LoadedEngine const> loaded_;
    Reporter reporter_;
    Linked<EngineFace const> linked_{this};
    std::vector<std::string> bindingNames_;                                    // see bindings.cpp
    std::map<std::string, std::string, std::less<>> formatDescs_;              // by name of the tensor
    std::map<std::vector<int64_t> const*, std::vector<int32_t>> narrowValues_; // of the profiles
};

class HostCode;

/// The sources of a loaded engine's plugins: those that `source` creates, those that are registered, and those of
/// libraries in the engine itself (null: these are not opened).
struct EnginePlugins {
    PluginRegistry const* registry;
    PluginSource source;
    HostCode* hostCode = nullptr;
};

/// The objects that the contexts of an engine use, see LoadedEngine.
struct EngineUse {
    int threads;
    api::IGpuAllocator* allocator;
    std::weak_ptr<PluginRegistry const> plugins = {}; // of its runtime or builder
};

/// An engine from a saved plan. An Error names the problem.
std::unique_ptr<EngineFace> loadEngine(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                       Reporter const& reporter, EnginePlugins const& plugins, EngineUse const& use);

/// The engine of a plan that was built in this process. `code` keeps the code of its plugins loaded. It copies the
/// application's weights.
std::unique_ptr<EngineFace> builtEngine(Plan plan, std::shared_ptr<void const> code, Reporter const& reporter,
                                        EngineUse const& use);

} // namespace tenon::trt
