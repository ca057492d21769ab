// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibrate.h"
#include "layers/control_edge/control_edge.h"
#include "tenon/plan.h"
#include "trt/builder/builder.h"
#include "trt/edge/convert.h"
#include "trt/edge/tactic_libraries.h"

#include <algorithm>
#include <atomic>

namespace tenon::trt {
namespace {

using api::BuilderFlag;

/// The warning for a flag that is set. docs/support.md lists these.
struct FlagNote {
    BuilderFlag flag;
    std::string_view name;
    std::string_view why;
};

constexpr std::string_view kOnlyQuantizeLayers =
    "only quantize and dequantize layers bring types of 8 or 4 bits into a network";

constexpr std::string_view kNoStreams = "where the device has no streams, as a CPU, layers run one after another";

constexpr FlagNote kWithoutEffect[]{
    {BuilderFlag::kFP8, "kFP8", kOnlyQuantizeLayers},
    {BuilderFlag::kINT4, "kINT4", kOnlyQuantizeLayers},
    {BuilderFlag::kFP4, "kFP4", kOnlyQuantizeLayers},
    {BuilderFlag::kGPU_FALLBACK, "kGPU_FALLBACK", "there is no DLA to fall back from"},
};

void noteFlagsWithoutEffect(BuilderConfig const& config, Reporter const& reporter) {
    for (FlagNote const& note : kWithoutEffect) {
        if (config.has(note.flag)) reporter.noEffect(text("BuilderFlag::", note.name), note.why);
    }
}

/// A safety runtime has no functions to set a shape or to take an output of a size that the run decides, and no
/// control flow: its context only has addresses to set (nvinfer1::safe).
void expectInSafetyScope(Network const& network) {
    auto const refuse = [](auto const&... parts) {
        fail(ErrorCode::InvalidState, "BuilderFlag::kSAFETY_SCOPE: ", parts...);
    };
    for (Tensor const* input : network.graph().inputs()) {
        if (!isConstant(input->shape))
            refuse("input ", input->name, " has shape ", input->shape, "; give it fixed extents, or clear the flag");
    }
    for (LayerFace const* layer : network.layers()) {
        Node const& node = layer->node();
        if (node.kind() == ControlEdge::kKind)
            refuse(node, ": loops and conditionals are out of scope; write it without, or clear the flag");
        if (!node.layer->sizes(operandsOf(node)).empty())
            refuse(node, ": the run decides the size of its output; write it without, or clear the flag");
    }
}

/// Which types single layers and outputs were given is in the network; here, whether they count.
AskedTypes askedTypes(BuilderConfig const& config) {
    constexpr auto kStrictTypes = static_cast<BuilderFlag>(40); // its neutral number; only older levels have it
    if (config.has(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS)) return AskedTypes::Obeyed;
    bool const prefers = config.has(BuilderFlag::kPREFER_PRECISION_CONSTRAINTS) || config.has(kStrictTypes);
    return prefers ? AskedTypes::Preferred : AskedTypes::Ignored;
}

void noteIgnoredPrecisions(Network const& network) {
    if (std::ranges::any_of(network.layers(),
                            [](LayerFace const* layer) { return layer->node().askedType.has_value(); }))
        network.reporter().noEffect("ILayer::setPrecision",
                                    "kernels are chosen by their time alone unless kPREFER_PRECISION_CONSTRAINTS or "
                                    "kOBEY_PRECISION_CONSTRAINTS is set");
}

/// What a loop carries and a conditional gives is kept in its own type.
void expectLoopsAskNothing(Network const& network) {
    for (LayerFace const* layer : network.layers()) {
        Node const& node = layer->node();
        bool const isOther = node.kind() == ControlEdge::kKind && node.askedType && !node.outputs().empty() &&
                             node.output()->type != *node.askedType;
        if (isOther)
            notSupported(text("BuilderFlag::kOBEY_PRECISION_CONSTRAINTS for ", node, " in ", *node.askedType,
                              ", a layer of a loop or a conditional, whose tensor is ", node.output()->type,
                              "; convert that with addCast"));
    }
}

void noteUselessInt8(Graph const& graph, Reporter const& reporter) {
    auto const hasRange = [](auto const& tensor) { return tensor->quantum.scale != 0; };
    if (std::ranges::none_of(graph.tensors(), hasRange) && !isExplicitlyQuantized(graph))
        reporter.noEffect("BuilderFlag::kINT8", "no tensor has a range; give it with setDynamicRange or a calibrator");
}

void setFloatTypes(BuildConfig& core, Network const& network, Graph const& graph, BuilderConfig const& config) {
    core.settings.precision.float16 = config.has(BuilderFlag::kFP16);
    core.settings.precision.bfloat16 = config.has(BuilderFlag::kBF16);
    core.settings.precision.tf32 = config.has(BuilderFlag::kTF32);
    core.settings.precision.int8 = config.has(BuilderFlag::kINT8);
    if (core.settings.precision.int8) noteUselessInt8(graph, network.reporter());
    core.settings.precision.asked = askedTypes(config);
    if (core.settings.precision.asked == AskedTypes::Ignored) noteIgnoredPrecisions(network);
    if (core.settings.precision.asked == AskedTypes::Obeyed) expectLoopsAskNothing(network);
}

/// Flags that let a build choose types.
void expectTypesToChoose(Network const& network, BuilderConfig const& config) {
    if (!network.getFlag(api::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)) return;
    constexpr std::pair<BuilderFlag, std::string_view> kFlags[]{
        {BuilderFlag::kFP16, "kFP16"}, {BuilderFlag::kBF16, "kBF16"}, {BuilderFlag::kINT8, "kINT8"},
        {BuilderFlag::kFP8, "kFP8"},   {BuilderFlag::kINT4, "kINT4"}, {BuilderFlag::kFP4, "kFP4"},
    };
    for (auto const& [flag, name] : kFlags) {
        if (config.has(flag))
            fail(ErrorCode::InvalidArgument, "BuilderFlag::", name,
                 " has no place in a strongly typed network: its tensors say their types");
    }
}

/// A name in a profile that is spelled wrong.
void noteUnknownInputs(std::vector<Profile> const& profiles, Network const& network) {
    auto const& inputs = network.graph().inputs();
    for (size_t i = 0; i < profiles.size(); ++i) {
        for (auto const& [name, range] : profiles[i]) {
            if (std::ranges::find(inputs, name, &Tensor::name) == inputs.end())
                network.reporter().warning(text("optimization profile ", i, " has a range for ", name,
                                                ", which is no input of the network; it is ignored"));
        }
    }
}

float scaleIn(Graph const& graph, Tensor const& io) {
    Tensor const* const same = graph.tensorNamed(io.name);
    return same && same->quantum.scale != 0 ? same->quantum.scale : io.quantum.scale;
}

/// Where the program restricts the formats of an input or output, or gives an input another type, those that it allows.
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
                     ": is to be int8, and has no range; give it with setDynamicRange, or use another type");
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
        notSupported("EngineCapability::kSAFETY and kDLA_STANDALONE: engines for a safety runtime or a DLA");
    expectTypesToChoose(network, config);
    if (config.has(BuilderFlag::kSAFETY_SCOPE)) expectInSafetyScope(network);
    noteFlagsWithoutEffect(config, network.reporter());
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

/// Whether kernels may count on zeros among the weights: not where 0 times what is no number is to be none, nor where
/// other weights may take their place.
bool mayLeaveOutZeros(BuilderConfig const& config, Reporter const& reporter) {
    if (!config.has(BuilderFlag::kSPARSE_WEIGHTS)) return false;
    bool const isStrict = config.has(BuilderFlag::kSTRICT_NANS);
    bool const isFixed = refittable(config) == Refittable::None;
    if (isStrict) reporter.noEffect("BuilderFlag::kSPARSE_WEIGHTS", "BuilderFlag::kSTRICT_NANS asks for 0*x");
    if (!isFixed) reporter.noEffect("BuilderFlag::kSPARSE_WEIGHTS", "an engine that can be refitted takes any weights");
    return !isStrict && isFixed;
}

BuildConfig toBuildConfig(Network const& network, Graph const& graph, BuilderConfig const& config, Device device,
                          int32_t maxBatch) {
    BuildConfig core;
    core.device = device;
    core.settings.refits = refittable(config) != Refittable::None;
    core.settings.streamsWeights = config.has(BuilderFlag::kWEIGHT_STREAMING);
    core.keepNetwork = keepsNetworks || core.settings.refits || config.has(BuilderFlag::kVERSION_COMPATIBLE);
    core.settings.debugUnfused = network.debugsUnfused();
    core.settings.verbosity = static_cast<ProfilingVerbosity>(config.verbosity());
    constexpr int32_t kAliasedPluginIo = 1; // the neutral number of PreviewFeature::kALIASED_PLUGIN_IO_10_03
    core.tuning = config.tuning();
    if (core.tuning.stream && backendOf(device).streams() == nullptr)
        network.reporter().noEffect("IBuilderConfig::setProfileStream", kNoStreams);
    // kernels are timed at the optimum of the first profile
    auto* const ofProfile = config.profiles().empty() ? nullptr : config.profiles().front()->getProfileStream();
    if (ofProfile) core.tuning.stream = ofProfile;
    if (ofProfile && backendOf(device).streams() == nullptr)
        network.reporter().noEffect("IOptimizationProfile::setProfileStream", kNoStreams);
    core.settings.workspaceLimit = config.workspaceLimit();
    core.settings.sparse = mayLeaveOutZeros(config, network.reporter());
    core.settings.keepsNans = config.has(BuilderFlag::kSTRICT_NANS);
    core.settings.apiVersion = network.apiVersion();
    core.settings.leftOutPasses = config.leftOutPasses();
    core.settings.independent = config.has(BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE);
    leaveOutSources(core.settings, config);
    core.settings.auxStreams = config.auxStreams();
    if (core.settings.auxStreams > 0 && backendOf(device).streams() == nullptr)
        network.reporter().noEffect("IBuilderConfig::setMaxAuxStreams", kNoStreams);
    core.settings.pluginAliases = config.hasPreview(kAliasedPluginIo);
    setFloatTypes(core, network, graph, config);
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
