// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plan/json/json_memory.h"
#include "runtime/engine.h"
#include "trt/edge/edge.h"
#include "trt/engine/context_face.h"

#include <memory>
#include <string>

namespace tenon::trt {

/// IEngineInspector: the steps of an engine as text, as far as its profiling verbosity allows.
class Inspector final : public nvinfer1::IEngineInspector {
public:
    Inspector(std::shared_ptr<Engine const> engine, Reporter const& reporter)
        : engine_(std::move(engine)), reporter_(reporter) {}

    bool setExecutionContext(nvinfer1::IExecutionContext const* context) noexcept override;
    nvinfer1::IExecutionContext const* getExecutionContext() const noexcept override { return context_.get(); }
    char const* getLayerInformation(int32_t layerIndex,
                                    nvinfer1::LayerInformationFormat format) const noexcept override;
    char const* getEngineInformation(nvinfer1::LayerInformationFormat format) const noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }

private:
    Json layer(Engine::Step const& step) const;
    static std::string asText(Json const& layer, nvinfer1::LayerInformationFormat format);

    std::shared_ptr<Engine const> engine_;
    Reporter reporter_;
    Link<ContextFace const> context_; // forgotten when it is deleted
    mutable std::string layerText_;
    mutable std::string engineText_;
};

} // namespace tenon::trt
