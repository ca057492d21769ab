// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "plan/shapes/profile.h"
#include "trt/edge/edge.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::trt {

/// IOptimizationProfile: ranges by the names of the inputs. Shared by the builder and by each configuration that it
/// was added to.
class ProfileFace final : public nvinfer1::IOptimizationProfile, public std::enable_shared_from_this<ProfileFace> {
public:
    explicit ProfileFace(Reporter const& reporter) : reporter_(reporter) {}

    /// The profile for the plan builder; an Error names the missing or wrong part.
    Profile toProfile() const;

    bool setShapeValues(char const* inputName, nvinfer1::OptProfileSelector select, int32_t const* values,
                        int32_t nbValues) noexcept override;
    int32_t getNbShapeValues(char const* inputName) const noexcept override;
    int32_t const* getShapeValues(char const* inputName, nvinfer1::OptProfileSelector select) const noexcept override;
    bool setExtraMemoryTarget(float target) noexcept override;
    float getExtraMemoryTarget() const noexcept override { return extraMemory_; }
    bool isValid() const noexcept override;
    bool setShapeValuesV2(char const* inputName, nvinfer1::OptProfileSelector select, int64_t const* values,
                          int32_t nbValues) noexcept override;
    int64_t const* getShapeValuesV2(char const* inputName, nvinfer1::OptProfileSelector select) const noexcept override;
    void setProfileStream(cudaStream_t stream) noexcept override { stream_ = stream; }
    cudaStream_t getProfileStream() const noexcept override { return stream_; }

protected:
    bool setDimensions_(char const* inputName, nvinfer1::OptProfileSelector select,
                        nvinfer1::Dims64 const& dims) noexcept override;
    nvinfer1::Dims64 getDimensions_(char const* inputName, nvinfer1::OptProfileSelector select) const noexcept override;

private:
    struct Values {
        std::vector<int64_t> wide;
        std::vector<int32_t> narrow; // empty if one does not fit
    };
    /// One entry for min, opt and max.
    struct Range {
        std::array<std::optional<Dims>, 3> dims;
        std::array<std::optional<Values>, 3> values;
    };
    Range const* rangeOf(char const* inputName) const noexcept;
    Values const* valuesOf(char const* inputName, nvinfer1::OptProfileSelector select) const noexcept;

    Reporter reporter_;
    std::map<std::string, Range> ranges_;
    float extraMemory_ = 1;
    cudaStream_t stream_ = nullptr;
};

} // namespace tenon::trt
