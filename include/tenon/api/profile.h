// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The range of shapes that an engine is built for.
#ifndef TENON_API_PROFILE_H
#define TENON_API_PROFILE_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// One of the three values of a range.
enum class OptProfileSelector : int32_t {
    kMIN = 0, ///< The smallest that may occur.
    kOPT = 1, ///< The one to be fast for.
    kMAX = 2, ///< The largest that may occur.
};

namespace impl {
template <> struct EnumMaxImpl<OptProfileSelector> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(OptProfileSelector::kMAX);
};
} // namespace impl

/// A range for every input whose shape, or whose values as shape tensor, are open. Made by
/// `IBuilder::createOptimizationProfile()`, which owns it; `IBuilderConfig::addOptimizationProfile()` takes it into a
/// build. Kernels are chosen once for the whole engine, at kOPT of the first profile; others may be slower, and are as
/// right.
class IOptimizationProfile : public tenonAbi::INoCopy {
public:
    /// Bounds of a shape tensor that is an input: `nbValues` values, the same number for all three selectors. Copied.
    /// \return false where the number differs from earlier calls, or below 0
    virtual bool TENON_UNTIL_10(setShapeValues)(char const* inputName, OptProfileSelector select, int32_t const* values,
                                                int32_t nbValues) noexcept = 0;
    /// -1 where none are set.
    virtual int32_t getNbShapeValues(char const* inputName) const noexcept = 0;
    /// Null where none are set, or where one does not fit 32 bits.
    virtual int32_t const* TENON_UNTIL_10(getShapeValues)(char const* inputName,
                                                          OptProfileSelector select) const noexcept = 0;

    /// How much memory beyond what each layer needs may be taken; 0 to 1, 1 unless set. Kept without effect, and the
    /// log says so. \return false outside that
    virtual bool setExtraMemoryTarget(float target) noexcept = 0;
    /// What setExtraMemoryTarget() set; 1 unless set.
    virtual float getExtraMemoryTarget() const noexcept = 0;

    /// Whether all three selectors are set for each input named so far, and min <= opt <= max in each.
    virtual bool isValid() const noexcept = 0;

    /// setShapeValues for 64-bit values.
    virtual bool TENON_FROM_10(setShapeValuesV2)(char const* inputName, OptProfileSelector select,
                                                 int64_t const* values, int32_t nbValues) noexcept = 0;
    /// What setShapeValues() or setShapeValuesV2() set, getNbShapeValues() of them; null where none are set. Valid
    /// until they are set again.
    virtual int64_t const* TENON_FROM_10(getShapeValuesV2)(char const* inputName,
                                                           OptProfileSelector select) const noexcept = 0;

    /// Bounds of an input's shape; dimensions that the network fixes must have the value that it has there. Copied.
    /// \return false where the rank differs from earlier calls, or a dimension is negative
    bool setDimensions(char const* inputName, OptProfileSelector select, Dims const& dims) noexcept {
        return setDimensions_(inputName, select, tenonAbi::dims64(dims));
    }
    /// nbDims -1 where none are set.
    TENON_LEVELED Dims getDimensions(char const* inputName, OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getDimensions_(inputName, select));
    }

protected:
    ~IOptimizationProfile() override = default;

    virtual bool setDimensions_(char const* inputName, OptProfileSelector select,
                                tenonAbi::Dims64 const& dims) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_(char const* inputName, OptProfileSelector select) const noexcept = 0;

public:
    /// The stream to time kernels and plugins in for this profile, where the device has streams; it overrides
    /// IBuilderConfig::setProfileStream(). Kernels are timed at the first profile of a build. Null: the
    /// configuration's.
    virtual void TENON_FROM_11(setProfileStream)(cudaStream_t stream) noexcept = 0;
    /// What setProfileStream() set; null unless set.
    virtual cudaStream_t TENON_FROM_11(getProfileStream)() const noexcept = 0;
};

} // namespace nvinfer1

#endif
