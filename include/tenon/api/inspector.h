// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Describes engines as text.
#ifndef TENON_API_INSPECTOR_H
#define TENON_API_INSPECTOR_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

class IExecutionContext;

/// The output format of IEngineInspector. Since level 8.
enum class TENON_FROM_8(LayerInformationFormat) : int32_t {
    kONELINE = 0, ///< One line for each layer.
    kJSON = 1,    ///< JSON.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(LayerInformationFormat)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(LayerInformationFormat)::kJSON);
};
} // namespace impl

/// Describes the layers of an engine. ICudaEngine::createEngineInspector() makes it. Since level 8.
///
/// The detail depends on IBuilderConfig::setProfilingVerbosity() in the build: nothing with kNONE, names with
/// kLAYER_NAMES_ONLY, with kDETAILED also inputs, outputs, types, formats and kernels.
///
/// \note Owner: the application deletes it, before the engine.
/// \note Thread: one at a time.
class TENON_FROM_8(IEngineInspector) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_8(IEngineInspector)() override = default;

    /// Sets a context whose shapes the descriptions use; without one, dimensions that the profile leaves open are -1.
    /// \param context not owned; forgotten when it is deleted. Null: none
    /// \return false, and an error in the log, for a context of another engine
    virtual bool setExecutionContext(IExecutionContext const* context) noexcept = 0;
    /// Returns the context; null unless set, and after it has been deleted.
    virtual IExecutionContext const* getExecutionContext() const noexcept = 0;

    /// Describes one layer.
    /// \param layerIndex 0 to ICudaEngine::getNbLayers() - 1
    /// \return a text, valid until the next call of this method; null, and an error in the log, if the index is out of
    /// range
    virtual char const* getLayerInformation(int32_t layerIndex,
                                            TENON_FROM_8(LayerInformationFormat) format) const noexcept = 0;
    /// Describes all layers and lists the names of inputs and outputs. In JSON an object with "Layers" and "Bindings".
    /// \return a text, valid until the next call of this method; null on error
    virtual char const* getEngineInformation(TENON_FROM_8(LayerInformationFormat) format) const noexcept = 0;

    /// Sets the error recorder; null removes it. Not owned.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; initially that of the engine.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
};

} // namespace nvinfer1

#endif
