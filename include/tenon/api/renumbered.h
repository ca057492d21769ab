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

/// What a layer computes. `ILayer::getType()` answers with it; the class to cast the layer to is named after it.
enum class LayerType : int32_t {
    kCONVOLUTION = 0,
#if TENON_LEVEL < 10
    kFULLY_CONNECTED,
#else
    kCAST,
#endif
    kACTIVATION,
    kPOOLING,
    kLRN,
    kSCALE,
    kSOFTMAX,
    kDECONVOLUTION,
    kCONCATENATION,
    kELEMENTWISE,
    kPLUGIN,
#if TENON_LEVEL < 8
    kRNN,
#endif
    kUNARY,
    kPADDING,
    kSHUFFLE,
    kREDUCE,
    kTOPK,
    kGATHER,
    kMATRIX_MULTIPLY,
    kRAGGED_SOFTMAX,
    kCONSTANT,
#if TENON_LEVEL < 10
    kRNN_V2,
#endif
    kIDENTITY,
    kPLUGIN_V2,
    kSLICE,
    kSHAPE,
    kPARAMETRIC_RELU,
    kRESIZE,
    kTRIP_LIMIT,
    kRECURRENCE,
    kITERATOR,
    kLOOP_OUTPUT,
    kSELECT,
    kFILL,
#if TENON_LEVEL >= 8
    kQUANTIZE,
    kDEQUANTIZE,
    kCONDITION,
    kCONDITIONAL_INPUT,
    kCONDITIONAL_OUTPUT,
    kSCATTER,
    kEINSUM,
    kASSERTION,
    kONE_HOT,
    kNON_ZERO,
    kGRID_SAMPLE,
    kNMS,
    kREVERSE_SEQUENCE,
    kNORMALIZATION,
#if TENON_LEVEL < 10
    kCAST,
#else
    kPLUGIN_V3,
    kSQUEEZE,
    kUNSQUEEZE,
    kCUMULATIVE,
    kDYNAMIC_QUANTIZE,
    kATTENTION_INPUT,
    kATTENTION_OUTPUT,
    kROTARY_EMBEDDING,
    kKVCACHE_UPDATE,
    kMOE,
    kDIST_COLLECTIVE,
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

/// Switches of a build; `IBuilderConfig::setFlag()`. With one that is refused a build fails, and the log says so, as it
/// does of those that are without effect. docs/support.md lists both with the reasons.
enum class BuilderFlag : int32_t {
#if TENON_LEVEL < 11
    /// float32 tensors may be kept, and computed with, in 16-bit floating point where that is faster. Refused for
    /// strongly typed networks, as kBF16, kINT8, kFP8, kINT4 and kFP4 are.
    kFP16 = 0,
    kINT8 = 1, ///< Tensors that have a range may be kept in 8-bit integers; see docs/cuda.md.
#endif
    kDEBUG = 2,        ///< The log names each layer before it is timed, and so the one that hangs or crashes.
    kGPU_FALLBACK = 3, ///< Without effect: there is no DLA to fall back from.
#if TENON_LEVEL < 10
    kSTRICT_TYPES, ///< As kPREFER_PRECISION_CONSTRAINTS.
#endif
    kREFIT,                ///< All weights may be exchanged in the engine, by an IRefitter.
    kDISABLE_TIMING_CACHE, ///< Time every kernel anew.
    kTF32,                 ///< float32 inputs may be multiplied in TF32. On by default; without meaning on a CPU.
#if TENON_LEVEL >= 8
    kSPARSE_WEIGHTS, ///< Products may leave out zeros of weights that have two in each four; not with kSTRICT_NANS.
    kSAFETY_SCOPE,   ///< Fixed shapes, no loops and conditionals; checked.
#if TENON_LEVEL < 11
    /// What ILayer::setPrecision() and setOutputType() say is met, or the build fails and names the layer.
    kOBEY_PRECISION_CONSTRAINTS,
    /// The same, with a warning where nothing meets it, or only in 20 times the time.
    kPREFER_PRECISION_CONSTRAINTS,
    kDIRECT_IO,               ///< As ITensor::setAllowedFormats() says and not reformatted, or the build fails.
    kREJECT_EMPTY_ALGORITHMS, ///< A layer for which an algorithm selector selects nothing fails the
                              ///< build.
#else
    kDIRECT_IO = 11,                  ///< As ITensor::setAllowedFormats() says and not reformatted, or the build fails.
#endif
#if TENON_LEVEL < 10
    kENABLE_TACTIC_HEURISTIC, ///< Estimates choose the kernels: nothing is timed.
#endif
    kVERSION_COMPATIBLE,   ///< Keeps the network in the engine, so that other versions can build it again.
    kEXCLUDE_LEAN_RUNTIME, ///< No engine file holds a runtime.
#if TENON_LEVEL < 11
    kFP8,                        ///< Without effect: only quantize and dequantize layers bring such types in.
    kERROR_ON_TIMING_CACHE_MISS, ///< Fail if the timing cache lacks a kernel.
    kBF16,                       ///< As kFP16, in bfloat16.
#else
    kERROR_ON_TIMING_CACHE_MISS = 15, ///< Fail if the timing cache lacks a kernel.
#endif
    kDISABLE_COMPILATION_CACHE = TENON_LEVEL < 10   ? 20
                                 : TENON_LEVEL < 11 ? 18
                                                    : 17, ///< Compile anew: see TENON_CACHE in docs/cuda.md.
#if TENON_LEVEL < 10
    kWEIGHTLESS, ///< The file is without the weights that may be exchanged, of all
                 ///< of them by itself: an IRefitter gives them back before it runs.
#else
    kSTRIP_PLAN,                      ///< The file is without the weights that may be exchanged.
#if TENON_LEVEL < 11
    kWEIGHTLESS = kSTRIP_PLAN,        ///< The earlier name of kSTRIP_PLAN.
#endif
    kREFIT_IDENTICAL,                 ///< As kREFIT.
    kWEIGHT_STREAMING,                ///< ICudaEngine::setWeightStreamingBudgetV2() works.
#if TENON_LEVEL < 11
    kINT4,                            ///< Without effect: only quantize and dequantize layers bring such types in.
#endif
    kREFIT_INDIVIDUAL = TENON_LEVEL < 11 ? 23 : 22, ///< As kREFIT, of the weights that are marked, and placeholders.
    kSTRICT_NANS,                                   ///< 0*x, x-x and x/x are computed, as without kSPARSE_WEIGHTS.
    kMONITOR_MEMORY,                                ///< The log says what memory each stage of a build uses.
#if TENON_LEVEL < 11
    kFP4, ///< Without effect: only quantize and dequantize layers bring such types in.
#endif
    kEDITABLE_TIMING_CACHE = TENON_LEVEL < 11 ? 27 : 26, ///< Without effect: every cache can be changed.
    kDISTRIBUTIVE_INDEPENDENCE,                          ///< Products of a batch one by one.
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

/// How a network is created; bits of `IBuilder::createNetworkV2()`.
enum class NetworkDefinitionCreationFlag : int32_t {
#if TENON_LEVEL < 11
    kEXPLICIT_BATCH = 0, ///< Tensors show their batch dimension. Always so from level 10 on.
#endif
#if TENON_LEVEL < 10
    kEXPLICIT_PRECISION = 1, ///< Without effect.
#endif
#if TENON_LEVEL >= 8
    /// Types follow from the inputs and operators alone; the builder changes none of them. Always so at level 11.
    kSTRONGLY_TYPED = TENON_LEVEL < 10   ? 2
                      : TENON_LEVEL < 11 ? 1
                                         : 0,
#endif
#if TENON_LEVEL >= 10
    kPREFER_JIT_PYTHON_PLUGINS, ///< Of a Python plugin that has both, take the JIT implementation.
    kPREFER_AOT_PYTHON_PLUGINS, ///< Of a Python plugin that has both, take the ahead-of-time implementation.
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

/// Features that are being tried out; `IBuilderConfig::setPreviewFeature()`.
enum class TENON_FROM_8(PreviewFeature) : int32_t {
#if TENON_LEVEL < 10
    kFASTER_DYNAMIC_SHAPES_0805,                    ///< Without effect.
    kDISABLE_EXTERNAL_TACTIC_SOURCES_FOR_CORE_0805, ///< Without effect.
#endif
#if TENON_LEVEL < 11
    kPROFILE_SHARING_0806, ///< Several contexts may use one profile at a time. Always so in Tenon.
#endif
#if TENON_LEVEL >= 10
    kALIASED_PLUGIN_IO_10_03,         ///< Plugins may write an output in place of an input.
    kRUNTIME_ACTIVATION_RESIZE_10_10, ///< Memory of a context is sized for its real shapes. Always so in Tenon.
#endif
#if TENON_LEVEL == 10
    kMULTIDEVICE_RUNTIME_10_16, ///< Layers may exchange data with other devices. Always so in Tenon.
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

/// Sources of kernels; bits of `IBuilderConfig::setTacticSources()`.
enum class TacticSource : int32_t {
#if TENON_LEVEL < 11
    kCUBLAS,    ///< Products by cuBLASLt, as kCUBLAS_LT: they are left out without both, and up to level 8 only.
    kCUBLAS_LT, ///< See kCUBLAS.
#endif
#if TENON_LEVEL == 8 || TENON_LEVEL == 10
    kCUDNN, ///< Convolutions by cuDNN. From level 10 on, where it is off at first, it is not missed either.
#endif
#if TENON_LEVEL >= 8
    kEDGE_MASK_CONVOLUTIONS, ///< There are none.
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

TENON_LEVELED inline int32_t neutral(TacticSource source) noexcept {
    return static_cast<int32_t>(source) + (TENON_LEVEL < 11 ? 0 : 3);
}

/// The sources that are on at first in this level, as a neutral mask: without the libraries from level 10 on.
TENON_LEVELED inline uint64_t sourcesAtFirst() noexcept {
    return TENON_LEVEL < 8 ? 0x03 : TENON_LEVEL < 10 ? 0x1f : 0x18;
}

/// The neutral number → the number of this level; -1 where this level has no name for it.
template <class Enum> TENON_LEVELED inline Enum levelled(int32_t number) noexcept {
    int32_t const beyond = 64;
    for (int32_t v = 0; v < beyond; ++v) {
        if (neutral(static_cast<Enum>(v)) == number) {
            return static_cast<Enum>(v);
        }
    }
    return static_cast<Enum>(-1);
}

/// The same for a mask of 32 bits of this level; a neutral mask has 64.
template <class Enum> TENON_LEVELED inline uint64_t neutralBits(uint32_t mask) noexcept {
    uint64_t result = 0;
    for (int32_t v = 0; v < 32; ++v) {
        if ((mask >> v) & 1U) {
            result |= uint64_t{1} << (neutral(static_cast<Enum>(v)) & 63);
        }
    }
    return result;
}

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
