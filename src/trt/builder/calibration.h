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

/// What a calibration needs to know of the build that it is part of.
struct CalibrationOf {
    Network const& network;
    Graph const& graph; // of the network, with layers in place of plugins that are networks
    BuilderConfig const& config;
    DeviceChoice device;
    int32_t version; // of the API that the program was built with, for the cache
    api::IGpuAllocator* allocator;
    BuildProgress& progress;
};

/// The graph with ranges for those of its tensors that have none, from the cache of the calibrator of the configuration
/// or from runs on its batches. Nothing where there is no calibrator, or nothing to calibrate. An Error names what the
/// calibrator did not do.
std::optional<Graph> calibrated(CalibrationOf const& build);

/// The graph without ranges that the program gave, where quantize and dequantize layers say what is quantized; a
/// warning says so. Nothing where they do not, or where no tensor has a range. Those of inputs and outputs say what
/// their integers mean to the program, which is not lost: the network has them.
std::optional<Graph> withoutRanges(Graph const& graph, Reporter const& reporter);

} // namespace tenon::trt
