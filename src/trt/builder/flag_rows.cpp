// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/flag_rows.h"

#include "calibration/calibrate.h"
#include "layers/control_edge/control_edge.h"
#include "trt/builder/builder.h"

#include <algorithm>

namespace tenon::trt {
namespace {

using api::BuilderFlag;
using enum FlagCase::Outcome;

constexpr auto kStrictTypes = static_cast<BuilderFlag>(40); // neutral numbers of flags that only older levels have
constexpr auto kTacticHeuristic = static_cast<BuilderFlag>(41);

bool always(FlagContext const&) { return true; }

bool isStronglyTyped(FlagContext const& context) {
    return context.network.getFlag(api::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
}

/// A safety runtime has no functions to set a shape or to take an output of data-dependent size, and no control flow:
/// its context only has addresses to set (nvinfer1::safe).
bool leavesSafetyScope(FlagContext const& context) {
    auto const refuse = [](auto const&... parts) {
        fail(ErrorCode::InvalidState, "BuilderFlag::kSAFETY_SCOPE: ", parts...);
    };
    for (Tensor const* input : context.network.graph().inputs()) {
        if (!isConstant(input->shape))
            refuse("input ", input->name, " has shape ", input->shape, "; give it fixed extents, or clear the flag");
    }
    for (LayerFace const* layer : context.network.layers()) {
        Node const& node = layer->node();
        if (node.kind() == ControlEdge::kKind)
            refuse(node, ": loops and conditionals are out of scope; write it without, or clear the flag");
        if (!node.layer->sizes(operandsOf(node)).empty())
            refuse(node, ": the run decides the size of its output; write it without, or clear the flag");
    }
    return false;
}

/// Tensors of loops and conditionals keep their own types.
bool constrainsLoops(FlagContext const& context) {
    for (LayerFace const* layer : context.network.layers()) {
        Node const& node = layer->node();
        bool const isOther = node.kind() == ControlEdge::kKind && node.askedType && !node.outputs().empty() &&
                             node.output()->type != *node.askedType;
        if (isOther)
            fail(ErrorCode::Unsupported, "not supported: BuilderFlag::kOBEY_PRECISION_CONSTRAINTS for ", node, " in ",
                 *node.askedType, ", a layer of a loop or a conditional, whose tensor is ", node.output()->type,
                 "; convert that with addCast");
    }
    return false;
}

bool lacksRanges(FlagContext const& context) {
    auto const hasRange = [](auto const& tensor) { return tensor->quantum.scale != 0; };
    return std::ranges::none_of(context.graph->tensors(), hasRange) && !isExplicitlyQuantized(*context.graph);
}

constexpr std::string_view kInTypedNetwork = "in a strongly typed network";
constexpr std::string_view kTypesOfTensors = "its tensors define their types";
constexpr std::string_view kOnlyQuantizeLayers =
    "only quantize and dequantize layers bring types of 8 or 4 bits into a network";

constexpr FlagCase kChoosesTypes[]{{Refused, kInTypedNetwork, kTypesOfTensors, isStronglyTyped}};
constexpr FlagCase kInt8Cases[]{
    {Refused, kInTypedNetwork, kTypesOfTensors, isStronglyTyped},
    {NoEffect, "if no tensor has a range", "give ranges with setDynamicRange or a calibrator", lacksRanges},
};
constexpr FlagCase kSmallTypes[]{
    {Refused, kInTypedNetwork, kTypesOfTensors, isStronglyTyped},
    {NoEffect, "", kOnlyQuantizeLayers, always},
};
constexpr FlagCase kFallbackCases[]{{NoEffect, "", "there is no DLA to fall back from", always}};
constexpr FlagCase kObeyCases[]{{Refused, "for a layer of a loop or a conditional in another type than its tensor's",
                                 "convert the tensor with addCast", constrainsLoops}};
constexpr FlagCase kSafetyCases[]{{Refused, "for dynamic or data-dependent shapes, loops and conditionals",
                                   "a safety runtime has none of these; clear the flag", leavesSafetyScope}};
constexpr FlagCase kSparseCases[]{
    {NoEffect, "with BuilderFlag::kSTRICT_NANS", "that flag requires 0*x to be computed",
     [](FlagContext const& context) { return context.config.has(BuilderFlag::kSTRICT_NANS); }},
    {NoEffect, "for an engine that can be refitted", "new weights may have other zeros",
     [](FlagContext const& context) { return refittable(context.config) != Refittable::None; }},
};

void refits(PlanSettings& settings) { settings.refits = true; }
void prefersTypes(PlanSettings& settings) { settings.precision.asked = AskedTypes::Preferred; }

constexpr int32_t number(BuilderFlag flag) { return static_cast<int32_t>(flag); }

constexpr FlagRow kRows[]{
    {number(BuilderFlag::kFP16), "kFP16", "7 to 10", "--fp16", [](auto& s) { s.precision.float16 = true; },
     kChoosesTypes},
    {number(BuilderFlag::kBF16), "kBF16", "8, 10", "--bf16", [](auto& s) { s.precision.bfloat16 = true; },
     kChoosesTypes},
    {number(BuilderFlag::kINT8), "kINT8", "7 to 10", "--int8", [](auto& s) { s.precision.int8 = true; }, kInt8Cases},
    {number(BuilderFlag::kFP8), "kFP8", "8, 10", "--fp8", nullptr, kSmallTypes},
    {number(BuilderFlag::kINT4), "kINT4", "10", "--int4", nullptr, kSmallTypes},
    {number(BuilderFlag::kFP4), "kFP4", "10", "", nullptr, kSmallTypes},
    {number(BuilderFlag::kTF32), "kTF32", "all", "--noTF32", [](auto& s) { s.precision.tf32 = true; }},
    {number(kStrictTypes), "kSTRICT_TYPES", "7, 8", "", prefersTypes},
    {number(BuilderFlag::kPREFER_PRECISION_CONSTRAINTS), "kPREFER_PRECISION_CONSTRAINTS", "8, 10",
     "--precisionConstraints=prefer", prefersTypes},
    {number(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS), "kOBEY_PRECISION_CONSTRAINTS", "8, 10",
     "--precisionConstraints=obey", [](auto& s) { s.precision.asked = AskedTypes::Obeyed; }, kObeyCases},
    {number(BuilderFlag::kDIRECT_IO), "kDIRECT_IO", "8 to 11", "--directIO", nullptr},
    {number(BuilderFlag::kSPARSE_WEIGHTS), "kSPARSE_WEIGHTS", "8 to 11", "--sparsity", [](auto& s) { s.sparse = true; },
     kSparseCases},
    {number(BuilderFlag::kSTRICT_NANS), "kSTRICT_NANS", "10, 11", "--strictNaNs", [](auto& s) { s.keepsNans = true; }},
    {number(BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE), "kDISTRIBUTIVE_INDEPENDENCE", "10, 11",
     "--distributiveIndependence", [](auto& s) { s.independent = true; }},
    {number(BuilderFlag::kREFIT), "kREFIT", "all", "--refit", refits},
    {number(BuilderFlag::kREFIT_IDENTICAL), "kREFIT_IDENTICAL", "10, 11", "", refits},
    {number(BuilderFlag::kREFIT_INDIVIDUAL), "kREFIT_INDIVIDUAL", "10, 11", "", refits},
    {number(BuilderFlag::kSTRIP_PLAN), "kSTRIP_PLAN", "10, 11; kWEIGHTLESS at 8 and 10", "--stripWeights", refits},
    {number(BuilderFlag::kWEIGHT_STREAMING), "kWEIGHT_STREAMING", "10, 11", "--allowWeightStreaming",
     [](auto& s) { s.streamsWeights = true; }},
    {number(BuilderFlag::kVERSION_COMPATIBLE), "kVERSION_COMPATIBLE", "8 to 11", "--versionCompatible", nullptr},
    {number(BuilderFlag::kEXCLUDE_LEAN_RUNTIME), "kEXCLUDE_LEAN_RUNTIME", "8 to 11", "--excludeLeanRuntime", nullptr},
    {number(BuilderFlag::kSAFETY_SCOPE), "kSAFETY_SCOPE", "8 to 11", "--restricted", nullptr, kSafetyCases},
    {number(BuilderFlag::kREJECT_EMPTY_ALGORITHMS), "kREJECT_EMPTY_ALGORITHMS", "8, 10", "", nullptr},
    {number(BuilderFlag::kDISABLE_TIMING_CACHE), "kDISABLE_TIMING_CACHE", "all", "--noBuilderCache", nullptr},
    {number(BuilderFlag::kERROR_ON_TIMING_CACHE_MISS), "kERROR_ON_TIMING_CACHE_MISS", "8 to 11",
     "--errorOnTimingCacheMiss", nullptr},
    {number(BuilderFlag::kEDITABLE_TIMING_CACHE), "kEDITABLE_TIMING_CACHE", "10, 11", "", nullptr},
    {number(kTacticHeuristic), "kENABLE_TACTIC_HEURISTIC", "8", "", nullptr},
    {number(BuilderFlag::kDISABLE_COMPILATION_CACHE), "kDISABLE_COMPILATION_CACHE", "8 to 11", "--noCompilationCache",
     nullptr},
    {number(BuilderFlag::kMONITOR_MEMORY), "kMONITOR_MEMORY", "10, 11", "--monitorMemory", nullptr},
    {number(BuilderFlag::kDEBUG), "kDEBUG", "all", "", nullptr},
    {number(BuilderFlag::kGPU_FALLBACK), "kGPU_FALLBACK", "all", "--allowGPUFallback", nullptr, kFallbackCases},
};

/// The first case of this outcome that holds; null: none.
FlagCase const* caseOf(FlagRow const& row, FlagCase::Outcome outcome, FlagContext const& context) {
    auto const found = std::ranges::find_if(
        row.cases, [&](FlagCase const& one) { return one.outcome == outcome && one.holds(context); });
    return found == row.cases.end() ? nullptr : &*found;
}

} // namespace

std::span<FlagRow const> flagRows() { return kRows; }

void expectServedFlags(Network const& network, BuilderConfig const& config) {
    FlagContext const context{network, config};
    for (FlagRow const& row : kRows) {
        FlagCase const* const refusal =
            config.has(static_cast<BuilderFlag>(row.flag)) ? caseOf(row, Refused, context) : nullptr;
        if (refusal)
            fail(ErrorCode::InvalidArgument, "BuilderFlag::", row.name, " is refused ", refusal->when, ": ",
                 refusal->why);
    }
}

void applyFlags(FlagContext const& context, PlanSettings& settings) {
    for (FlagRow const& row : kRows) {
        if (!context.config.has(static_cast<BuilderFlag>(row.flag))) continue;
        if (FlagCase const* const ignored = caseOf(row, NoEffect, context)) {
            std::string const what = text("BuilderFlag::", row.name);
            context.network.reporter().noEffect({what, ignored->when, ignored->why});
        } else if (row.set) {
            row.set(settings);
        }
    }
}

} // namespace tenon::trt
