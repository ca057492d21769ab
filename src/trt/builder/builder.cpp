// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/builder.h"

#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "plugin/plugin_layer.h"
#include "trt/builder/algorithms.h"
#include "trt/builder/build_progress.h"
#include "trt/builder/calibration.h"
#include "trt/builder/memory_monitor.h"
#include "trt/builder/place_networks.h"
#include "trt/edge/call_program.h"
#include "trt/edge/device.h"
#include "trt/edge/host_memory.h"
#include "trt/edge/other_libraries.h"
#include "trt/engine/engine_face.h"
#include "trt/plugin/host_code.h"

#include <filesystem>
#include <set>

namespace tenon::trt {
namespace {

std::unique_ptr<api::IBuilder> makeBuilder(api::ILogger* logger, std::shared_ptr<OwnRegistry> const& registry) {
    return std::make_unique<Builder>(logger, static_cast<int32_t>(NV_TENSORRT_VERSION), registry);
}

} // namespace

Builder::Builder(api::ILogger* logger, int32_t version, std::shared_ptr<OwnRegistry> registry)
    : reporter_(logger), version_(version), registry_(std::move(registry)), threads_(defaultThreads()),
      ownSettings_(std::make_unique<BuilderConfig>(reporter_)) {}

void Builder::reset() noexcept {
    guarded(reporter_, "IBuilder::reset", [&] {
        threads_ = defaultThreads();
        maxBatch_ = 1;
        ownSettings_->reset();
    });
}

api::IBuilderConfig* Builder::createBuilderConfig() noexcept {
    return guarded(reporter_, "createBuilderConfig",
                   [&]() -> api::IBuilderConfig* { return std::make_unique<BuilderConfig>(reporter_).release(); });
}

api::IOptimizationProfile* Builder::createOptimizationProfile() noexcept {
    return guarded(reporter_, "createOptimizationProfile", [&]() -> api::IOptimizationProfile* {
        profiles_.push_back(std::make_shared<ProfileFace>(reporter_));
        return profiles_.back().get();
    });
}

bool Builder::platformHasTf32() const noexcept {
    return guarded(reporter_, "platformHasTf32",
                   [] { return onWantedDevice([](Backend const& backend) { return backend.costs().tf32 > 0; }); });
}

bool Builder::setMaxThreads(int32_t maxThreads) noexcept {
    return guarded(reporter_, "IBuilder::setMaxThreads", [&] {
        if (maxThreads < 1) fail(ErrorCode::InvalidArgument, maxThreads, " threads; expected at least 1");
        threads_ = maxThreads;
        return true;
    });
}

void Builder::setMaxBatchSize_(int32_t batchSize) noexcept {
    guarded(reporter_, "setMaxBatchSize", [&] {
        if (batchSize < 1) fail(ErrorCode::InvalidArgument, "a batch of ", batchSize, "; expected at least 1");
        maxBatch_ = batchSize;
    });
}

api::INetworkDefinition* Builder::createNetworkV2_(uint64_t flags) noexcept {
    return guarded(reporter_, "createNetworkV2", [&]() -> api::INetworkDefinition* {
        Origin const origin{linked_.link(), registry_, makeBuilder, version_};
        return std::make_unique<Network>(origin, reporter_, flags).release();
    });
}

/// The plugin libraries to store in the engine; they are registered here from now on.
std::vector<PluginLibrary> Builder::takeLibraries(std::vector<std::string> const& paths) const {
    auto libraries = readLibraries(paths);
    for (std::string const& path : paths) registry_->face.ensureLibrary(std::filesystem::absolute(path).string());
    return libraries;
}

/// Debug tensors of the network that no run of the plan computes.
static void warnOfUnshown(Graph const& network, Plan const& plan, Reporter const& reporter) {
    std::set<std::string_view> shown;
    forEachPlan(plan, [&](Plan const& one) {
        for (auto const& tensor : one.graph.tensors()) {
            if (tensor->isDebug) shown.insert(tensor->name);
        }
    });
    for (auto const& tensor : network.tensors()) {
        if (tensor->isDebug && !shown.contains(tensor->name))
            reporter.warning(
                text(tensor->name,
                     " is marked with markDebug, but no run computes it: it is in a branch that is never taken, in a "
                     "loop that only computes shapes, or in a loop or branch whose outputs do not depend on it"));
    }
}

/// Plugins that an engine file would look up under a namespace in which their creator is not registered.
static void warnOfNamespaces(Plan const& plan, PluginRegistry const& registry, Reporter const& reporter) {
    auto const check = [&](Node const& node) {
        auto const* layer = as<PluginLayer>(*node.layer);
        bool const isSought = layer && !layer->kernel() && !registry.find(layer->name());
        if (!isSought) return;
        for (auto const& creator : registry.named(layer->name().name)) {
            if (creator->name().version != layer->name().version) continue;
            return reporter.warning(text(
                node.name, " (", layer->name(), "): its creator is registered under namespace \"",
                creator->name().nameSpace,
                "\", so a file of the engine cannot be loaded; call setPluginNamespace in createPlugin() and clone()"));
        }
    };
    forEachPlan(plan, [&](Plan const& one) {
        for (auto const& node : one.graph.nodes()) check(*node);
    });
}

template <class Use>
auto Builder::withPlan(api::INetworkDefinition const& network, api::IBuilderConfig const& config, Use&& use,
                       bool calibrates) const {
    auto const& settings = static_cast<BuilderConfig const&>(config);
    auto& ours = const_cast<Network&>(static_cast<Network const&>(network));
    ours.complete();
    ours.nameWeights(refittable(settings));
    ThreadLimitOnce const limit(threads_);
    BuildProgress progress(settings.getProgressMonitor(), reporter_.log(), settings.calibrates());
    DeviceChoice const device = wantedDevice(ours.reporter().log());
    CurrentDevice const current(backendOf(device.device), device.index);
    auto const placed = placeNetworks(ours);
    Graph const& asPlaced = placed ? *placed : ours.graph();
    expectServed(ours, settings);
    std::optional<Graph> ranged =
        calibrates ? calibrated({ours, asPlaced, settings, device, version_, allocator_, progress}) : std::nullopt;
    if (settings.has(api::BuilderFlag::kINT8) && !ranged) ranged = withoutRanges(asPlaced, ours.reporter());
    Graph const& graph = ranged ? *ranged : asPlaced;
    BuildConfig core = toBuildConfig(ours, graph, settings, device.device, maxBatch_);
    core.log = ours.reporter().log();
    auto libraries = takeLibraries(settings.libraries());
    std::optional<SelectorCall> selector;
    if (settings.getAlgorithmSelector()) core.selector = &selector.emplace(settings);
    std::optional<MemoryMonitor> memory;
    if (settings.has(api::BuilderFlag::kMONITOR_MEMORY)) memory.emplace(core.log, backendOf(device.device));
    auto const enter = [&](BuildStage stage) {
        if (memory) memory->enter(stage);
        progress.enter(stage);
    };
    auto const anew =
        settings.has(api::BuilderFlag::kDISABLE_COMPILATION_CACHE) ? backendOf(device.device).compileAnew() : nullptr;
    Plan plan = build(graph, core, enter);
    if (selector) selector->report(plan);
    warnOfUnshown(ours.graph(), plan, ours.reporter());
    warnOfNamespaces(plan, registry_->core, ours.reporter());
    plan.libraries = std::move(libraries);
    enter(BuildStage::Save);
    auto made = use(std::move(plan));
    progress.leave();
    return made;
}

/// The format of a saved plan.
static auto savedFor(api::INetworkDefinition const& network, api::IBuilderConfig const& config) {
    return [&](Plan const& plan) {
        if (static_cast<BuilderConfig const&>(config).has(api::BuilderFlag::kSTRIP_PLAN)) return writeStripped(plan);
        return writeWithout(plan, static_cast<Network const&>(network).placeholders());
    };
}

api::IHostMemory* Builder::buildSerializedNetwork(api::INetworkDefinition& network,
                                                  api::IBuilderConfig& config) noexcept {
    return guarded(reporter_, "buildSerializedNetwork", [&]() -> api::IHostMemory* {
        return std::make_unique<HostMemory>(withPlan(network, config, savedFor(network, config))).release();
    });
}

api::IHostMemory* Builder::buildSerializedNetwork(api::INetworkDefinition& network, api::IBuilderConfig& config,
                                                  api::IHostMemory*& kernelText) noexcept {
    kernelText = nullptr;
    return buildSerializedNetwork(network, config);
}

bool Builder::buildSerializedNetworkToStream(api::INetworkDefinition& network, api::IBuilderConfig& config,
                                             api::v_1_0::IStreamWriter& writer) noexcept {
    return guarded(reporter_, "buildSerializedNetworkToStream", [&] {
        auto const bytes = withPlan(network, config, savedFor(network, config));
        auto const size = static_cast<int64_t>(bytes.size());
        int64_t const written = callProgram("IStreamWriter::write", [&] { return writer.write(bytes.data(), size); });
        if (written != size)
            fail(ErrorCode::InvalidArgument, "IStreamWriter::write accepted ", written, " bytes of ", size);
        return true;
    });
}

api::ICudaEngine* Builder::buildEngineWithConfig(api::INetworkDefinition& network,
                                                 api::IBuilderConfig& config) noexcept {
    return guarded(reporter_, "buildEngineWithConfig", [&]() -> api::ICudaEngine* {
        if (static_cast<Network const&>(network).hasPlaceholders())
            fail(ErrorCode::InvalidArgument, "the network has weights without values; build it with "
                                             "buildSerializedNetwork() and set them with IRefitter");
        std::shared_ptr<PluginRegistry const> const plugins(registry_, &registry_->core);
        EngineUse const engineUse{threads_, allocator_, plugins};
        auto const use = [&](Plan plan) { return builtEngine(std::move(plan), registry_, reporter_, engineUse); };
        return withPlan(network, config, use).release();
    });
}

bool Builder::isNetworkSupported(api::INetworkDefinition const& network,
                                 api::IBuilderConfig const& config) const noexcept {
    return guarded(reporter_, "isNetworkSupported", [&] {
        return withPlan(
            network, config, [](Plan const&) { return true; }, false);
    });
}

} // namespace tenon::trt

extern "C" void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept {
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    tenon::trt::Reporter const reporter(user);
    return tenon::trt::guarded(reporter, "createInferBuilder", [&]() -> void* {
        if (user == nullptr) fail(tenon::ErrorCode::InvalidArgument, "logger is null");
        tenon::trt::warnOfOtherLibraries(reporter);
        nvinfer1::IBuilder* const builder = std::make_unique<tenon::trt::Builder>(user, version).release();
        return builder;
    });
}
