// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string_view>

namespace tenon::trt {

/// A case in which a part of the API has no effect or is refused. docs/support.md lists all of them.
struct Unserved {
    std::string_view what; // as an application writes it: "IRuntime::setDLACore"
    std::string_view when; // "for a DLA pool"; empty: always
    std::string_view why;  // and what to do
};

namespace why {
inline constexpr std::string_view kNoDla = "there is no DLA";
inline constexpr std::string_view kNoStreams = "layers run one after another";
inline constexpr std::string_view kQuantizedByLayers = "these layers define what is quantized";
inline constexpr std::string_view kOwnTiles = "kernels choose their tiles by the processor's caches";
} // namespace why

/// A warning, once per builder or runtime and the objects made from it: Reporter::noEffect(). Flags of a build are in
/// builder/flag_rows.cpp.
inline constexpr Unserved kWithoutEffect[]{
    {"IBuilderConfig::setDLACore", "", why::kNoDla},
    {"IBuilderConfig::setDefaultDeviceType, setDeviceType", "for kDLA",
     "there is no DLA; layers stay on the engine's device"},
    {"IBuilderConfig::setInt8Calibrator", "without BuilderFlag::kINT8", "no tensor becomes int8; set that flag"},
    {"IBuilderConfig::setInt8Calibrator", "for a network with quantize and dequantize layers", why::kQuantizedByLayers},
    {"IBuilderConfig::setL2LimitForTiling", "", why::kOwnTiles},
    {"IBuilderConfig::setMaxAuxStreams", "on a device without streams, such as a CPU", why::kNoStreams},
    {"IBuilderConfig::setMemoryPoolLimit", "for a pool of a DLA", why::kNoDla},
    {"IBuilderConfig::setMemoryPoolLimit", "for kTACTIC_SHARED_MEMORY",
     "cuBLASLt does not report the shared memory of its kernels"},
    {"IBuilderConfig::setProfileStream", "on a device without streams, such as a CPU", why::kNoStreams},
    {"IBuilderConfig::setTilingOptimizationLevel", "", why::kOwnTiles},
    {"ICudaEngine::setWeightStreamingBudget", "on a CPU", "weights are read where they are"},
    {"IExecutionContext::setAuxStreams", "on a device without streams, such as a CPU", why::kNoStreams},
    {"IExecutionContext::setDeviceMemory", "on a device whose memory applications cannot allocate",
     "the context has its own memory"},
    {"ILayer::setPrecision", "without kPREFER_PRECISION_CONSTRAINTS or kOBEY_PRECISION_CONSTRAINTS",
     "kernels are chosen by their time alone; set one of these flags"},
    {"IOptimizationProfile::setExtraMemoryTarget", "", "a context uses the memory that its shapes need"},
    {"IOptimizationProfile::setProfileStream", "on a device without streams, such as a CPU", why::kNoStreams},
    {"IRuntime::setDLACore", "", why::kNoDla},
    {"IRuntime::setDLAWorkspaceAllocationStrategy", "", why::kNoDla},
    {"ITensor::setBroadcastAcrossBatch", "for other tensors than inputs of networks with implicit batch",
     "only those can be the same for all samples"},
    {"ITensor::setDynamicRange", "for a network with quantize and dequantize layers", why::kQuantizedByLayers},
    {"ITensor::setLocation", "", "the location follows from how the network uses the tensor"},
    {"ITensor::setType", "for a tensor that is neither an input nor an output of the network",
     "to convert it, use ILayer::setOutputType or addCast"},
    {"SerializationFlag::kINCLUDE_REFIT", "for an engine built without BuilderFlag::kREFIT",
     "only a build makes weights refittable"},
};

/// An Error that begins with "not supported: " (notSupported()); the setting keeps its value.
inline constexpr Unserved kRefused[]{
    {"IBuilderConfig::setEngineCapability", "for kSAFETY and kDLA_STANDALONE",
     "there is no safety runtime and no DLA; use kSTANDARD"},
    {"IBuilderConfig::setRemoteAutoTuningConfig", "", "kernels are timed on the machine that builds"},
    {"IBuilderConfig::setRuntimePlatform", "for platforms other than kSAME_AS_BUILD",
     "an engine runs on the system that built it"},
};

namespace impl {

/// Not a constant expression, and so an error of the compiler, unless there is exactly one such row.
template <size_t N>
consteval Unserved const& rowOf(Unserved const (&rows)[N], std::string_view what, std::string_view when) {
    Unserved const* found = nullptr;
    for (Unserved const& row : rows) {
        if (row.what != what || (!when.empty() && row.when != when)) continue;
        if (found != nullptr) throw std::logic_error("several rows: name the case");
        found = &row;
    }
    if (found == nullptr) throw std::logic_error("no such row");
    return *found;
}

} // namespace impl

/// The row for a part of the API, and for the case where there are several.
consteval Unserved const& withoutEffect(std::string_view what, std::string_view when = "") {
    return impl::rowOf(kWithoutEffect, what, when);
}
consteval Unserved const& refused(std::string_view what, std::string_view when = "") {
    return impl::rowOf(kRefused, what, when);
}

} // namespace tenon::trt
