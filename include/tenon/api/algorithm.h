// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Algorithm selectors: choose the kernel of each layer. Up to level 10.
#ifndef TENON_API_ALGORITHM_H
#define TENON_API_ALGORITHM_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/profile.h"

namespace nvinfer1 {

/// Type and format of one input or output of a variant.
class TENON_UNTIL_10(IAlgorithmIOInfo) : public tenonAbi::INoCopy {
public:
    /// Returns the element type.
    virtual DataType getDataType() const noexcept = 0;
    /// Returns the index of the vectorized axis; -1 if the format has none. Since level 8.
    virtual int64_t TENON_FROM_8_UNTIL_10(getVectorizedDim)() const noexcept = 0;
    /// Returns the block size of the vectorized axis; 1 if the format has none. Since level 8.
    virtual int64_t TENON_FROM_8_UNTIL_10(getComponentsPerElement)() const noexcept = 0;

    /// Returns the strides in elements, for each axis.
    TENON_LEVELED Dims getStrides() const noexcept { return tenonAbi::dims(getStrides_()); }

protected:
    ~TENON_UNTIL_10(IAlgorithmIOInfo)() override = default;

    virtual tenonAbi::Dims64 getStrides_() const noexcept = 0;

public:
    /// The order of axes; ended with level 8, for strides, getVectorizedDim() and getComponentsPerElement() say more.
    virtual TensorFormat TENON_UNTIL_8(getTensorFormat)() const noexcept = 0;
};

/// Identifies a variant by two numbers that are the same in every build. Together with types and formats they
/// distinguish it from all others of the layer.
class TENON_UNTIL_10(IAlgorithmVariant) : public tenonAbi::INoCopy {
public:
    /// Returns the number of the kernel or plugin.
    virtual int64_t getImplementation() const noexcept = 0;
    /// Returns the tactic of the kernel or plugin.
    virtual int64_t getTactic() const noexcept = 0;

protected:
    ~TENON_UNTIL_10(IAlgorithmVariant)() override = default;
};

/// Describes the layer for which a variant is chosen.
class TENON_UNTIL_10(IAlgorithmContext) : public tenonAbi::INoCopy {
public:
    /// Returns the name of the layer in the engine; see IProfiler::reportLayerTime().
    virtual char const* getName() const noexcept = 0;
    /// Returns the number of inputs; weights are not counted.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// Returns the number of outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;

    /// Returns the shape of an input or output at a point of the first profile.
    /// \param index inputs first, then outputs
    /// \return nbDims -1 if `index` or `select` is out of range
    TENON_LEVELED Dims getDimensions(int32_t index, OptProfileSelector select) const noexcept {
        return tenonAbi::dims(getDimensions_(index, select));
    }

protected:
    ~TENON_UNTIL_10(IAlgorithmContext)() override = default;

    virtual tenonAbi::Dims64 getDimensions_(int32_t index, OptProfileSelector select) const noexcept = 0;
};

/// A variant that can be chosen for a layer.
class TENON_UNTIL_10(IAlgorithm) : public tenonAbi::INoCopy {
public:
    /// Returns the numbers that identify the variant; valid as long as this object.
    virtual TENON_UNTIL_10(IAlgorithmVariant) const& getAlgorithmVariant() const noexcept = 0;
    /// Returns the time in milliseconds: measured in reportAlgorithms() where the build timed it, else estimated.
    virtual float getTimingMSec() const noexcept = 0;
    /// Returns the scratch memory in bytes; 0 in selectAlgorithms() and for plugins.
    virtual std::size_t getWorkspaceSize() const noexcept = 0;
    /// Returns type and format of an input or output. Levels 8 to 10.
    /// \param index inputs first, then outputs
    /// \return null if `index` is out of range
    virtual TENON_UNTIL_10(IAlgorithmIOInfo) const* TENON_FROM_8_UNTIL_10(getAlgorithmIOInfoByIndex)(
        int32_t index) const noexcept = 0;
#if TENON_LEVEL < 10
    /// Returns type and format of an input or output; `index` must be in range. Up to level 8.
    IAlgorithmIOInfo const& getAlgorithmIOInfo(int32_t index) const noexcept {
        return *TENON_FROM_8_UNTIL_10(getAlgorithmIOInfoByIndex)(index);
    }
#endif

protected:
    ~TENON_UNTIL_10(IAlgorithm)() override = default;
};

/// Chooses among the variants of each layer. IBuilderConfig::setAlgorithmSelector() sets it. The engine calls it on the
/// thread that builds; what it throws fails the build.
class TENON_UNTIL_10(IAlgorithmSelector) : public tenonAbi::IVersionedInterface {
public:
    ~TENON_UNTIL_10(IAlgorithmSelector)() override = default;

    tenonAbi::InterfaceInfo TENON_FROM_10(getInterfaceInfo)() const override { return {"IAlgorithmSelector", 1, 0}; }

    /// Selects the variants that the build may use for a layer. The build chooses one of them.
    /// \param context the layer; valid during the call only
    /// \param choices nbChoices variants; valid during the call only
    /// \param selection room for nbChoices indices into `choices`
    /// \return the number of selected indices. 0: the build may use all, or fails with
    /// BuilderFlag::kREJECT_EMPTY_ALGORITHMS. Other numbers and indices out of range fail the build
    virtual int32_t selectAlgorithms(TENON_UNTIL_10(IAlgorithmContext) const& context,
                                     TENON_UNTIL_10(IAlgorithm) const* const* choices, int32_t nbChoices,
                                     int32_t* selection) = 0;
    /// Receives the choices for all layers, once, at the end of the build.
    /// \param algoContexts, algoChoices nbAlgorithms layers and their variants; valid during the call only
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
