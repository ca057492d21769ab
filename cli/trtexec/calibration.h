// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <tenon/device.h>
#include <tenon/memory.h>

#include <deque>

namespace trtexec {

class Log;

/// Gives a build the scales of a file (--calib) or, where there is no such file, one batch of random inputs, to time
/// int8 with. As in TensorRT's tool, the file is never written.
class Calibrator final : public nvinfer1::IInt8EntropyCalibrator2 {
public:
    /// \param profile gives the shapes of inputs with open dimensions; null where there are none
    Calibrator(std::string const& file, nvinfer1::INetworkDefinition const& network,
               nvinfer1::IOptimizationProfile const* profile, Log& log);

    int32_t getBatchSize() const override { return 1; }
    bool getBatch(void* bindings[], char const* names[], int32_t nbBindings) override;
    void const* readCalibrationCache(size_t& length) override;
    void writeCalibrationCache(void const*, size_t) override {}

private:
    struct Input {
        nvinfer1::DataType type;
        size_t bytes;
    };
    std::map<std::string, Input> inputs_;
    std::deque<tenon::DeviceMemory> memory_;
    std::string cache_;
    bool isRun_ = false;
};

/// The shapes that the network is calibrated with are those of --optShapesCalib, or of profile --calibProfile.
/// A Failure where these do not fit the network.
/// \param profiles what addProfiles() made
/// \return what the configuration refers to; null without --calib
std::unique_ptr<Calibrator> setCalibration(BuildOptions const& options, nvinfer1::INetworkDefinition const& network,
                                           nvinfer1::IBuilder& builder, nvinfer1::IBuilderConfig& config,
                                           std::vector<nvinfer1::IOptimizationProfile*> const& profiles, Log& log);

} // namespace trtexec
