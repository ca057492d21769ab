// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "calibration/calibrate.h"
#include "trt/edge/device.h"
#include "trt/edge/program_cuda.h"

#include <optional>
#include <string>
#include <vector>

namespace tenon::trt {

/// An application's calibrator: its results are checked, its exceptions become an Error.
class CalibratorCall {
public:
    /// Throws an Error if its algorithm does not exist.
    explicit CalibratorCall(nvinfer1::IInt8Calibrator& calibrator);

    CalibrationMethod method() const { return method_; }
    int32_t batchSize() const;
    /// False if there are no more. An Error names an input without an address, or whose address the device cannot
    /// access.
    bool nextBatch(std::vector<Tensor const*> const& inputs, std::vector<void*>& addresses, DeviceChoice const& where);
    /// The cache of an earlier build; nullopt if there is none.
    std::optional<std::string> cache();
    void keep(std::string const& cache);

    // For legacy calibrators only.
    LegacyParameters parameters() const;
    std::optional<std::string> histogramCache();
    void keepHistograms(std::string const& cache);

private:
    nvinfer1::IInt8LegacyCalibrator& legacy() const;

    nvinfer1::IInt8Calibrator& calibrator_;
    CalibrationMethod method_;
    ProgramCuda cuda_ = ProgramCuda::find();
};

} // namespace tenon::trt
