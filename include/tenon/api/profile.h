// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Optimization profiles: the shapes that an engine is built for.
#ifndef TENON_API_PROFILE_H
#define TENON_API_PROFILE_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// A point of a range in an optimization profile.
enum class OptProfileSelector : int32_t {
    kMIN = 0, ///< The smallest value that a run may have.
    kOPT = 1, ///< The value that kernels are chosen for.
    kMAX = 2, ///< The largest value that a run may have.
};

namespace impl {
template <> struct EnumMaxImpl<OptProfileSelector> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(OptProfileSelector::kMAX);
};
} // namespace impl

/// Ranges for inputs with dimensions of -1, and for the values of inputs that are shape tensors.
/// IBuilder::createOptimizationProfile() makes it, IBuilderConfig::addOptimizationProfile() adds it to a build.
///
/// Kernels are chosen once for the whole engine, at kOPT of the first profile. With other profiles they give the same
/// results, possibly slower.
///
/// \note Owner: its IBuilder. A build reads the ranges, and later changes do not affect the engine.
class IOptimizationProfile : public tenonAbi::INoCopy {
public:
    /// Sets a bound of the values of an input that is a shape tensor, with 32 bits. Up to level 10.
    /// \param values nbValues numbers, copied
    /// \param nbValues the same for all three selectors
    /// \return false, and an error in the log, for another number of values than before or less than 0
    virtual bool TENON_UNTIL_10(setShapeValues)(char const* inputName, OptProfileSelector select, int32_t const* values,
                                                int32_t nbValues) noexcept = 0;
    /// Returns the number of values of an input that is a shape tensor; -1 if none are set.
    virtual int32_t getNbShapeValues(char const* inputName) const noexcept = 0;
    /// Returns a bound of values; null if none are set or one of them does not fit 32 bits. Valid until it is set
    /// again. Up to level 10.
    virtual int32_t const* TENON_UNTIL_10(getShapeValues)(char const* inputName,
                                                          OptProfileSelector select) const noexcept = 0;

    /// Stores how much memory beyond the minimum an engine may use, without effect: a context uses what its shapes
    /// need. A warning says so for less than 1.
    /// \param target 0 to 1
    /// \return false, and an error in the log, outside this range
    virtual bool setExtraMemoryTarget(float target) noexcept = 0;
    /// Returns the number of setExtraMemoryTarget(); 1 unless set.
    virtual float getExtraMemoryTarget() const noexcept = 0;

    /// Returns whether each input that was named so far has all three selectors, with kMIN <= kOPT <= kMAX in each
    /// element.
    virtual bool isValid() const noexcept = 0;

    /// Sets a bound of the values of an input that is a shape tensor. Since level 10.
    /// \param values nbValues numbers, copied
    /// \param nbValues the same for all three selectors
    /// \return false, and an error in the log, for another number of values than before or less than 0
    virtual bool TENON_FROM_10(setShapeValuesV2)(char const* inputName, OptProfileSelector select,
                                                 int64_t const* values, int32_t nbValues) noexcept = 0;
    /// Returns a bound of values, getNbShapeValues() numbers; null if none are set. Valid until it is set again. Since
    /// level 10.
    virtual int64_t const* TENON_FROM_10(getShapeValuesV2)(char const* inputName,
                                                           OptProfileSelector select) const noexcept = 0;

    /// Sets a bound of the shape of an input. Dimensions that the network fixes must be equal to it.
    /// \param dims no negative extents; copied
    /// \return false, and an error in the log, for another rank than before or a negative extent
    bool setDimensions(char const* inputName, OptProfileSelector select, Dims const& dims) noexcept {
        return setDimensions_(inputName, select, tenonAbi::dims64(dims));
    }
    /// Returns a bound of the shape of an input; nbDims -1 if none is set.
    TENON_LEVELED Dims getDimensions(char const* inputName, OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getDimensions_(inputName, select));
    }

protected:
    ~IOptimizationProfile() override = default;

    virtual bool setDimensions_(char const* inputName, OptProfileSelector select,
                                tenonAbi::Dims64 const& dims) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_(char const* inputName, OptProfileSelector select) const noexcept = 0;

public:
    /// Sets the stream in which kernels and plugins are timed for this profile; it overrides
    /// IBuilderConfig::setProfileStream(). Kernels are timed for the first profile of a build only. No effect on
    /// devices without streams, and a warning says so. Since level 11.
    /// \param stream not owned; null: that of the configuration
    virtual void TENON_FROM_11(setProfileStream)(cudaStream_t stream) noexcept = 0;
    /// Returns the stream of setProfileStream(); null unless set. Since level 11.
    virtual cudaStream_t TENON_FROM_11(getProfileStream)() const noexcept = 0;
};

} // namespace nvinfer1

#endif
