// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder.h"
#include "trt/convert.h"

namespace tenon::trt {
namespace {

using api::BuilderFlag;

struct Refused {
    BuilderFlag flag;
    std::string_view name;
};

constexpr Refused kRefused[]{
    {BuilderFlag::kREFIT, "kREFIT"},
    {BuilderFlag::kSTRIP_PLAN, "kSTRIP_PLAN"},
    {BuilderFlag::kREFIT_IDENTICAL, "kREFIT_IDENTICAL"},
    {BuilderFlag::kREFIT_INDIVIDUAL, "kREFIT_INDIVIDUAL"},
    {BuilderFlag::kWEIGHT_STREAMING, "kWEIGHT_STREAMING"},
    {BuilderFlag::kSAFETY_SCOPE, "kSAFETY_SCOPE"},
};

void expectServed(BuilderConfig const& config) {
    for (Refused const& refused : kRefused) {
        if (config.has(refused.flag)) notSupported(text("BuilderFlag::", refused.name));
    }
}

void expectPrecisionsMet(Network const& network, BuilderConfig const& config) {
    if (!config.has(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS)) return;
    for (LayerFace const* layer : network.layers()) {
        auto const& wanted = layer->precision();
        bool const met = !wanted || layer->node().outputs().empty() || toApi(layer->node().output()->type) == *wanted;
        if (!met)
            notSupported(text(layer->node(), " in ", fromApi(*wanted),
                              " by kOBEY_PRECISION_CONSTRAINTS; convert its "
                              "inputs with addCast, or use kPREFER_PRECISION_CONSTRAINTS"));
    }
}

void setFloatTypes(BuildConfig& core, Network const& network, BuilderConfig const& config) {
    core.allowFloat16 = config.has(BuilderFlag::kFP16);
    core.allowBFloat16 = config.has(BuilderFlag::kBF16);
    if (!network.getFlag(api::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)) return;
    if (core.allowFloat16 || core.allowBFloat16)
        fail(ErrorCode::InvalidArgument, "BuilderFlag::", core.allowFloat16 ? "kFP16" : "kBF16",
             " has no place in a strongly typed network: its tensors say their types");
}

/// Where the program restricts the formats of an input or output, or gives an input another type, those that it allows.
void setIoLabels(BuildConfig& core, Network const& network) {
    for (auto const* tensors : {&network.graph().inputs(), &network.graph().outputs()}) {
        for (Tensor const* tensor : *tensors) {
            constexpr api::TensorFormats kLinear = 1; // what inputs and outputs are unless something else is said
            auto const allowed = network.allowedFormats(*tensor);
            DataType const type = network.outerType(*tensor);
            if (!allowed && type == tensor->type) continue;
            std::vector<Label>& labels = core.ioLabels[tensor->name];
            for (int32_t i = 0; i < api::EnumMax<api::TensorFormat>(); ++i) {
                auto const format = fromApi(static_cast<api::TensorFormat>(i));
                if (((allowed.value_or(kLinear) >> i) & 1U) && format) labels.push_back({type, *format, core.device});
            }
            if (labels.empty())
                fail(ErrorCode::Unsupported, tensor->name, ": none of the allowed formats (mask ",
                     allowed.value_or(kLinear), ") is supported");
        }
    }
}

} // namespace

BuildConfig toBuildConfig(Network const& network, BuilderConfig const& config) {
    expectServed(config);
    expectPrecisionsMet(network, config);
    BuildConfig core;
    core.debugUnfused = network.debugsUnfused();
    core.verbosity = static_cast<ProfilingVerbosity>(config.verbosity());
    constexpr int32_t kAliasedPluginIo = 1; // the neutral number of PreviewFeature::kALIASED_PLUGIN_IO_10_03
    core.tuning = config.tuning();
    core.workspaceLimit = config.workspaceLimit();
    core.pluginAliases = config.hasPreview(kAliasedPluginIo);
    setFloatTypes(core, network, config);
    setIoLabels(core, network);
    for (api::IOptimizationProfile const* profile : config.profiles())
        core.profiles.push_back(static_cast<ProfileFace const*>(profile)->toProfile());
    for (BuilderFlag const flag : {BuilderFlag::kINT8, BuilderFlag::kFP8, BuilderFlag::kINT4, BuilderFlag::kFP4}) {
        if (config.has(flag))
            network.reporter().warning("a flag for types of 8 or 4 bits has no effect: only quantize and dequantize "
                                       "layers bring such types into a network");
    }
    return core;
}

} // namespace tenon::trt
