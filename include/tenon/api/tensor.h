// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A tensor of a network definition.
#ifndef TENON_API_TENSOR_H
#define TENON_API_TENSOR_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// A tensor of a network: an input, or an output of a layer.
///
/// A dimension of -1 is known at run time only. A *shape tensor* is one whose values determine the shape of another
/// tensor: kINT32, kINT64 or kBOOL, of rank 0 or 1, in host memory.
///
/// \note Owner: its INetworkDefinition.
/// \note Thread: one at a time for the whole network.
class ITensor : public tenonAbi::INoCopy {
public:
    /// Sets the name. The engine addresses inputs and outputs by it, so it must be unique among them.
    /// \param name at most 4096 bytes; copied. Null or a longer name is an error, and the name stays
    virtual void setName(char const* name) noexcept = 0;
    /// Returns the name; never null. Valid until the next setName().
    virtual char const* getName() const noexcept = 0;

    /// Changes the shape of a network input; -1 for a dimension that is known at run time only. Other tensors follow
    /// from their layers: for them this is an error.
    void setDimensions(Dims const& dimensions) noexcept { setDimensions_(tenonAbi::dims64(dimensions)); }
    /// Returns the shape as far as it is known; -1 for a dimension that is known at run time only.
    /// \return nbDims -1, and an error in the log, if the layers that compute the tensor do not accept their inputs
    TENON_LEVELED Dims getDimensions() const noexcept { return tenonAbi::dims(getDimensions_()); }

    /// Changes the type of a network input or output. Up to level 10.
    ///
    /// The network computes in the type that addInput() or the layer gave, and the tensor is converted: a float input
    /// may so be passed as kHALF. kINT8 needs a range, see setDynamicRange(). For a tensor inside the network it has no
    /// effect, and a warning says so: use addCast().
    virtual void TENON_UNTIL_10(setType)(DataType type) noexcept = 0;
    /// Returns the type that readers of the tensor, or the application, see: the type of setType() or
    /// ILayer::setOutputType(), else the one that follows from the inputs of the layer.
    virtual DataType getType() const noexcept = 0;

    /// Sets the range of values that an int8 version of the tensor represents: scale = max(|min|, |max|) / 127. Up to
    /// level 10.
    ///
    /// It applies to inputs and outputs of type kINT8 and, with BuilderFlag::kINT8, to all tensors that are faster in
    /// int8. It has no effect in networks with quantize or dequantize layers, and a warning says so.
    /// \return false if a bound is not finite or `min` is above `max`
    virtual bool TENON_UNTIL_10(setDynamicRange)(float min, float max) noexcept = 0;

    /// Returns whether addInput() or a parser added the tensor as an input of the network.
    virtual bool isNetworkInput() const noexcept = 0;
    /// Returns whether the tensor is marked as an output of the network.
    virtual bool isNetworkOutput() const noexcept = 0;

    /// Sets whether all samples of a batch share this input. Only for inputs of networks with implicit batch; for
    /// others it has no effect, and a warning says so.
    virtual void setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept = 0;
    /// Returns whether all samples of a batch share the tensor; false unless set, and always in networks with explicit
    /// batch.
    virtual bool getBroadcastAcrossBatch() const noexcept = 0;

    /// Returns the memory in which the application passes the tensor: kHOST for inputs and outputs that are shape
    /// tensors, kDEVICE for all others. It follows from the network.
    virtual TensorLocation getLocation() const noexcept = 0;
    /// Has no effect: the location follows from the network. A warning says so if `location` differs from
    /// getLocation().
    virtual void setLocation(TensorLocation location) noexcept = 0;

    /// Returns whether the tensor has a range of setDynamicRange(). Up to level 10.
    virtual bool TENON_UNTIL_10(dynamicRangeIsSet)() const noexcept = 0;
    /// Removes the range: the tensor stays in floating point. Up to level 10.
    virtual void TENON_UNTIL_10(resetDynamicRange)() noexcept = 0;
    /// Returns the lower bound of the range; NaN if none is set. Up to level 10.
    virtual float TENON_UNTIL_10(getDynamicRangeMin)() const noexcept = 0;
    /// Returns the upper bound of the range; NaN if none is set. Up to level 10.
    virtual float TENON_UNTIL_10(getDynamicRangeMax)() const noexcept = 0;
#if TENON_LEVEL <= 7
    /// Returns max(|min|, |max|) of the range; -1 if none is set. Level 7 only.
    float getDynamicRange() const noexcept {
        if (!dynamicRangeIsSet()) return -1;
        float const below = -getDynamicRangeMin();
        float const above = getDynamicRangeMax();
        return below > above ? below : above;
    }
#endif

    /// Restricts the memory layout of a network input or output to a set of formats. The build chooses one of them,
    /// which ICudaEngine::getTensorFormat() returns. Unless this is called, inputs and outputs are kLINEAR.
    /// \param formats bit `1U << format` for each TensorFormat. A mask without a format of the level is an error;
    /// formats that are not supported fail the build if no other is allowed
    virtual void setAllowedFormats(TensorFormats formats) noexcept = 0;
    /// Returns the set of setAllowedFormats(); all formats of the level unless set.
    virtual TensorFormats getAllowedFormats() const noexcept = 0;

    /// Returns whether the values of the tensor determine the shape of another tensor. Final once the network is
    /// complete.
    virtual bool isShapeTensor() const noexcept = 0;
    /// Returns whether the values of the tensor contribute to a network output. A tensor may be a shape tensor too.
    virtual bool isExecutionTensor() const noexcept = 0;

    /// Names a dimension of a network input. Dimensions with the same name must have the same extent at run time, and
    /// the build relies on it. Since level 8.
    /// \param index 0 to rank - 1; others are an error
    /// \param name copied; null or "" removes the name
    /// \pre a network with explicit batch, and an input
    virtual void TENON_FROM_8(setDimensionName)(int32_t index, char const* name) noexcept = 0;
    /// Returns the name of a dimension; null if it has none. The ONNX parser sets the names of the model. Since level
    /// 8.
    virtual char const* TENON_FROM_8(getDimensionName)(int32_t index) const noexcept = 0;

protected:
    ~ITensor() override = default;

    virtual void setDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_() const noexcept = 0;
};

} // namespace nvinfer1

#endif
