// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "trt/builder/build_progress.h"
#include "trt/builder/builder_config.h"
#include "trt/edge/device.h"
#include "trt/network/network.h"

#include <optional>

namespace tenon::trt {

/// The data that a calibration needs from its build.
struct CalibrationOf {
    Network const& network;
    Graph const& graph; // of the network, with plugins that are networks replaced by their layers
    BuilderConfig const& config;
    DeviceChoice device;
    int32_t version; // of the API that the application was built with, for the cache
    api::IGpuAllocator* allocator;
    BuildProgress& progress;
};

/// The graph with ranges for tensors without one, from the cache of the configured calibrator or from runs on its
/// batches. nullopt if there is no calibrator, or nothing to calibrate. An Error names the calibrator's mistake.
std::optional<Graph> calibrated(CalibrationOf const& build);

/// The graph without the ranges that the application set, if quantize and dequantize layers determine quantization; a
/// warning reports it. nullopt if they do not, or if no tensor has a range. Ranges of inputs and outputs give the
/// meaning of their integers to the application, and are not lost: the network keeps them.
std::optional<Graph> withoutRanges(Graph const& graph, Reporter const& reporter);

} // namespace tenon::trt
