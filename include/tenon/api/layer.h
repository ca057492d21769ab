// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The base class of all layers.
#ifndef TENON_API_LAYER_H
#define TENON_API_LAYER_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/renumbered.h"
#include "tenon/api/tensor.h"

namespace nvinfer1 {

/// A layer of a network. getType() says which derived class it is.
///
/// Setters check their arguments at once: a value that is never valid is reported to the log and the error recorder,
/// and the layer keeps its previous value. Values that only do not fit the other inputs are reported when a shape or
/// type that depends on them is queried, or when the network is built.
///
/// \note Owner: its INetworkDefinition, whose `add...` methods make it.
/// \note Thread: one at a time for the whole network.
class ILayer : public tenonAbi::INoCopy {
public:
    /// Returns the kind of the layer, which names the class to cast to: kCONVOLUTION is an IConvolutionLayer.
    /// \return -1 for a layer of a parsed model that the API has no class for; only the methods of ILayer apply to it
    TENON_LEVELED LayerType getType() const noexcept { return tenonAbi::levelled<LayerType>(getType_()); }

    /// Sets the name, which logs, profiles and errors show; make it unique. Outputs that still have their default name
    /// "LAYER:INDEX" follow.
    /// \param name copied; null is an error
    virtual void setName(char const* name) noexcept = 0;
    /// Returns the name; never null. Unless set, it is made of the kind of the layer and a number. Valid until the next
    /// setName().
    virtual char const* getName() const noexcept = 0;

    /// Returns the number of inputs: one more than the index of the last input that is set. Weights are not inputs.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// Returns an input; null if `index` is out of range or the optional input is not set.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    /// Returns the number of outputs. It depends on the kind of the layer and its settings only.
    virtual int32_t getNbOutputs() const noexcept = 0;
    /// Returns an output; null if `index` is out of range.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;

    /// Replaces an input, or adds an optional one where the comment of the class lists it.
    /// \param index 0 up; an index that the layer does not have is an error
    /// \param tensor of the same network
    virtual void setInput(int32_t index, ITensor& tensor) noexcept = 0;

    /// Requests the type in which the layer computes: its floating-point inputs and outputs are read and written in it.
    /// Up to level 10.
    ///
    /// It applies if BuilderFlag::kOBEY_PRECISION_CONSTRAINTS or kPREFER_PRECISION_CONSTRAINTS (up to level 8 also
    /// kSTRICT_TYPES) is set; else it is ignored, and a warning says so. The type must be allowed by kFP16, kBF16 or
    /// kINT8; kFLOAT always is. Layers with a requested type are fused only with layers for which the same type is
    /// requested.
    /// \pre a weakly typed network; in a strongly typed one this is an error
    virtual void TENON_UNTIL_10(setPrecision)(DataType dataType) noexcept = 0;
    /// Returns the type of setPrecision(); kFLOAT if none is set. Up to level 10.
    virtual DataType TENON_UNTIL_10(getPrecision)() const noexcept = 0;
    /// Returns whether the layer has a type of setPrecision(). Up to level 10.
    virtual bool TENON_UNTIL_10(precisionIsSet)() const noexcept = 0;
    /// Removes the type of setPrecision(): the build chooses. Up to level 10.
    virtual void TENON_UNTIL_10(resetPrecision)() noexcept = 0;

    /// Sets the type of an output. Up to level 10.
    ///
    /// - kHALF, kBF16 or kINT8 (which needs ITensor::setDynamicRange()) for a kFLOAT output is a request for the type
    ///   in which the build keeps the tensor, under the same flags as setPrecision(). Layers that read the output see
    ///   kFLOAT.
    /// - Any other type, and every type for the output of an IIdentityLayer, is a conversion, with or without flags.
    /// - For a network output the application receives this type in any case, unless ITensor::setType() sets another.
    ///
    /// Without a call, setPrecision() determines the type.
    /// \pre a weakly typed network; in a strongly typed one this is an error
    virtual void TENON_UNTIL_10(setOutputType)(int32_t index, DataType dataType) noexcept = 0;
    /// Returns the type of setOutputType(); unless set, the type that follows from the inputs.
    /// \return kFLOAT, and an error in the log, if `index` is out of range
    virtual DataType getOutputType(int32_t index) const noexcept = 0;
    /// Returns whether the output has a type of setOutputType(). Up to level 10.
    virtual bool TENON_UNTIL_10(outputTypeIsSet)(int32_t index) const noexcept = 0;
    /// Removes the type of setOutputType(): readers see the type that follows from the inputs again. Up to level 10.
    virtual void TENON_UNTIL_10(resetOutputType)(int32_t index) noexcept = 0;

    /// Attaches a text to the layer. IEngineInspector shows it for the layers of the engine that compute this one.
    /// Since level 8.
    /// \param metadata UTF-8; copied. Null or other bytes are an error
    virtual void TENON_FROM_8(setMetadata)(char const* metadata) noexcept = 0;
    /// Returns the text of setMetadata(); "" unless set, never null. Since level 8.
    virtual char const* TENON_FROM_8(getMetadata)() const noexcept = 0;

    /// Sets the number of devices among which the layer exchanges data. Since level 10.
    /// \return false for layers other than IDistCollectiveLayer and attention, unless `nbRanks` is 1
    virtual bool TENON_FROM_10(setNbRanks)(int32_t nbRanks) noexcept = 0;
    /// Returns the number of devices among which the layer exchanges data; 1 unless set. Since level 10.
    virtual int32_t TENON_FROM_10(getNbRanks)() const noexcept = 0;

protected:
    ~ILayer() override = default;

    virtual int32_t getType_() const noexcept = 0;
};

} // namespace nvinfer1

#endif
