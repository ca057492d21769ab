// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Lets a program choose the kernel of each layer.
#ifndef TENON_API_ALGORITHM_H
#define TENON_API_ALGORITHM_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/profile.h"

namespace nvinfer1 {

/// Type and layout of one input or output of a kernel.
class TENON_UNTIL_10(IAlgorithmIOInfo) : public tenonAbi::INoCopy {
public:
    /// The type of one element.
    virtual DataType getDataType() const noexcept = 0;
    /// The vectorized axis; -1: none.
    virtual int64_t TENON_FROM_8_UNTIL_10(getVectorizedDim)() const noexcept = 0;
    /// Elements that lie together along the vectorized axis.
    virtual int64_t TENON_FROM_8_UNTIL_10(getComponentsPerElement)() const noexcept = 0;

    /// Elements from one index to the next, for each axis.
    TENON_LEVELED Dims getStrides() const noexcept { return tenonAbi::dims(getStrides_()); }

protected:
    ~TENON_UNTIL_10(IAlgorithmIOInfo)() override = default;

    virtual tenonAbi::Dims64 getStrides_() const noexcept = 0;

public:
    /// The order of axes; ended with level 8, for strides, getVectorizedDim() and getComponentsPerElement() say more.
    virtual TensorFormat TENON_UNTIL_8(getTensorFormat)() const noexcept = 0;
};

/// Which kernel, as two numbers that are the same in every build.
class TENON_UNTIL_10(IAlgorithmVariant) : public tenonAbi::INoCopy {
public:
    /// Which kernel.
    virtual int64_t getImplementation() const noexcept = 0;
    /// Which way of it.
    virtual int64_t getTactic() const noexcept = 0;

protected:
    ~TENON_UNTIL_10(IAlgorithmVariant)() override = default;
};

/// The layer that a kernel is chosen for.
class TENON_UNTIL_10(IAlgorithmContext) : public tenonAbi::INoCopy {
public:
    /// The layer's name in the engine, see IProfiler::reportLayerTime().
    virtual char const* getName() const noexcept = 0;
    /// How many inputs the kernel has; their indices come before those of the outputs.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// How many outputs the kernel has.
    virtual int32_t getNbOutputs() const noexcept = 0;

    /// The shape of an input or output at one point of the profile. \param index inputs first, then outputs
    TENON_LEVELED Dims getDimensions(int32_t index, OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getDimensions_(index, select));
    }

protected:
    ~TENON_UNTIL_10(IAlgorithmContext)() override = default;

    virtual tenonAbi::Dims64 getDimensions_(int32_t index, OptProfileSelector select) const noexcept = 0;
};

/// A kernel that may be chosen.
class TENON_UNTIL_10(IAlgorithm) : public tenonAbi::INoCopy {
public:
    /// The two numbers that it has in every build; valid as long as the object.
    virtual TENON_UNTIL_10(IAlgorithmVariant) const& getAlgorithmVariant() const noexcept = 0;
    /// How long it takes, in milliseconds: as it was timed, or as is estimated.
    virtual float getTimingMSec() const noexcept = 0;
    /// Scratch memory that it takes, in bytes; 0 before kernels are chosen, and for plugins.
    virtual std::size_t getWorkspaceSize() const noexcept = 0;
    /// \param index inputs first, then outputs. \return null where it is out of range
    virtual TENON_UNTIL_10(IAlgorithmIOInfo) const* TENON_FROM_8_UNTIL_10(getAlgorithmIOInfoByIndex)(
        int32_t index) const noexcept = 0;
#if TENON_LEVEL < 10
    /// The same where `index` is in range.
    IAlgorithmIOInfo const& getAlgorithmIOInfo(int32_t index) const noexcept {
        return *TENON_FROM_8_UNTIL_10(getAlgorithmIOInfoByIndex)(index);
    }
#endif

protected:
    ~TENON_UNTIL_10(IAlgorithm)() override = default;
};

/// Chooses the kernel of each layer; `IBuilderConfig::setAlgorithmSelector()`.
class TENON_UNTIL_10(IAlgorithmSelector) : public tenonAbi::IVersionedInterface {
public:
    ~TENON_UNTIL_10(IAlgorithmSelector)() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IAlgorithmSelector", 1, 0}; }

    /// Writes indices into `choices` to `selection`, those to be tried. \return how many; 0: as the build likes
    virtual int32_t selectAlgorithms(TENON_UNTIL_10(IAlgorithmContext) const& context,
                                     TENON_UNTIL_10(IAlgorithm) const* const* choices, int32_t nbChoices,
                                     int32_t* selection) = 0;
    /// Told what was chosen for each layer.
    virtual void reportAlgorithms(TENON_UNTIL_10(IAlgorithmContext) const* const* algoContexts,
                                  TENON_UNTIL_10(IAlgorithm) const* const* algoChoices, int32_t nbAlgorithms) = 0;
};

#if TENON_LEVEL == 10
namespace v_1_0 {
using IAlgorithmSelector = nvinfer1::IAlgorithmSelector;
} // namespace v_1_0
#endif

} // namespace nvinfer1

#endif
