// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Gives a build sample data, from which it finds the ranges of INT8 tensors.
#ifndef TENON_API_CALIBRATOR_H
#define TENON_API_CALIBRATOR_H

#include "NvInferRuntimeBase.h"

#if TENON_LEVEL < 11

namespace nvinfer1 {

/// How a range is found from a histogram of values.
enum class CalibrationAlgoType : int32_t {
    kLEGACY_CALIBRATION = 0,    ///< A quantile, and a cut-off.
    kENTROPY_CALIBRATION = 1,   ///< The least loss of information.
    kENTROPY_CALIBRATION_2 = 2, ///< The same, for inputs of layers only.
    kMINMAX_CALIBRATION = 3,    ///< The smallest and largest value.
};

namespace impl {
template <> struct EnumMaxImpl<CalibrationAlgoType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(CalibrationAlgoType::kMINMAX_CALIBRATION);
};
} // namespace impl

/// Gives a build sample data. Derive from one of the classes below, which choose the algorithm. Called from the thread
/// that builds; not owned.
class IInt8Calibrator : public tenonAbi::IVersionedInterface {
public:
    ~IInt8Calibrator() override = default;

    /// Samples in a batch. Only networks with implicit batch ask.
    virtual int32_t getBatchSize() const = 0;

    /// The next batch: an address for each input, in device memory, valid until the next call.
    /// \return false where there is none
    virtual bool getBatch(void* bindings[], char const* names[], int32_t nbBindings) = 0;

    /// What writeCalibrationCache was given in an earlier build; null: calibrate. Valid until the next call.
    virtual void const* readCalibrationCache(std::size_t& length) = 0;

    /// Keeps the result of the calibration. `ptr` is valid during the call.
    virtual void writeCalibrationCache(void const* ptr, std::size_t length) = 0;

    /// How ranges are to be found; the classes below answer it for those that derive from them.
    virtual CalibrationAlgoType getAlgorithm() = 0;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IInt8Calibrator", 1, 0}; }
};

/// Calibrates by entropy.
class IInt8EntropyCalibrator : public IInt8Calibrator {
public:
    ~IInt8EntropyCalibrator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return {"IInt8EntropyCalibrator", 1, 0};
    }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kENTROPY_CALIBRATION; }
};

/// Calibrates by entropy, for inputs of layers only.
class IInt8EntropyCalibrator2 : public IInt8Calibrator {
public:
    ~IInt8EntropyCalibrator2() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return {"IInt8EntropyCalibrator2", 1, 0};
    }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kENTROPY_CALIBRATION_2; }
};

/// Calibrates by the smallest and largest value.
class IInt8MinMaxCalibrator : public IInt8Calibrator {
public:
    ~IInt8MinMaxCalibrator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IInt8MinMaxCalibrator", 1, 0}; }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kMINMAX_CALIBRATION; }
};

/// Calibrates by a quantile and a cut-off that the program chooses.
class IInt8LegacyCalibrator : public IInt8Calibrator {
public:
    ~IInt8LegacyCalibrator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IInt8Calibrator", 1, 0}; }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kLEGACY_CALIBRATION; }

    /// 0 to 1: the part of the values that the range covers.
    virtual double getQuantile() const = 0;
    /// 0 to 1: where to cut, as a part of the range.
    virtual double getRegressionCutoff() const = 0;
    /// As readCalibrationCache, for histograms.
    virtual void const* readHistogramCache(std::size_t& length) = 0;
    /// As writeCalibrationCache, for histograms.
    virtual void writeHistogramCache(void const* ptr, std::size_t length) = 0;
};

#if TENON_LEVEL >= 10
namespace v_1_0 {
using IInt8EntropyCalibrator = nvinfer1::IInt8EntropyCalibrator;
using IInt8EntropyCalibrator2 = nvinfer1::IInt8EntropyCalibrator2;
using IInt8MinMaxCalibrator = nvinfer1::IInt8MinMaxCalibrator;
using IInt8LegacyCalibrator = nvinfer1::IInt8LegacyCalibrator;
} // namespace v_1_0
#endif

} // namespace nvinfer1

#else

namespace nvinfer1 {
class TENON_UNTIL_10(IInt8Calibrator); // gone; IBuilderConfig keeps the slots
} // namespace nvinfer1

#endif

#endif
