// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/plan.h"
#include "trt/builder/builder.h"
#include "trt/builder/flag_rows.h"
#include "trt/edge/convert.h"
#include "trt/edge/tactic_libraries.h"

#include <algorithm>
#include <atomic>

namespace tenon::trt {
namespace {

using api::BuilderFlag;

void noteIgnoredPrecisions(Network const& network) {
    if (std::ranges::any_of(network.layers(),
                            [](LayerFace const* layer) { return layer->node().askedType.has_value(); }))
        network.reporter().noEffect(withoutEffect("ILayer::setPrecision"));
}

/// A misspelled name in a profile.
void noteUnknownInputs(std::vector<Profile> const& profiles, Network const& network) {
    auto const& inputs = network.graph().inputs();
    for (size_t i = 0; i < profiles.size(); ++i) {
        for (auto const& [name, range] : profiles[i]) {
            if (std::ranges::find(inputs, name, &Tensor::name) == inputs.end())
                network.reporter().warning(text("optimization profile ", i, " has a range for ", name,
                                                ", which is not an input of the network; it is ignored"));
        }
    }
}

float scaleIn(Graph const& graph, Tensor const& io) {
    Tensor const* const same = graph.tensorNamed(io.name);
    return same && same->quantum.scale != 0 ? same->quantum.scale : io.quantum.scale;
}

/// The allowed labels, if the application restricts the formats of an input or output, or sets another type.
void setIoLabels(BuildConfig& core, Network const& network, Graph const& ranged, bool mayNotReformat) {
    for (auto const* tensors : {&network.graph().inputs(), &network.graph().outputs()}) {
        for (Tensor const* tensor : *tensors) {
            constexpr api::TensorFormats kLinear = 1; // the default of inputs and outputs
            float const scale = scaleIn(ranged, *tensor);
            auto const allowed = network.allowedFormats(*tensor);
            auto const outer = network.outerType(*tensor);
            if (!allowed && !outer) continue;
            if (allowed && mayNotReformat) core.settings.directIo.push_back({tensor->name});
            DataType const type = outer.value_or(tensor->type);
            bool const isQuantized = type == DataType::Int8 && tensor->type == DataType::Float32;
            if (isQuantized && scale == 0)
                fail(ErrorCode::InvalidState, tensor->name,
                     ": is int8 but has no range; set one with setDynamicRange, or use another type");
            std::vector<Label>& labels = core.ioLabels[tensor->name];
            for (int32_t i = 0; i < api::EnumMax<api::TensorFormat>(); ++i) {
                auto const format = fromApi(static_cast<api::TensorFormat>(i));
                if (((allowed.value_or(kLinear) >> i) & 1U) && format)
                    labels.push_back({type, *format, core.device, isQuantized ? scale : 0});
            }
            if (labels.empty())
                fail(ErrorCode::Unsupported, tensor->name, ": none of the allowed formats (mask ",
                     allowed.value_or(kLinear), ") is supported");
        }
    }
}

} // namespace

namespace {

std::atomic<bool> keepsNetworks = true; // see tenon/plan.h

} // namespace

Profile batchProfile(Network const& network, int64_t least, int64_t most) {
    Profile profile;
    for (Tensor const* input : network.graph().inputs()) {
        if (isConstant(input->shape)) continue; // the same for all samples
        auto const with = [&](int64_t batch) {
            Shape shape = input->shape;
            shape[0] = batch;
            return toDims(shape);
        };
        profile[input->name] = {with(least), with(most), with(most), {}, {}, {}};
    }
    return profile;
}

void expectServed(Network const& network, BuilderConfig const& config) {
    if (config.getEngineCapability() != api::EngineCapability::kSTANDARD)
        notSupported(refused("IBuilderConfig::setEngineCapability"));
    expectServedFlags(network, config);
}

void leaveOutSources(PlanSettings& settings, BuilderConfig const& config) {
    using api::TacticSource;
    settings.compiles = !config.leavesOut(TacticSource::kJIT_CONVOLUTIONS);
    if (config.leavesOut(TacticSource::kCUDNN)) settings.avoidedLibraries = kCudnn;
    if (config.leavesOut(TacticSource::kCUBLAS) && config.leavesOut(TacticSource::kCUBLAS_LT))
        settings.avoidedLibraries += text(settings.avoidedLibraries.empty() ? "" : " ", kCublasLt);
}

Refittable refittable(BuilderConfig const& config) {
    if (config.has(BuilderFlag::kREFIT) || config.has(BuilderFlag::kREFIT_IDENTICAL)) return Refittable::All;
    if (config.has(BuilderFlag::kREFIT_INDIVIDUAL)) return Refittable::Marked;
    return config.has(BuilderFlag::kSTRIP_PLAN) ? Refittable::All : Refittable::None;
}

BuildConfig toBuildConfig(Network const& network, Graph const& graph, BuilderConfig const& config, Device device,
                          int32_t maxBatch) {
    BuildConfig core;
    core.device = device;
    core.settings.precision.tf32 = false; // a flag that is set by default
    applyFlags({network, config, &graph}, core.settings);
    if (core.settings.precision.asked == AskedTypes::Ignored) noteIgnoredPrecisions(network);
    core.keepNetwork = keepsNetworks || core.settings.refits || config.has(BuilderFlag::kVERSION_COMPATIBLE);
    core.settings.debugUnfused = network.debugsUnfused();
    core.settings.verbosity = static_cast<ProfilingVerbosity>(config.verbosity());
    constexpr int32_t kAliasedPluginIo = 1; // the neutral number of PreviewFeature::kALIASED_PLUGIN_IO_10_03
    core.tuning = config.tuning();
    if (core.tuning.stream && backendOf(device).streams() == nullptr)
        network.reporter().noEffect(withoutEffect("IBuilderConfig::setProfileStream"));
    // kernels are timed at the optimum of the first profile
    auto* const ofProfile = config.profiles().empty() ? nullptr : config.profiles().front()->getProfileStream();
    if (ofProfile) core.tuning.stream = ofProfile;
    if (ofProfile && backendOf(device).streams() == nullptr)
        network.reporter().noEffect(withoutEffect("IOptimizationProfile::setProfileStream"));
    core.settings.workspaceLimit = config.workspaceLimit();
    core.settings.apiVersion = network.apiVersion();
    core.settings.leftOutPasses = config.leftOutPasses();
    leaveOutSources(core.settings, config);
    core.settings.auxStreams = config.auxStreams();
    if (core.settings.auxStreams > 0 && backendOf(device).streams() == nullptr)
        network.reporter().noEffect(withoutEffect("IBuilderConfig::setMaxAuxStreams"));
    core.settings.pluginAliases = config.hasPreview(kAliasedPluginIo);
    setIoLabels(core, network, graph, config.has(BuilderFlag::kDIRECT_IO));
    if (network.hasImplicitBatch()) {
        core.settings.maxBatch = maxBatch;
        core.profiles.push_back(batchProfile(network, 1, maxBatch));
        return core;
    }
    for (auto const& profile : config.profiles()) core.profiles.push_back(profile->toProfile());
    noteUnknownInputs(core.profiles, network);
    return core;
}

} // namespace tenon::trt

void tenonKeepNetworks(bool keep) noexcept { tenon::trt::keepsNetworks = keep; }
