// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/inspector.h"

#include "trt/context.h"

#include <nlohmann/json.hpp>

namespace tenon::trt {
namespace {

using Json = nlohmann::ordered_json;
using nvinfer1::LayerInformationFormat;

std::string_view kernelName(Assignment const& assignment) {
    return assignment.kernel ? assignment.kernel->name() : std::string_view("plugin");
}

Json tensorsAsJson(std::vector<Tensor*> const& tensors) {
    Json all = Json::array();
    for (Tensor const* tensor : tensors) {
        if (tensor)
            all.push_back(
                {{"Name", tensor->name}, {"Dimensions", text(tensor->shape)}, {"Format", text(tensor->label)}});
    }
    return all;
}

Json asJson(Assignment const& assignment) {
    Node const& node = *assignment.node;
    return {{"Name", node.name},
            {"LayerType", std::string(node.kind())},
            {"Inputs", tensorsAsJson(node.inputs())},
            {"Outputs", tensorsAsJson(node.outputs())},
            {"Parameters", printFields(*node.layer)},
            {"Kernel", std::string(kernelName(assignment))}};
}

std::string tensorsAsText(std::vector<Tensor*> const& tensors) {
    std::string all;
    for (Tensor const* tensor : tensors) {
        if (tensor) all += text(all.empty() ? "" : ", ", tensor->name, ' ', tensor->label, ' ', tensor->shape);
    }
    return all;
}

std::string asLine(Assignment const& assignment) {
    Node const& node = *assignment.node;
    return text(node, " [", printFields(*node.layer), "] ", tensorsAsText(node.inputs()), " -> ",
                tensorsAsText(node.outputs()), " by ", kernelName(assignment));
}

} // namespace

bool Inspector::setExecutionContext(nvinfer1::IExecutionContext const* context) noexcept {
    return guarded(reporter_, "IEngineInspector::setExecutionContext", [&] {
        if (context && &static_cast<ContextFace const*>(context)->core() != engine_.get())
            fail(ErrorCode::InvalidArgument, "the context belongs to another engine");
        context_ = context;
        return true;
    });
}

char const* Inspector::getLayerInformation(int32_t layerIndex, LayerInformationFormat format) const noexcept {
    return guarded(reporter_, "getLayerInformation", [&] {
        auto const& steps = engine_->steps();
        if (layerIndex < 0 || static_cast<size_t>(layerIndex) >= steps.size())
            fail(ErrorCode::InvalidArgument, "layer ", layerIndex, " of an engine of ", steps.size(), " layers");
        Assignment const& assignment = *steps[static_cast<size_t>(layerIndex)].assignment;
        layerText_ = format == LayerInformationFormat::kJSON ? asJson(assignment).dump() : asLine(assignment);
        return layerText_.c_str();
    });
}

char const* Inspector::getEngineInformation(LayerInformationFormat format) const noexcept {
    return guarded(reporter_, "getEngineInformation", [&] {
        Json layers = Json::array();
        std::string lines;
        for (Engine::Step const& step : engine_->steps()) {
            if (format == LayerInformationFormat::kJSON)
                layers.push_back(asJson(*step.assignment));
            else
                lines += asLine(*step.assignment) + '\n';
        }
        Json bindings = Json::array();
        for (auto const* tensors : {&engine_->plan().graph.inputs(), &engine_->plan().graph.outputs()}) {
            for (Tensor const* tensor : *tensors) bindings.push_back(tensor->name);
        }
        bool const json = format == LayerInformationFormat::kJSON;
        engineText_ = json ? Json{{"Layers", layers}, {"Bindings", bindings}}.dump() : lines;
        return engineText_.c_str();
    });
}

} // namespace tenon::trt
