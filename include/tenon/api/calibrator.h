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
    kENTROPY_CALIBRATION_2 = 2, ///< The same, where cutting loses no more than it saves in rounding.
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

    /// The next batch: an address for each input in `bindings`, of elements of the type that the network computes in,
    /// in memory of the device that the engine is built for. They stay until the next call. The names are those of the
    /// network's inputs, in its order, without such as decide shapes.
    /// \return false where there is none; at least one is needed, unless there is a cache
    virtual bool getBatch(void* bindings[], char const* names[], int32_t nbBindings) = 0;

    /// What writeCalibrationCache was given in an earlier build, or a cache that TensorRT wrote: text. Null: calibrate.
    /// Valid until the next call. A cache of another algorithm or of another network, or such that is none, is not
    /// used, and the log says why.
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

/// Calibrates by entropy, where cutting loses no more than it saves in rounding. The best choice for most networks.
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

    /// 0 to 1: the part of the magnitudes that the range covers; 0: any.
    virtual double getQuantile() const = 0;
    /// 0 to 1: what the range is at most, as a part of the largest magnitude; 0: no limit.
    virtual double getRegressionCutoff() const = 0;
    /// As readCalibrationCache, for histograms: what writeHistogramCache was given. With these no batch is asked for,
    /// whatever quantile and cut-off are.
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
