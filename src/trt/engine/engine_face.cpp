// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/engine_face.h"

#include "base/parallel.h"
#include "layers/kv_cache_update/kv_cache_update.h"
#include "plan/own_weights.h"
#include "trt/edge/convert.h"
#include "trt/edge/device.h"
#include "trt/edge/host_memory.h"
#include "trt/edge/small_configs.h"
#include "trt/edge/tactic_libraries.h"
#include "trt/engine/context_face.h"
#include "trt/engine/inspector.h"
#include "trt/engine/layer_information.h"
#include "trt/plugin/host_code.h"

#include <algorithm>

namespace tenon::trt {

EngineFace::EngineFace(std::shared_ptr<LoadedEngine const> loaded, Reporter const& reporter)
    : loaded_(std::move(loaded)), reporter_(reporter) {
    for (Tensor const* io : ios()) formatDescs_[io->name] = formatDescription(io->label);
    nameBindings();
    for (Profile const& profile : plan().profiles) {
        for (auto const& [name, range] : profile) {
            for (auto const* values : {&range.minValues, &range.optValues, &range.maxValues})
                narrowValues_[values].assign(values->begin(), values->end());
        }
    }
}

// ---- the engine

int32_t EngineFace::getNbLayers() const noexcept { return static_cast<int32_t>(loaded_->core->steps().size()); }

api::IHostMemory* EngineFace::serialize() const noexcept {
    return guarded(reporter_, "ICudaEngine::serialize",
                   [&]() -> api::IHostMemory* { return std::make_unique<HostMemory>(writePlan(plan())).release(); });
}

api::ISerializationConfig* EngineFace::createSerializationConfig() noexcept {
    return guarded(reporter_, "createSerializationConfig", [&]() -> api::ISerializationConfig* {
        return std::make_unique<SerializationConfig>(reporter_).release();
    });
}

api::IHostMemory* EngineFace::serializeWithConfig(api::ISerializationConfig& config) const noexcept {
    return guarded(reporter_, "serializeWithConfig", [&]() -> api::IHostMemory* {
        if (config.getFlag(api::SerializationFlag::kINCLUDE_REFIT) && !isRefittable())
            reporter_.noEffect(withoutEffect("SerializationFlag::kINCLUDE_REFIT"));
        if (!config.getFlag(api::SerializationFlag::kEXCLUDE_WEIGHTS)) return serialize();
        return std::make_unique<HostMemory>(writeStripped(plan())).release();
    });
}

int32_t EngineFace::getNbOptimizationProfiles() const noexcept { return static_cast<int32_t>(plan().profiles.size()); }

api::ProfilingVerbosity EngineFace::getProfilingVerbosity() const noexcept { return loaded_->verbosity(); }

api::HardwareCompatibilityLevel EngineFace::getHardwareCompatibilityLevel() const noexcept {
    return api::HardwareCompatibilityLevel::kNONE;
}

api::IEngineInspector* EngineFace::createEngineInspector() const noexcept {
    return guarded(reporter_, "createEngineInspector", [&]() -> api::IEngineInspector* {
        return std::make_unique<Inspector>(loaded_->core, reporter_).release();
    });
}

int64_t EngineFace::getEngineStat(api::EngineStat stat) const noexcept {
    if (stat != api::EngineStat::kTOTAL_WEIGHTS_SIZE) return -1;
    int64_t bytes = 0;
    for (auto const& tensor : plan().graph.tensors()) {
        if (Literal const* literal = tensor->literal()) bytes += static_cast<int64_t>(literal->bytes());
    }
    return bytes;
}

// ---- inputs and outputs

char const* EngineFace::getIOTensorName(int32_t index) const noexcept {
    return guarded(reporter_, "getIOTensorName", [&] {
        if (index < 0 || index >= getNbIOTensors())
            fail(ErrorCode::InvalidArgument, "input or output ", index, " of an engine that has ", getNbIOTensors());
        return ios()[static_cast<size_t>(index)]->name.c_str();
    });
}

api::DataType EngineFace::getTensorDataType(char const* tensorName) const noexcept {
    return guarded(reporter_, "getTensorDataType", [&] { return toApi(loaded_->ioTensor(tensorName).label.type); });
}

api::TensorLocation EngineFace::getTensorLocation(char const* tensorName) const noexcept {
    return guarded(reporter_, "getTensorLocation", [&] {
        return loaded_->ioTensor(tensorName).onHost ? api::TensorLocation::kHOST : api::TensorLocation::kDEVICE;
    });
}

bool EngineFace::isShapeInferenceIO(char const* tensorName) const noexcept {
    return guarded(reporter_, "isShapeInferenceIO", [&] { return loaded_->ioTensor(tensorName).onHost; });
}

api::TensorIOMode EngineFace::getTensorIOMode(char const* tensorName) const noexcept {
    if (tensorName == nullptr) return api::TensorIOMode::kNONE;
    auto const& graph = plan().graph;
    auto const isNamed = [&](Tensor const* io) { return io->name == tensorName; };
    if (std::ranges::any_of(graph.inputs(), isNamed)) return api::TensorIOMode::kINPUT;
    if (std::ranges::any_of(graph.outputs(), isNamed)) return api::TensorIOMode::kOUTPUT;
    return api::TensorIOMode::kNONE;
}

int32_t EngineFace::getTensorBytesPerComponent(char const* tensorName) const noexcept {
    return guardedOr(-1, reporter_, "getTensorBytesPerComponent", [&] {
        Label const& label = loaded_->ioTensor(tensorName).label;
        return label.format.block == 1 ? -1 : bitsOf(label.type) / 8;
    });
}

int32_t EngineFace::getTensorComponentsPerElement(char const* tensorName) const noexcept {
    return guardedOr(-1, reporter_, "getTensorComponentsPerElement", [&] {
        Format const& format = loaded_->ioTensor(tensorName).label.format;
        return format.block == 1 ? -1 : int32_t{format.block};
    });
}

api::TensorFormat EngineFace::getTensorFormat(char const* tensorName) const noexcept {
    return guarded(reporter_, "getTensorFormat", [&] {
        Tensor const& tensor = loaded_->ioTensor(tensorName);
        auto const format = toApi(tensor.label.format, static_cast<int>(tensor.shape.size()));
        if (!format) fail(ErrorCode::Internal, tensor.name, " has a format without a name: ", tensor.label.format);
        return *format;
    });
}

char const* EngineFace::getTensorFormatDesc(char const* tensorName) const noexcept {
    return guardedOr("", reporter_, "getTensorFormatDesc",
                     [&]() -> char const* { return formatDescs_.at(loaded_->ioTensor(tensorName).name).c_str(); });
}

int32_t EngineFace::getTensorVectorizedDim(char const* tensorName) const noexcept {
    return guardedOr(-1, reporter_, "getTensorVectorizedDim", [&] {
        Format const& format = loaded_->ioTensor(tensorName).label.format;
        return format.block == 1 ? -1 : int32_t{format.axis};
    });
}

// every profile has the same formats

int32_t EngineFace::getTensorBytesPerComponent(char const* tensorName, int32_t) const noexcept {
    return getTensorBytesPerComponent(tensorName);
}
int32_t EngineFace::getTensorComponentsPerElement(char const* tensorName, int32_t) const noexcept {
    return getTensorComponentsPerElement(tensorName);
}
api::TensorFormat EngineFace::getTensorFormat(char const* tensorName, int32_t) const noexcept {
    return getTensorFormat(tensorName);
}
char const* EngineFace::getTensorFormatDesc(char const* tensorName, int32_t) const noexcept {
    return getTensorFormatDesc(tensorName);
}
int32_t EngineFace::getTensorVectorizedDim(char const* tensorName, int32_t) const noexcept {
    return getTensorVectorizedDim(tensorName);
}

namespace {

uint64_t tacticSources(Plan const& plan) {
    uint64_t sources = 0;
    auto const add = [&](Kernel const& kernel, std::string_view library, api::TacticSource source) {
        if (kernel.name().starts_with(library)) sources |= uint64_t{1} << static_cast<int>(source);
    };
    for (Assignment const& assignment : plan.nodes) {
        for (auto const& body : assignment.bodies) sources |= tacticSources(*body);
        if (!assignment.kernel) continue;
        add(*assignment.kernel, kCudnn, api::TacticSource::kCUDNN);
        add(*assignment.kernel, kCublasLt, api::TacticSource::kCUBLAS_LT);
    }
    return sources;
}

} // namespace

uint64_t EngineFace::getTacticSources_() const noexcept {
    return guardedOr(uint64_t{0}, reporter_, "getTacticSources", [&] { return tacticSources(plan()); });
}

char const* EngineFace::getAliasedInputTensor(char const* tensorName) const noexcept {
    return guarded(reporter_, "getAliasedInputTensor", [&]() -> char const* {
        Node const* const producer = loaded_->ioTensor(tensorName).producer();
        bool const updates = producer != nullptr && as<KVCacheUpdate>(*producer->layer) != nullptr;
        Tensor const* const cache = updates ? producer->input(KVCacheUpdate::kCache) : nullptr;
        return cache && cache->producer() == nullptr ? cache->name.c_str() : nullptr;
    });
}

api::Dims64 EngineFace::getTensorShape_(char const* tensorName) const noexcept {
    return guardedOr(noDims(), reporter_, "getTensorShape", [&] { return toApi(loaded_->ioTensor(tensorName).shape); });
}

// ---- profiles

Profile const& EngineFace::profileAt(int32_t index) const {
    if (index < 0 || index >= getNbOptimizationProfiles())
        fail(ErrorCode::InvalidArgument, "profile ", index, " of an engine that has ", getNbOptimizationProfiles());
    return plan().profiles[static_cast<size_t>(index)];
}

InputRange const* EngineFace::rangeOf(char const* tensorName, int32_t profileIndex) const {
    Profile const& profile = profileAt(profileIndex);
    auto const found = profile.find(loaded_->ioTensor(tensorName).name);
    return found == profile.end() ? nullptr : &found->second;
}

namespace {

template <class T> T const& at(api::OptProfileSelector select, T const& min, T const& opt, T const& max) {
    switch (select) {
    case api::OptProfileSelector::kMIN: return min;
    case api::OptProfileSelector::kOPT: return opt;
    case api::OptProfileSelector::kMAX: return max;
    }
    fail(ErrorCode::InvalidArgument, "selector ", static_cast<int32_t>(select), "; expected kMIN, kOPT or kMAX");
}

} // namespace

api::Dims64 EngineFace::getProfileShape_(char const* tensorName, int32_t profileIndex,
                                         api::OptProfileSelector select) const noexcept {
    return guardedOr(noDims(), reporter_, "getProfileShape", [&] {
        Tensor const& tensor = loaded_->ioTensor(tensorName);
        if (tensor.producer())
            fail(ErrorCode::InvalidArgument, tensor.name, " is an output; profiles have ranges of inputs only");
        InputRange const* range = rangeOf(tensorName, profileIndex);
        if (range == nullptr || range->min.rank() != static_cast<int>(tensor.shape.size())) return toApi(tensor.shape);
        return toApi(at(select, range->min, range->opt, range->max));
    });
}

int64_t const* EngineFace::getProfileTensorValuesV2(char const* tensorName, int32_t profileIndex,
                                                    api::OptProfileSelector select) const noexcept {
    return guarded(reporter_, "getProfileTensorValues", [&]() -> int64_t const* {
        InputRange const* range = rangeOf(tensorName, profileIndex);
        if (range == nullptr) return nullptr;
        auto const& values = at(select, range->minValues, range->optValues, range->maxValues);
        return values.empty() ? nullptr : values.data();
    });
}

int32_t const* EngineFace::getProfileTensorValues(char const* tensorName, int32_t profileIndex,
                                                  api::OptProfileSelector select) const noexcept {
    return guarded(reporter_, "getProfileTensorValues", [&]() -> int32_t const* {
        InputRange const* range = rangeOf(tensorName, profileIndex);
        if (range == nullptr) return nullptr;
        auto const& values = at(select, range->minValues, range->optValues, range->maxValues);
        if (values.empty()) return nullptr;
        return narrowValues_.at(&values).data();
    });
}

// ---- contexts and memory

api::IExecutionContext* EngineFace::createExecutionContext(api::ExecutionContextAllocationStrategy strategy) noexcept {
    return guarded(reporter_, "createExecutionContext", [&]() -> api::IExecutionContext* {
        if (static_cast<uint32_t>(strategy) >=
            static_cast<uint32_t>(api::EnumMax<api::ExecutionContextAllocationStrategy>()))
            fail(ErrorCode::InvalidArgument, "no ExecutionContextAllocationStrategy has the number ",
                 static_cast<int32_t>(strategy));
        loaded_->settleWeights();
        return std::make_unique<ContextFace>(*this, strategy).release();
    });
}

api::IExecutionContext* EngineFace::createExecutionContextWithoutDeviceMemory() noexcept {
    return createExecutionContext(api::ExecutionContextAllocationStrategy::kUSER_MANAGED);
}

api::IExecutionContext* EngineFace::createExecutionContext(api::IRuntimeConfig* runtimeConfig) noexcept {
    auto const strategy = runtimeConfig ? runtimeConfig->getExecutionContextAllocationStrategy()
                                        : api::ExecutionContextAllocationStrategy::kSTATIC;
    return createExecutionContext(strategy);
}

api::IRuntimeConfig* EngineFace::createRuntimeConfig() noexcept {
    return guarded(reporter_, "createRuntimeConfig",
                   [&]() -> api::IRuntimeConfig* { return std::make_unique<RuntimeConfig>().release(); });
}

int64_t EngineFace::getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept {
    return guarded(reporter_, "getDeviceMemorySizeForProfile", [&] {
        profileAt(profileIndex);
        return static_cast<int64_t>(loaded_->memoryBytes(profileIndex));
    });
}

int64_t EngineFace::getDeviceMemorySizeV2() const noexcept {
    return guarded(reporter_, "getDeviceMemorySize", [&] { return static_cast<int64_t>(loaded_->memoryBytes()); });
}

size_t EngineFace::getDeviceMemorySize() const noexcept { return static_cast<size_t>(getDeviceMemorySizeV2()); }

size_t EngineFace::getDeviceMemorySizeForProfile(int32_t profileIndex) const noexcept {
    return static_cast<size_t>(getDeviceMemorySizeForProfileV2(profileIndex));
}

namespace {

/// The code of its plugins is released after it.
struct EngineAndCode {
    EngineAndCode(std::shared_ptr<void const> keeper, Plan&& plan, Log const& log)
        : code(std::move(keeper)), engine(std::move(plan), log) {}
    std::shared_ptr<void const> code;
    Engine engine;
};

} // namespace

/// While the device is current.
static std::unique_ptr<EngineFace> engineOf(Plan plan, std::shared_ptr<void const> code, Reporter const& reporter,
                                            EngineUse const& use) {
    auto const both = std::make_shared<EngineAndCode>(std::move(code), std::move(plan), reporter.log());
    std::shared_ptr<Engine> engine(both, &both->engine);
    auto const loaded = std::make_shared<LoadedEngine>(std::move(engine), use.threads, use.allocator);
    loaded->plugins = use.plugins;
    return std::make_unique<EngineFace>(loaded, reporter);
}

std::unique_ptr<EngineFace> builtEngine(Plan plan, std::shared_ptr<void const> code, Reporter const& reporter,
                                        EngineUse const& use) {
    ownWeights(plan);
    return engineOf(std::move(plan), std::move(code), reporter, use);
}

std::unique_ptr<EngineFace> loadEngine(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                       Reporter const& reporter, EnginePlugins const& plugins, EngineUse const& use) {
    ThreadLimitOnce const limit(use.threads);
    DeviceChoice const device = wantedDevice(reporter.log());
    CurrentDevice const current(backendOf(device.device), device.index);
    ReadOptions options{
        .registry = plugins.registry, .device = device.device, .log = reporter.log(), .source = plugins.source};
    if (plugins.hostCode)
        options.loadLibraries = [&](auto const& libraries) { plugins.hostCode->load(libraries, reporter.log()); };
    Plan plan = readPlan(bytes, std::move(owner), options);
    auto code = plugins.hostCode ? plugins.hostCode->keeper() : nullptr;
    return engineOf(std::move(plan), std::move(code), reporter, use);
}

} // namespace tenon::trt
