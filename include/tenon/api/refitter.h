// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// New weights for an engine that is built.
#ifndef TENON_API_REFITTER_H
#define TENON_API_REFITTER_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// Which weights of a layer are meant.
enum class WeightsRole : int32_t {
    kKERNEL = 0,   ///< The kernel of a convolution, a deconvolution or a fully connected layer.
    kBIAS = 1,     ///< What these add.
    kSHIFT = 2,    ///< What a scale layer adds.
    kSCALE = 3,    ///< What a scale layer multiplies with.
    kCONSTANT = 4, ///< The values of a constant.
#if TENON_LEVEL >= 8
    kANY = 5, ///< Weights known by their own name.
#endif
};

namespace impl {
template <> struct EnumMaxImpl<WeightsRole> {
#if TENON_LEVEL >= 8
    static constexpr int32_t kVALUE = tenonAbi::countOf(WeightsRole::kANY);
#else
    static constexpr int32_t kVALUE = tenonAbi::countOf(WeightsRole::kCONSTANT);
#endif
};
} // namespace impl

/// Exchanges weights of an engine built with `BuilderFlag::kREFIT`, `kREFIT_IDENTICAL` or `kREFIT_INDIVIDUAL`, and
/// gives those back that `kSTRIP_PLAN` left out. Made by `createInferRefitter()`; the program deletes it. One thread at
/// a time, and no execution of the engine meanwhile. Contexts that there are compute with the new weights from their
/// next run on; CUDA graphs that a program captured of them are to be captured again. Plugins are not touched. Weights
/// have names: of `INetworkDefinition::setWeightsName()`, the model or a constant layer, else "conv1 KERNEL" and so on.
class IRefitter : public tenonAbi::INoCopy {
public:
    ~IRefitter() override = default;

#if TENON_LEVEL < 10
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

    /// New values for the weights with this role of the layer of this name; of the same type and number. Not copied:
    /// keep them while they are set, below level 10 until refitCudaEngine returns. \return false: no such weights
    virtual bool setWeights(char const* layerName, WeightsRole role, Weights weights) noexcept = 0;
    /// Makes the engine use a copy of what was set; from level 10 on this stays set, to be read anew by the next call.
    /// \return false where weights are missing, or where single numbers (a factor of 1, an exponent of 2) that were not
    /// marked one by one (kREFIT_INDIVIDUAL) would have it compute in another way. The engine is then as before
    virtual bool refitCudaEngine() noexcept = 0;
    /// Weights that still must be set: of an engine whose plan was stripped those that were not given back yet, else
    /// none. Fills up to `size` entries of each
    /// array that is not null. \return how many there are
    virtual int32_t getMissing(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;
    /// All weights that can be set. \return how many there are
    virtual int32_t getAll(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;

    /// A new range for a tensor that was built with one. \return false where there is no such tensor
    virtual bool TENON_UNTIL_10(setDynamicRange)(char const* tensorName, float min, float max) noexcept = 0;
    /// The range that is in use; NaN where there is none.
    virtual float TENON_UNTIL_10(getDynamicRangeMin)(char const* tensorName) const noexcept = 0;
    /// The range that is in use; NaN where there is none.
    virtual float TENON_UNTIL_10(getDynamicRangeMax)(char const* tensorName) const noexcept = 0;
    /// Fills up to `size` names. \return how many tensors have a range
    virtual int32_t TENON_UNTIL_10(getTensorsWithDynamicRange)(int32_t size,
                                                               char const** tensorNames) const noexcept = 0;

    /// Errors are kept there, beside the log. Null: none. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// The engine's at first; else what setErrorRecorder() set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    /// As setWeights, for weights named by `INetworkDefinition::setWeightsName()` or by the parser.
    virtual bool TENON_FROM_8(setNamedWeights)(char const* name, Weights weights) noexcept = 0;
    /// getMissing() for weights that have names. \return how many there are
    virtual int32_t TENON_FROM_8(getMissingWeights)(int32_t size, char const** weightsNames) noexcept = 0;
    /// getAll() for weights that have names. \return how many there are
    virtual int32_t TENON_FROM_8(getAllWeights)(int32_t size, char const** weightsNames) noexcept = 0;

    /// The logger that the refitter was made with.
    virtual ILogger* TENON_FROM_8(getLogger)() const noexcept = 0;
    /// How many threads refitting may use; at least 1. \return false for fewer
    virtual bool TENON_FROM_8(setMaxThreads)(int32_t maxThreads) noexcept = 0;
    /// What setMaxThreads() set.
    virtual int32_t TENON_FROM_8(getMaxThreads)() const noexcept = 0;

    /// As setNamedWeights, for values that lie at `location`.
    virtual bool TENON_FROM_8(setNamedWeights)(char const* name, Weights weights, TensorLocation location) noexcept = 0;
    /// What was set; empty weights and an error where nothing was.
    virtual Weights TENON_FROM_8(getNamedWeights)(char const* weightsName) const noexcept = 0;
    /// Where the values lie that setNamedWeights() gave; kHOST and an error where none did.
    virtual TensorLocation TENON_FROM_8(getWeightsLocation)(char const* weightsName) const noexcept = 0;
    /// Takes back setNamedWeights(). \return false where nothing was set
    virtual bool TENON_FROM_8(unsetNamedWeights)(char const* weightsName) noexcept = 0;
    /// Kept and given back. Type and number of weights are checked in any case, and infinities are taken.
    virtual void TENON_FROM_8(setWeightsValidation)(bool weightsValidation) noexcept = 0;
    /// What setWeightsValidation() set; true unless set.
    virtual bool TENON_FROM_8(getWeightsValidation)() const noexcept = 0;
    /// refitCudaEngine in the order of `stream`, for which it waits.
    virtual bool TENON_FROM_8(refitCudaEngineAsync)(cudaStream_t stream) noexcept = 0;
    /// Type and number that the weights must have, -1 where there are none of this name; `values` is null.
    virtual Weights TENON_FROM_10(getWeightsPrototype)(char const* weightsName) const noexcept = 0;
    /// Frees what refits keep in memory for the next one; that one makes it again. Weights that are set stay set.
    /// \return false on error
    virtual bool TENON_FROM_11(releaseRefitResources)() noexcept = 0;
};

} // namespace nvinfer1

#endif
