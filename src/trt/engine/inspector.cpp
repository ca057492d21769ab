// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/inspector.h"

#include "trt/engine/layer_information.h"

namespace tenon::trt {
namespace {

using nvinfer1::LayerInformationFormat;

LayerInformationFormat checked(LayerInformationFormat format) {
    if (format != LayerInformationFormat::kONELINE && format != LayerInformationFormat::kJSON)
        fail(ErrorCode::InvalidArgument, "no LayerInformationFormat has the number ", static_cast<int32_t>(format));
    return format;
}

} // namespace

bool Inspector::setExecutionContext(nvinfer1::IExecutionContext const* context) noexcept {
    return guarded(reporter_, "IEngineInspector::setExecutionContext", [&] {
        auto const* const ours = static_cast<ContextFace const*>(context);
        if (ours && &ours->core() != engine_.get())
            fail(ErrorCode::InvalidArgument, "the context belongs to another engine");
        context_ = ours ? ours->link() : Link<ContextFace const>();
        return true;
    });
}

/// One step, as far as the engine's profiling verbosity allows.
Json Inspector::layer(Engine::Step const& step) const {
    switch (engine_->plan().settings.verbosity) {
    case ProfilingVerbosity::None: return "";
    case ProfilingVerbosity::Names: return nameLayer(step);
    case ProfilingVerbosity::Detailed: break;
    }
    ContextFace const* const context = context_.get();
    return describeLayer(*engine_, step, context ? context->shapes() : nullptr);
}

char const* Inspector::getLayerInformation(int32_t layerIndex, LayerInformationFormat format) const noexcept {
    return guarded(reporter_, "getLayerInformation", [&] {
        auto const& steps = engine_->steps();
        if (layerIndex < 0 || static_cast<size_t>(layerIndex) >= steps.size())
            fail(ErrorCode::InvalidArgument, "layer ", layerIndex, " of an engine of ", steps.size(), " layers");
        layerText_ = asText(layer(steps[static_cast<size_t>(layerIndex)]), checked(format));
        return layerText_.c_str();
    });
}

std::string Inspector::asText(Json const& layer, LayerInformationFormat format) {
    if (format == LayerInformationFormat::kJSON) return layer.dump(2);
    return layer.is_string() ? withoutBreaks(layer.get<std::string>()) : onOneLine(layer);
}

char const* Inspector::getEngineInformation(LayerInformationFormat format) const noexcept {
    return guarded(reporter_, "getEngineInformation", [&] {
        Json layers = Json::array();
        Json bindings = Json::array();
        if (engine_->plan().settings.verbosity != ProfilingVerbosity::None) {
            for (Engine::Step const& step : engine_->steps()) layers.push_back(layer(step));
        }
        for (auto const* tensors : {&engine_->plan().graph.inputs(), &engine_->plan().graph.outputs()}) {
            for (Tensor const* tensor : *tensors) bindings.push_back(tensor->name);
        }
        if (checked(format) == LayerInformationFormat::kJSON) {
            engineText_ = Json{{"Layers", layers}, {"Bindings", bindings}}.dump(2);
            return engineText_.c_str();
        }
        engineText_ = "Layers:\n";
        for (Json const& one : layers) engineText_ += asText(one, format) + '\n';
        engineText_ += "\nBindings:\n";
        for (Json const& name : bindings) engineText_ += withoutBreaks(name.get<std::string>()) + '\n';
        return engineText_.c_str();
    });
}

} // namespace tenon::trt
