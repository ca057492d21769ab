// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What an engine is made of, as text.
#ifndef TENON_API_INSPECTOR_H
#define TENON_API_INSPECTOR_H

#include "NvInferRuntimeBase.h"

namespace nvinfer1 {

class IExecutionContext;

/// How `IEngineInspector` writes.
enum class TENON_FROM_8(LayerInformationFormat) : int32_t {
    kONELINE = 0, ///< One line for a layer.
    kJSON = 1,    ///< One JSON object.
};

namespace impl {
template <> struct EnumMaxImpl<TENON_FROM_8(LayerInformationFormat)> {
    static constexpr int32_t kVALUE = tenonAbi::countOf(TENON_FROM_8(LayerInformationFormat)::kJSON);
};
} // namespace impl

/// Describes the layers of an engine. Made by `ICudaEngine::createEngineInspector()`; the receiver deletes it, before
/// the engine. How much there is to see depends on `IBuilderConfig::setProfilingVerbosity()`.
class TENON_FROM_8(IEngineInspector) : public tenonAbi::INoCopy {
public:
    ~TENON_FROM_8(IEngineInspector)() override = default;

    /// With a context, shapes are the ones set there (else: -1 where open). Null: none. Forgotten when it is deleted.
    /// \return false for a context of another engine
    virtual bool setExecutionContext(IExecutionContext const* context) noexcept = 0;
    /// What setExecutionContext() set; null unless set, and when the context has been deleted.
    virtual IExecutionContext const* getExecutionContext() const noexcept = 0;

    /// \param layerIndex 0 to `ICudaEngine::getNbLayers()` - 1
    /// \return valid until the next call of this method or the end of the inspector; null where out of range
    virtual char const* getLayerInformation(int32_t layerIndex,
                                            TENON_FROM_8(LayerInformationFormat) format) const noexcept = 0;
    /// The whole engine. \return valid until the next call of this method or the end of the inspector
    virtual char const* getEngineInformation(TENON_FROM_8(LayerInformationFormat) format) const noexcept = 0;

    /// Errors are kept there, beside the log. Null: none. Not owned; counted by incRefCount().
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    /// The engine's at first; else what setErrorRecorder() set.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
};

} // namespace nvinfer1

#endif
