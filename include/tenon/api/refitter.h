// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Sets new weights in an engine.
#ifndef TENON_API_REFITTER_H
#define TENON_API_REFITTER_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

/// The weights of a layer that IRefitter::setWeights() sets.
enum class WeightsRole : int32_t {
    kKERNEL = 0,   ///< The kernel of a convolution, deconvolution or fully connected layer.
    kBIAS = 1,     ///< The bias of these layers.
    kSHIFT = 2,    ///< The shift of a scale layer.
    kSCALE = 3,    ///< The scale of a scale layer.
    kCONSTANT = 4, ///< The values of a constant layer.
#if TENON_LEVEL >= 8
    kANY = 5, ///< Weights without a role, identified by name. Since level 8.
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

/// Sets weights of an engine that was built with BuilderFlag::kREFIT, kREFIT_IDENTICAL or kREFIT_INDIVIDUAL, and those
/// that kSTRIP_PLAN omitted. createInferRefitter() makes it.
///
/// Typical sequence: setNamedWeights() or setWeights() for each of the weights, then refitCudaEngine(). Weights are
/// identified by layer and role, or by name: that of INetworkDefinition::setWeightsName(), of the model or of a
/// constant layer, else "LAYER ROLE" as in "conv1 KERNEL".
///
/// Contexts use the new weights from their next run on. CUDA graphs that the application captured must be captured
/// again. Fields of plugins are not refittable.
///
/// \note Owner: the application deletes it, before the engine.
/// \note Thread: one at a time. Do not create or run contexts of the engine while refitCudaEngine() is in progress.
class IRefitter : public tenonAbi::INoCopy {
public:
    ~IRefitter() override = default;

#if TENON_LEVEL < 10
    /// Deletes the refitter, as `delete` does. Up to level 8.
    void destroy() noexcept { delete this; }
#endif

    /// Sets the weights of a layer with a given role.
    /// \param layerName the name of the layer in the network
    /// \param weights of the type and number that the engine has; not copied. Keep the values valid until they are
    /// unset or the refitter is deleted; below level 10 until refitCudaEngine() returns
    /// \return false, and an error in the log, if the engine has no such weights or type or number differ
    virtual bool setWeights(char const* layerName, WeightsRole role, Weights weights) noexcept = 0;
    /// Copies the weights that are set into the engine. From level 10 on they stay set, and the next call reads them
    /// again; below, they are forgotten.
    /// \return false, and an error in the log, if weights are missing, or if constants of one element that are not
    /// marked individually would need other kernels (a factor of 1, an exponent of 2). The engine then keeps its
    /// weights
    virtual bool refitCudaEngine() noexcept = 0;
    /// Lists weights that must be set before the engine can run: those that a stripped engine lacks; for others none.
    /// \param size the length of the arrays, which may be null
    /// \return the number of such weights
    virtual int32_t getMissing(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;
    /// Lists all weights that can be set, by layer and role.
    /// \param size the length of the arrays, which may be null
    /// \param layerNames receives names, valid as long as the engine
    /// \return the number of such weights
    virtual int32_t getAll(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;

    /// Sets the range of a tensor that the engine keeps in int8. Up to level 10.
    /// \return false, and an error in the log, for a tensor without a range and bounds that ITensor::setDynamicRange()
    /// refuses
    virtual bool TENON_UNTIL_10(setDynamicRange)(char const* tensorName, float min, float max) noexcept = 0;
    /// Returns the lower bound of the range in use; NaN for a tensor without one. Up to level 10.
    virtual float TENON_UNTIL_10(getDynamicRangeMin)(char const* tensorName) const noexcept = 0;
    /// Returns the upper bound of the range in use; NaN for a tensor without one. Up to level 10.
    virtual float TENON_UNTIL_10(getDynamicRangeMax)(char const* tensorName) const noexcept = 0;
    /// Lists the tensors with a range. Up to level 10.
    /// \param size the length of `tensorNames`, which may be null
    /// \return the number of such tensors
    virtual int32_t TENON_UNTIL_10(getTensorsWithDynamicRange)(int32_t size,
                                                               char const** tensorNames) const noexcept = 0;

    /// Sets the error recorder; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; initially that of the engine.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    /// Sets the weights of a name; see setWeights(). Since level 8.
    virtual bool TENON_FROM_8(setNamedWeights)(char const* name, Weights weights) noexcept = 0;
    /// Lists the names of weights that must be set before the engine can run. Since level 8.
    /// \param size the length of `weightsNames`, which may be null
    /// \return the number of such weights
    virtual int32_t TENON_FROM_8(getMissingWeights)(int32_t size, char const** weightsNames) noexcept = 0;
    /// Lists the names of all weights that can be set. Since level 8.
    /// \param size the length of `weightsNames`, which may be null
    /// \return the number of such weights
    virtual int32_t TENON_FROM_8(getAllWeights)(int32_t size, char const** weightsNames) noexcept = 0;

    /// Returns the logger that createInferRefitter() received. Since level 8.
    virtual ILogger* TENON_FROM_8(getLogger)() const noexcept = 0;
    /// Sets the number of threads that refitCudaEngine() may use. Since level 8.
    /// \param maxThreads at least 1
    /// \return false, and an error in the log, for less
    virtual bool TENON_FROM_8(setMaxThreads)(int32_t maxThreads) noexcept = 0;
    /// Returns the number of threads; unless set, that of the engine's runtime or builder. Since level 8.
    virtual int32_t TENON_FROM_8(getMaxThreads)() const noexcept = 0;

    /// Sets the weights of a name from host or device memory. Since level 8.
    /// \param location where `weights.values` is; on a CPU both are host memory
    /// \return as setWeights()
    virtual bool TENON_FROM_8(setNamedWeights)(char const* name, Weights weights, TensorLocation location) noexcept = 0;
    /// Returns what setNamedWeights() set; empty weights, and an error in the log, if nothing is set. Since level 8.
    virtual Weights TENON_FROM_8(getNamedWeights)(char const* weightsName) const noexcept = 0;
    /// Returns the location that setNamedWeights() set; kHOST, and an error in the log, if nothing is set. Since level
    /// 8.
    virtual TensorLocation TENON_FROM_8(getWeightsLocation)(char const* weightsName) const noexcept = 0;
    /// Removes what setNamedWeights() set. Since level 8.
    /// \return false, and an error in the log, if nothing is set
    virtual bool TENON_FROM_8(unsetNamedWeights)(char const* weightsName) noexcept = 0;
    /// Stores whether weights are validated. It changes nothing: type and number are always checked, values never.
    /// Since level 8.
    virtual void TENON_FROM_8(setWeightsValidation)(bool weightsValidation) noexcept = 0;
    /// Returns the value of setWeightsValidation(); true unless set. Since level 8.
    virtual bool TENON_FROM_8(getWeightsValidation)() const noexcept = 0;
    /// Waits for `stream` and calls refitCudaEngine(). Since level 8.
    /// \return as refitCudaEngine()
    virtual bool TENON_FROM_8(refitCudaEngineAsync)(cudaStream_t stream) noexcept = 0;
    /// Returns the type and number that weights of this name must have, with null values. Since level 10.
    /// \return a count of -1, and an error in the log, for an unknown name
    virtual Weights TENON_FROM_10(getWeightsPrototype)(char const* weightsName) const noexcept = 0;
    /// Frees memory that is kept for the next refit, which allocates it again. Weights that are set stay set. Since
    /// level 11.
    /// \return false on error
    virtual bool TENON_FROM_11(releaseRefitResources)() noexcept = 0;
};

} // namespace nvinfer1

#endif
