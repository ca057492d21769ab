// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// A tensor of a network that is being defined.
#ifndef TENON_API_TENSOR_H
#define TENON_API_TENSOR_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// An edge of a network: an input, or an output of a layer. Made and owned by its `INetworkDefinition`; use it from one
/// thread at a time.
///
/// A dimension of -1 is known only when the engine runs. A *shape tensor* is one whose values decide the shape of
/// another: INT32, INT64 or BOOL, at most one-dimensional, kept in host memory.
class ITensor : public tenonAbi::INoCopy {
public:
    /// Inputs and outputs are found by this name at run time, so make it unique. At most 4096 bytes; copied.
    virtual void setName(char const* name) noexcept = 0;
    /// Never null; valid until the next setName.
    virtual char const* getName() const noexcept = 0;

    /// Changes the shape of a network input. Only inputs can be given one; the shape of others follows from the layers.
    void setDimensions(Dims const& dimensions) noexcept { setDimensions_(tenonAbi::dims64(dimensions)); }
    /// The shape; -1 for a dimension that is not known yet. Where the layers before it do not fit together: nbDims -1,
    /// and the reason is reported.
    TENON_LEVELED Dims getDimensions() const noexcept { return tenonAbi::dims(getDimensions_()); }

    /// Changes the type of a network input or output. Converted where the network computes in another one, so that a
    /// float input may come as kHALF; any other tensor is refused: use addCast(). Ended with level 10.
    virtual void TENON_UNTIL_10(setType)(DataType type) noexcept = 0;
    /// The type that readers of the tensor, or the program, see; what follows from the layers before it unless
    /// setType() or ILayer::setOutputType() set it.
    virtual DataType getType() const noexcept = 0;

    /// The range that an 8-bit version of this tensor covers; the larger side divided by 127 is its scale. It counts
    /// for inputs and outputs of type kINT8 and, with BuilderFlag::kINT8, wherever int8 is faster. Ended with level 10.
    /// \return false where they are not finite, `min` is above `max` or both are 0
    virtual bool TENON_UNTIL_10(setDynamicRange)(float min, float max) noexcept = 0;

    /// Whether addInput() made it (or a parser did).
    virtual bool isNetworkInput() const noexcept = 0;
    /// Whether it is marked as an output now, see INetworkDefinition::markOutput().
    virtual bool isNetworkOutput() const noexcept = 0;

    /// Of an input of a network with implicit batch: all samples of a batch share it. Without effect on others.
    virtual void setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept = 0;
    /// What setBroadcastAcrossBatch() set; false unless set, and always in networks with explicit batch.
    virtual bool getBroadcastAcrossBatch() const noexcept = 0;

    /// Where the program keeps an input or reads an output: kHOST for those that decide shapes, else kDEVICE, as for
    /// all tensors inside. Follows from the network.
    virtual TensorLocation getLocation() const noexcept = 0;
    /// Without effect, which the log tells where it differs from getLocation().
    virtual void setLocation(TensorLocation location) noexcept = 0;

    /// Whether setDynamicRange() was called, and not resetDynamicRange() after it.
    virtual bool TENON_UNTIL_10(dynamicRangeIsSet)() const noexcept = 0;
    /// Takes back setDynamicRange(): the tensor stays in floating point.
    virtual void TENON_UNTIL_10(resetDynamicRange)() noexcept = 0;
    /// What setDynamicRange() set; NaN where none is set.
    virtual float TENON_UNTIL_10(getDynamicRangeMin)() const noexcept = 0;
    /// What setDynamicRange() set; NaN where none is set.
    virtual float TENON_UNTIL_10(getDynamicRangeMax)() const noexcept = 0;
#if TENON_LEVEL <= 7
    /// The larger of the two sides; -1 where none is set.
    float getDynamicRange() const noexcept {
        if (!dynamicRangeIsSet()) return -1;
        float const below = -getDynamicRangeMin();
        float const above = getDynamicRangeMax();
        return below > above ? below : above;
    }
#endif

    /// The formats that a network input or output may have; a bit for each `TensorFormat`. The engine chooses one of
    /// them, and says which in `ICudaEngine::getTensorFormat()`. Unless this is called, inputs and outputs are kLINEAR.
    virtual void setAllowedFormats(TensorFormats formats) noexcept = 0;
    /// What setAllowedFormats() set; all bits where it was not called.
    virtual TensorFormats getAllowedFormats() const noexcept = 0;

    /// Whether the values are needed to compute a shape. Known once the whole network is defined.
    virtual bool isShapeTensor() const noexcept = 0;
    /// Whether the values are needed to compute an output of the network. A tensor may be both, or neither.
    virtual bool isExecutionTensor() const noexcept = 0;

    /// Names the dimension `index` of a network input. Dimensions of the same name must be equal when the engine runs.
    /// Null or "" removes the name; copied.
    virtual void TENON_FROM_8(setDimensionName)(int32_t index, char const* name) noexcept = 0;
    /// Null where it has no name.
    virtual char const* TENON_FROM_8(getDimensionName)(int32_t index) const noexcept = 0;

protected:
    ~ITensor() override = default;

    virtual void setDimensions_(tenonAbi::Dims64 const& dimensions) noexcept = 0;
    virtual tenonAbi::Dims64 getDimensions_() const noexcept = 0;
};

} // namespace nvinfer1

#endif
