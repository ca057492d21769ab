// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

#include <tenon/device.h>
#include <tenon/memory.h>

#include <deque>

namespace trtexec {

class Log;

/// Gives a build the scales of a file (--calib) or, without such a file, one batch of random inputs, for timing int8.
/// As in TensorRT's tool, the file is never written.
class Calibrator final : public nvinfer1::IInt8EntropyCalibrator2 {
public:
    /// \param profile has the shapes of inputs with dynamic dimensions; null if there are none
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

/// The network is calibrated with the shapes of --optShapesCalib, or of profile --calibProfile. A Failure if these do
/// not match the network.
/// \param profiles the result of addProfiles()
/// \return the objects that the configuration refers to; null without --calib
std::unique_ptr<Calibrator> setCalibration(BuildOptions const& options, nvinfer1::INetworkDefinition const& network,
                                           nvinfer1::IBuilder& builder, nvinfer1::IBuilderConfig& config,
                                           std::vector<nvinfer1::IOptimizationProfile*> const& profiles, Log& log);

} // namespace trtexec
