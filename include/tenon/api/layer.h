// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What all layers of a network have in common.
#ifndef TENON_API_LAYER_H
#define TENON_API_LAYER_H

#include "NvInferRuntimeBase.h"
#include "tenon/api/renumbered.h"
#include "tenon/api/tensor.h"

namespace nvinfer1 {

/// A node of a network. Made by the `add...` methods of `INetworkDefinition`, which owns it; use it from one thread at
/// a time. `getType()` says which derived class it is.
///
/// Setters check what they are given when they are called. A value that fits no network is refused there, reported, and
/// the layer keeps what it had; one that only does not fit its neighbours is reported when the network is built.
class ILayer : public tenonAbi::INoCopy {
public:
    /// Which class to cast to: a kCONVOLUTION is an IConvolutionLayer. -1 for a layer of a parsed model that no class
    /// stands for; it has the methods of this one only.
    TENON_LEVELED LayerType getType() const noexcept { return tenonAbi::levelled<LayerType>(getType_()); }

    /// Shown in logs, profiles and errors; make it unique. Copied. Outputs that still have the names that they were
    /// made with take the new one.
    virtual void setName(char const* name) noexcept = 0;
    /// Never null; the kind of the layer and a number unless set. Valid until the next setName().
    virtual char const* getName() const noexcept = 0;

    /// How many inputs getInput() counts: optional ones up to the last that is set, without weights.
    virtual int32_t getNbInputs() const noexcept = 0;
    /// Null where `index` is out of range or the input is optional and not set.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    /// How many outputs the layer makes; fixed by its kind and settings, not by what is read.
    virtual int32_t getNbOutputs() const noexcept = 0;
    /// Null where `index` is out of range.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;

    /// Replaces the input `index`, or adds it where the class says that the layer has a further, optional one. `tensor`
    /// must be of the same network; it is not owned.
    virtual void setInput(int32_t index, ITensor& tensor) noexcept = 0;

    /// The type to compute in: inputs and outputs of floating point are read and made in it, whatever other types the
    /// build may choose (BuilderFlag::kFP16 and the like, which have to allow this one). A kFLOAT layer in a build with
    /// kFP16 has no numbers that are too large for a half. Counts where BuilderFlag::kOBEY_PRECISION_CONSTRAINTS or
    /// kPREFER_PRECISION_CONSTRAINTS (up to level 8 also kSTRICT_TYPES) is set; else kernels are chosen by their time
    /// alone. A layer that is asked for a type is fused only with others that are asked for the same. Refused in
    /// strongly typed networks. Ended with level 10.
    virtual void TENON_UNTIL_10(setPrecision)(DataType dataType) noexcept = 0;
    /// What setPrecision() set; kFLOAT where none is set.
    virtual DataType TENON_UNTIL_10(getPrecision)() const noexcept = 0;
    /// Whether setPrecision() was called, and not resetPrecision() after it.
    virtual bool TENON_UNTIL_10(precisionIsSet)() const noexcept = 0;
    /// Takes back setPrecision().
    virtual void TENON_UNTIL_10(resetPrecision)() noexcept = 0;

    /// The type that the output `index` shall have. The outputs of the network get it always. Inside, kHALF, kBF16 and
    /// kINT8 (which needs a range, see ITensor::setDynamicRange) of what is kFLOAT are types to keep it in, for which
    /// the same flags count as for setPrecision(); layers that read it see kFLOAT. To any other type, and behind an
    /// IIdentityLayer, it is converted, with or without flags. Unless it is called, setPrecision() says the type.
    /// Refused in strongly typed networks. Ended with level 10.
    virtual void TENON_UNTIL_10(setOutputType)(int32_t index, DataType dataType) noexcept = 0;
    /// The type that it was given or, where none was, the one that follows from the inputs.
    virtual DataType getOutputType(int32_t index) const noexcept = 0;
    /// Whether setOutputType() was called for the output, and not resetOutputType() after it.
    virtual bool TENON_UNTIL_10(outputTypeIsSet)(int32_t index) const noexcept = 0;
    /// Takes back setOutputType(); readers of the output see the layer's own type again.
    virtual void TENON_UNTIL_10(resetOutputType)(int32_t index) noexcept = 0;

    /// Any text; goes with the layer into the engine, where `IEngineInspector` shows it. Copied.
    virtual void TENON_FROM_8(setMetadata)(char const* metadata) noexcept = 0;
    /// Never null.
    virtual char const* TENON_FROM_8(getMetadata)() const noexcept = 0;

    /// Among how many devices a collective layer exchanges data; 1 unless set. \return false for other layers
    virtual bool TENON_FROM_10(setNbRanks)(int32_t nbRanks) noexcept = 0;
    /// 1: no layer runs on several devices.
    virtual int32_t TENON_FROM_10(getNbRanks)() const noexcept = 0;

protected:
    ~ILayer() override = default;

    virtual int32_t getType_() const noexcept = 0;
};

} // namespace nvinfer1

#endif
