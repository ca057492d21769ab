// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The five enums whose numbers differ between API levels.
///
/// A program compiled at level 8 writes `1U << 5` where one of level 10 writes `1U << 4` for the same flag, and both
/// call the same library. So each level keeps its own numbers (raw integers in user code stay right), and the inline
/// functions of the engine's classes translate at the call: the library sees one *neutral* number, which is the number
/// of level 10, or one from 64 on (bits: from 40 on) for a name that level 10 no longer has.
#ifndef TENON_API_RENUMBERED_H
#define TENON_API_RENUMBERED_H

#include "tenon/api/types.h"

namespace nvinfer1 {

/// The kind of a layer, which ILayer::getType() returns. The comment names the class to cast the layer to.
enum class LayerType : int32_t {
    kCONVOLUTION = 0, ///< IConvolutionLayer
#if TENON_LEVEL < 10
    kFULLY_CONNECTED, ///< IFullyConnectedLayer, up to level 8
#else
    kCAST, ///< ICastLayer
#endif
    kACTIVATION,    ///< IActivationLayer
    kPOOLING,       ///< IPoolingLayer
    kLRN,           ///< ILRNLayer
    kSCALE,         ///< IScaleLayer
    kSOFTMAX,       ///< ISoftMaxLayer
    kDECONVOLUTION, ///< IDeconvolutionLayer
    kCONCATENATION, ///< IConcatenationLayer
    kELEMENTWISE,   ///< IElementWiseLayer
    kPLUGIN,        ///< IPluginLayer, level 7
#if TENON_LEVEL < 8
    kRNN, ///< IRNNLayer, level 7
#endif
    kUNARY,           ///< IUnaryLayer
    kPADDING,         ///< IPaddingLayer
    kSHUFFLE,         ///< IShuffleLayer
    kREDUCE,          ///< IReduceLayer
    kTOPK,            ///< ITopKLayer
    kGATHER,          ///< IGatherLayer
    kMATRIX_MULTIPLY, ///< IMatrixMultiplyLayer
    kRAGGED_SOFTMAX,  ///< IRaggedSoftMaxLayer
    kCONSTANT,        ///< IConstantLayer
#if TENON_LEVEL < 10
    kRNN_V2, ///< IRNNv2Layer, up to level 8
#endif
    kIDENTITY,        ///< IIdentityLayer
    kPLUGIN_V2,       ///< IPluginV2Layer
    kSLICE,           ///< ISliceLayer
    kSHAPE,           ///< IShapeLayer
    kPARAMETRIC_RELU, ///< IParametricReLULayer
    kRESIZE,          ///< IResizeLayer
    kTRIP_LIMIT,      ///< ITripLimitLayer
    kRECURRENCE,      ///< IRecurrenceLayer
    kITERATOR,        ///< IIteratorLayer
    kLOOP_OUTPUT,     ///< ILoopOutputLayer
    kSELECT,          ///< ISelectLayer
    kFILL,            ///< IFillLayer
#if TENON_LEVEL >= 8
    kQUANTIZE,           ///< IQuantizeLayer
    kDEQUANTIZE,         ///< IDequantizeLayer
    kCONDITION,          ///< IConditionLayer
    kCONDITIONAL_INPUT,  ///< IIfConditionalInputLayer
    kCONDITIONAL_OUTPUT, ///< IIfConditionalOutputLayer
    kSCATTER,            ///< IScatterLayer
    kEINSUM,             ///< IEinsumLayer
    kASSERTION,          ///< IAssertionLayer
    kONE_HOT,            ///< IOneHotLayer
    kNON_ZERO,           ///< INonZeroLayer
    kGRID_SAMPLE,        ///< IGridSampleLayer
    kNMS,                ///< INMSLayer
    kREVERSE_SEQUENCE,   ///< IReverseSequenceLayer
    kNORMALIZATION,      ///< INormalizationLayer
#if TENON_LEVEL < 10
    kCAST, ///< ICastLayer
#else
    kPLUGIN_V3,        ///< IPluginV3Layer
    kSQUEEZE,          ///< ISqueezeLayer
    kUNSQUEEZE,        ///< IUnsqueezeLayer
    kCUMULATIVE,       ///< ICumulativeLayer
    kDYNAMIC_QUANTIZE, ///< IDynamicQuantizeLayer
    kATTENTION_INPUT,  ///< IAttentionInputLayer
    kATTENTION_OUTPUT, ///< IAttentionOutputLayer
    kROTARY_EMBEDDING, ///< IRotaryEmbeddingLayer
    kKVCACHE_UPDATE,   ///< IKVCacheUpdateLayer
    kMOE,              ///< IMoELayer
    kDIST_COLLECTIVE,  ///< IDistCollectiveLayer
#endif
#endif
};

namespace impl {
template <> struct EnumMaxImpl<LayerType> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(LayerType::kDIST_COLLECTIVE);
#elif TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(LayerType::kCAST);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(LayerType::kFILL);
#endif
};
} // namespace impl

/// Options of a build; IBuilderConfig::setFlag().
///
/// A build fails for a flag that is refused, and warns of a flag without effect. docs/support.md lists both with
/// reasons. Flags that allow types (kFP16, kBF16, kINT8, kFP8, kINT4, kFP4) are refused for strongly typed networks.
enum class BuilderFlag : int32_t {
#if TENON_LEVEL < 11
    /// kFLOAT tensors may be stored, and computed with, in kHALF where that is faster. Up to level 10.
    kFP16 = 0,
    kINT8 = 1, ///< Tensors with a range may be stored and computed with in kINT8.
#endif
    kDEBUG = 2,        ///< Logs each layer before it is timed, so that the log shows one that hangs or crashes.
    kGPU_FALLBACK = 3, ///< Without effect: there is no DLA.
#if TENON_LEVEL < 10
    kSTRICT_TYPES, ///< As kPREFER_PRECISION_CONSTRAINTS.
#endif
    kREFIT,                ///< All weights are refittable, except those that determine shapes.
    kDISABLE_TIMING_CACHE, ///< Times every kernel; no cache is read or filled.
    kTF32,                 ///< kFLOAT inputs may be multiplied in TF32 on GPUs. Set by default.
#if TENON_LEVEL >= 8
    kSPARSE_WEIGHTS, ///< Kernels may skip weights that are 0, two in each four. No effect with kSTRICT_NANS or refit.
    kSAFETY_SCOPE,   ///< Refuses input dimensions of -1, loops, conditionals and data-dependent shapes.
#if TENON_LEVEL < 11
    /// ILayer::setPrecision() and setOutputType() are obeyed, or the build fails and names the layer. Up to level 10.
    kOBEY_PRECISION_CONSTRAINTS,
    /// They are obeyed where a kernel exists that takes at most 20 times the time; else a warning names the layer. Up
    /// to level 10.
    kPREFER_PRECISION_CONSTRAINTS,
    kDIRECT_IO,               ///< Inputs and outputs with allowed formats are not reformatted, or the build fails.
    kREJECT_EMPTY_ALGORITHMS, ///< The build fails if an algorithm selector selects nothing.
#else
    kDIRECT_IO = 11,   ///< Inputs and outputs with allowed formats are not reformatted, or the build fails.
#endif
#if TENON_LEVEL < 10
    kENABLE_TACTIC_HEURISTIC, ///< Kernels are chosen by estimates; nothing is timed.
#endif
    kVERSION_COMPATIBLE,   ///< Keeps the network in the engine, so that other versions can rebuild it.
    kEXCLUDE_LEAN_RUNTIME, ///< Without effect: no engine contains a runtime.
#if TENON_LEVEL < 11
    kFP8,                        ///< Without effect: only quantize and dequantize layers introduce this type.
    kERROR_ON_TIMING_CACHE_MISS, ///< The build fails if the timing cache lacks a kernel.
    kBF16,                       ///< As kFP16, in kBF16.
#else
    kERROR_ON_TIMING_CACHE_MISS = 15, ///< The build fails if the timing cache lacks a kernel.
#endif
    kDISABLE_COMPILATION_CACHE = TENON_LEVEL < 10   ? 20
                                 : TENON_LEVEL < 11 ? 18
                                                    : 17, ///< Compile anew: see TENON_CACHE in docs/cuda.md.
#if TENON_LEVEL < 10
    kWEIGHTLESS, ///< Omits refittable weights, of all layers without another refit flag, from the file.
#else
    kSTRIP_PLAN,                      ///< Omits refittable weights from the engine file.
#if TENON_LEVEL < 11
    kWEIGHTLESS = kSTRIP_PLAN,        ///< Earlier name of kSTRIP_PLAN.
#endif
    kREFIT_IDENTICAL,                 ///< As kREFIT.
    kWEIGHT_STREAMING,                ///< Enables ICudaEngine::setWeightStreamingBudgetV2().
#if TENON_LEVEL < 11
    kINT4,                            ///< Without effect: only quantize and dequantize layers introduce this type.
#endif
    kREFIT_INDIVIDUAL = TENON_LEVEL < 11 ? 23 : 22, ///< Marked weights and placeholders are refittable.
    kSTRICT_NANS,    ///< Computes 0*x, x-x and x/x, and activations of NaN, as IEEE 754 requires.
    kMONITOR_MEMORY, ///< Logs the memory that each stage of a build uses.
#if TENON_LEVEL < 11
    kFP4,            ///< Without effect: only quantize and dequantize layers introduce this type.
#endif
    kEDITABLE_TIMING_CACHE = TENON_LEVEL < 11 ? 27 : 26, ///< Without effect: ITimingCache::update() works in any case.
    kDISTRIBUTIVE_INDEPENDENCE,                          ///< Computes the products of a batch one by one.
#endif
#endif
};

namespace impl {
template <> struct EnumMaxImpl<BuilderFlag> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE);
#elif TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(BuilderFlag::kWEIGHTLESS);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(BuilderFlag::kTF32);
#endif
};
} // namespace impl

/// Options of a network; bits of IBuilder::createNetworkV2().
enum class NetworkDefinitionCreationFlag : int32_t {
#if TENON_LEVEL < 11
    kEXPLICIT_BATCH = 0, ///< Shapes include the batch. Always so from level 10 on.
#endif
#if TENON_LEVEL < 10
    kEXPLICIT_PRECISION = 1, ///< Without effect.
#endif
#if TENON_LEVEL >= 8
    /// Types follow from inputs and layers, and the build changes none. Always so at level 11.
    kSTRONGLY_TYPED = TENON_LEVEL < 10   ? 2
                      : TENON_LEVEL < 11 ? 1
                                         : 0,
#endif
#if TENON_LEVEL >= 10
    kPREFER_JIT_PYTHON_PLUGINS, ///< Of a Python plugin with both, selects the JIT implementation.
    kPREFER_AOT_PYTHON_PLUGINS, ///< Of a Python plugin with both, selects the ahead-of-time implementation.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<NetworkDefinitionCreationFlag> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(NetworkDefinitionCreationFlag::kPREFER_AOT_PYTHON_PLUGINS);
#elif TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(NetworkDefinitionCreationFlag::kEXPLICIT_PRECISION);
#endif
};
} // namespace impl

/// Features of IBuilderConfig::setPreviewFeature(). Since level 8.
enum class TENON_FROM_8(PreviewFeature) : int32_t {
#if TENON_LEVEL < 10
    kFASTER_DYNAMIC_SHAPES_0805,                    ///< Without effect.
    kDISABLE_EXTERNAL_TACTIC_SOURCES_FOR_CORE_0805, ///< Without effect.
#endif
#if TENON_LEVEL < 11
    kPROFILE_SHARING_0806, ///< Several contexts may use one profile. Always so.
#endif
#if TENON_LEVEL >= 10
    kALIASED_PLUGIN_IO_10_03,         ///< Plugins may write an output in place of an input.
    kRUNTIME_ACTIVATION_RESIZE_10_10, ///< Contexts allocate for the current shapes. Always so.
#endif
#if TENON_LEVEL == 10
    kMULTIDEVICE_RUNTIME_10_16, ///< Layers may exchange data between devices. Always so.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(PreviewFeature)> {
#if TENON_LEVEL >= 11
    static constexpr int32_t kVALUE = tenonAbi::countOf(PreviewFeature::kRUNTIME_ACTIVATION_RESIZE_10_10);
#elif TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(PreviewFeature)::kMULTIDEVICE_RUNTIME_10_16);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(PreviewFeature)::kPROFILE_SHARING_0806);
#endif
};
} // namespace impl

/// Sources of kernels; bits of IBuilderConfig::setTacticSources().
enum class TacticSource : int32_t {
#if TENON_LEVEL < 11
    kCUBLAS,    ///< Products by cuBLASLt. Excluded only without both kCUBLAS and kCUBLAS_LT, up to level 8.
    kCUBLAS_LT, ///< See kCUBLAS.
#endif
#if TENON_LEVEL == 8 || TENON_LEVEL == 10
    kCUDNN, ///< Convolutions by cuDNN. From level 10 on not in the default mask, and not excluded without it.
#endif
#if TENON_LEVEL >= 8
    kEDGE_MASK_CONVOLUTIONS, ///< Without effect: there are none.
    kJIT_CONVOLUTIONS,       ///< Convolutions that a library compiles for the shapes of a node.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<TacticSource> {
#if TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(TacticSource::kJIT_CONVOLUTIONS);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(TacticSource::kCUBLAS_LT);
#endif
};
} // namespace impl

using BuilderFlags = uint32_t;                   ///< One bit for each BuilderFlag.
using NetworkDefinitionCreationFlags = uint32_t; ///< One bit for each NetworkDefinitionCreationFlag.
using TacticSources = uint32_t;                  ///< One bit for each TacticSource.

namespace tenonAbi {

// A level's number → the neutral number. Names that only older levels have: from 40 (flags) or 64 (layers) on.

/// Converts the number of a layer type of this level to the neutral number.
TENON_LEVELED inline int32_t neutral(LayerType type) noexcept {
    int32_t const v = static_cast<int32_t>(type);
#if TENON_LEVEL < 10
    int32_t const fullyConnected = 64;
    int32_t const rnnV2 = 65;
    int32_t const rnn = 66;
    int32_t const gap = TENON_LEVEL < 8 ? 1 : 0; // level 7 has kRNN in the middle
    return v == 1                ? fullyConnected
           : v == 47             ? 1 // kCAST
           : gap == 1 && v == 11 ? rnn
           : v == 20 + gap       ? rnnV2
           : v > 20 + gap        ? v - 1 - gap
           : v > 11              ? v - gap
                                 : v;
#else
    return v;
#endif
}

/// Converts the number of a flag of this level to the neutral number.
TENON_LEVELED inline int32_t neutral(BuilderFlag flag) noexcept {
    int32_t const v = static_cast<int32_t>(flag);
#if TENON_LEVEL < 10
    int32_t const strictTypes = 40;
    int32_t const tacticHeuristic = 41;
    return v < 4 ? v : v == 4 ? strictTypes : v < 14 ? v - 1 : v == 14 ? tacticHeuristic : v - 2;
#elif TENON_LEVEL < 11
    return v;
#else
    return v < 12 ? v : v + 1;
#endif
}

/// Converts the number of a flag of this level to the neutral number.
TENON_LEVELED inline int32_t neutral(NetworkDefinitionCreationFlag flag) noexcept {
    int32_t const v = static_cast<int32_t>(flag);
#if TENON_LEVEL < 10
    int32_t const explicitPrecision = 40;
    return v == 0 ? 0 : v == 1 ? explicitPrecision : v - 1;
#elif TENON_LEVEL < 11
    return v;
#else
    return v + 1;
#endif
}

/// Converts the number of a feature of this level to the neutral number.
TENON_LEVELED inline int32_t neutral(TENON_FROM_8(PreviewFeature) feature) noexcept {
    int32_t const v = static_cast<int32_t>(feature);
#if TENON_LEVEL < 10
    return v == 2 ? 0 : v + 40;
#elif TENON_LEVEL < 11
    return v;
#else
    return v + 1;
#endif
}

/// Converts the number of a tactic source of this level to the neutral number.
TENON_LEVELED inline int32_t neutral(TacticSource source) noexcept {
    return static_cast<int32_t>(source) + (TENON_LEVEL < 11 ? 0 : 3);
}

/// Returns the default tactic sources of this level as a neutral mask: without the libraries from level 10 on.
TENON_LEVELED inline uint64_t sourcesAtFirst() noexcept {
    return TENON_LEVEL < 8 ? 0x03 : TENON_LEVEL < 10 ? 0x1f : 0x18;
}

/// Converts a neutral number to the number of this level; -1 if the level has no name for it.
template <class Enum> TENON_LEVELED inline Enum levelled(int32_t number) noexcept {
    int32_t const beyond = 64;
    for (int32_t v = 0; v < beyond; ++v) {
        if (neutral(static_cast<Enum>(v)) == number) {
            return static_cast<Enum>(v);
        }
    }
    return static_cast<Enum>(-1);
}

/// Converts a mask of this level, with 32 bits, to a neutral mask, with 64.
template <class Enum> TENON_LEVELED inline uint64_t neutralBits(uint32_t mask) noexcept {
    uint64_t result = 0;
    for (int32_t v = 0; v < 32; ++v) {
        if ((mask >> v) & 1U) {
            result |= uint64_t{1} << (neutral(static_cast<Enum>(v)) & 63);
        }
    }
    return result;
}

/// Converts a neutral mask to a mask of this level; bits without a name in it are dropped.
template <class Enum> TENON_LEVELED inline uint32_t levelledBits(uint64_t mask) noexcept {
    uint32_t result = 0;
    for (int32_t v = 0; v < 32; ++v) {
        if ((mask >> (neutral(static_cast<Enum>(v)) & 63)) & 1U) {
            result |= 1U << v;
        }
    }
    return result;
}

} // namespace tenonAbi

} // namespace nvinfer1

#endif
