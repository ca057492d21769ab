// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Calibrators: provide sample data, from which a build finds the ranges of INT8 tensors. Up to level 10.
#ifndef TENON_API_CALIBRATOR_H
#define TENON_API_CALIBRATOR_H

#include "NvInferRuntimeBase.h"

#if TENON_LEVEL < 11

namespace nvinfer1 {

/// How the range of a tensor follows from a histogram of its values.
enum class CalibrationAlgoType : int32_t {
    kLEGACY_CALIBRATION = 0,    ///< A quantile of the magnitudes and a cutoff, both given by the application.
    kENTROPY_CALIBRATION = 1,   ///< The range with the least loss of information.
    kENTROPY_CALIBRATION_2 = 2, ///< The same, limited so that clipping loses no more than it saves in rounding.
    kMINMAX_CALIBRATION = 3,    ///< From the smallest to the largest value.
};

namespace impl {
template <> struct EnumMaxImpl<CalibrationAlgoType> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(CalibrationAlgoType::kMINMAX_CALIBRATION);
};
} // namespace impl

/// Provides sample batches to a build with BuilderFlag::kINT8. Derive from one of the classes below, which determine
/// the algorithm. IBuilderConfig::setInt8Calibrator() sets it.
///
/// A build first calls readCalibrationCache(). If that returns no usable cache, it calls getBatch() until it returns
/// false, runs the network in floating point on each batch, and passes the result to writeCalibrationCache().
///
/// \note Owner: the application. Keep it valid while builds use it.
/// \note Thread: the engine calls it on the thread that builds.
class IInt8Calibrator : public tenonAbi::IVersionedInterface {
public:
    ~IInt8Calibrator() override = default;

    /// Returns the number of samples in a batch. Called only for networks with implicit batch.
    virtual int32_t getBatchSize() const = 0;

    /// Provides the next batch.
    /// \param bindings receives an address for each input, in memory of the device of the build. The elements have the
    /// type in which the network computes. The data must stay valid until the next call
    /// \param names the names of the inputs, in the order of the network; inputs that are shape tensors are left out
    /// \param nbBindings the number of inputs
    /// \return false if there are no more batches. A build without a cache needs at least one batch
    virtual bool getBatch(void* bindings[], char const* names[], int32_t nbBindings) = 0;

    /// Returns the cache that writeCalibrationCache() received in an earlier build; caches of TensorRT are accepted
    /// too. A cache of another algorithm or network, or other bytes, are ignored with a warning.
    /// \param length receives the number of bytes
    /// \return the text, valid until the next call; null: calibrate with batches
    virtual void const* readCalibrationCache(std::size_t& length) = 0;

    /// Receives the result of a calibration, for readCalibrationCache() of later builds.
    /// \param ptr a text of `length` bytes; valid during the call only
    virtual void writeCalibrationCache(void const* ptr, std::size_t length) = 0;

    /// Returns the algorithm. The classes below override it.
    virtual CalibrationAlgoType getAlgorithm() = 0;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IInt8Calibrator", 1, 0}; }
};

/// A calibrator with kENTROPY_CALIBRATION.
class IInt8EntropyCalibrator : public IInt8Calibrator {
public:
    ~IInt8EntropyCalibrator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return {"IInt8EntropyCalibrator", 1, 0};
    }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kENTROPY_CALIBRATION; }
};

/// A calibrator with kENTROPY_CALIBRATION_2. Recommended for most networks.
class IInt8EntropyCalibrator2 : public IInt8Calibrator {
public:
    ~IInt8EntropyCalibrator2() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override {
        return {"IInt8EntropyCalibrator2", 1, 0};
    }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kENTROPY_CALIBRATION_2; }
};

/// A calibrator with kMINMAX_CALIBRATION.
class IInt8MinMaxCalibrator : public IInt8Calibrator {
public:
    ~IInt8MinMaxCalibrator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IInt8MinMaxCalibrator", 1, 0}; }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kMINMAX_CALIBRATION; }
};

/// A calibrator with kLEGACY_CALIBRATION. It can keep histograms, from which ranges for other parameters follow without
/// new batches.
class IInt8LegacyCalibrator : public IInt8Calibrator {
public:
    ~IInt8LegacyCalibrator() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IInt8Calibrator", 1, 0}; }
    CalibrationAlgoType getAlgorithm() override { return CalibrationAlgoType::kLEGACY_CALIBRATION; }

    /// Returns the fraction of the magnitudes that the range covers, 0 to 1; 0: the build chooses. Other numbers fail
    /// the build.
    virtual double getQuantile() const = 0;
    /// Returns the upper limit of the range as a fraction of the largest magnitude, 0 to 1; 0: no limit. Other numbers
    /// fail the build.
    virtual double getRegressionCutoff() const = 0;
    /// Returns the histograms that writeHistogramCache() received; with them no batches are needed. Called if there is
    /// no usable calibration cache.
    /// \param length receives the number of bytes
    /// \return the text, valid until the next call; null: run batches
    virtual void const* readHistogramCache(std::size_t& length) = 0;
    /// Receives the histograms of a calibration.
    /// \param ptr a text of `length` bytes; valid during the call only
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
