// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/network/plugin_faces.h"

#include "impl/NvInferPythonPlugin.h"
#include "plugin/plugin_layer.h"
#include "trt/network/network.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_v1.h"
#include "trt/plugin/plugin_v2.h"
#include "trt/plugin/plugin_v3.h"
#include "trt/plugin/plugin_v3_quick.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tenon::trt {
namespace {

template <class Interface, class Object, api::LayerType type>
class PluginFace final : public FaceOf<Interface, PluginLayer, type> {
public:
    using FaceOf<Interface, PluginLayer, type>::FaceOf;

    void setName(char const* name) noexcept override {
        this->rename(name);
        this->layer().plugin().node = this->node().name; // for messages
    }
    Object& getPlugin() noexcept override { return *static_cast<Object*>(this->layer().plugin().userObject()); }
};

using PluginV1Face = PluginFace<api::IPluginLayer, api::IPlugin, api::LayerType::kPLUGIN>;
using PluginV2Face = PluginFace<api::IPluginV2Layer, api::IPluginV2, api::LayerType::kPLUGIN_V2>;
using PluginV3Face = PluginFace<api::IPluginV3Layer, api::IPluginV3, api::LayerType::kPLUGIN_V3>;

std::string const kNewNode = "a new layer";

PluginName const kUnknown{"a plugin", "", ""}; // until its name is known

std::string textOrEmpty(char const* text) { return text ? text : ""; }

PluginName nameOf(api::IPluginV2 const& plugin) {
    return callUser(kNewNode, kUnknown, "getPluginType", [&]() -> PluginName {
        return {std::string(nameOrNull(plugin.getPluginType())), textOrEmpty(plugin.getPluginVersion()),
                textOrEmpty(plugin.getPluginNamespace())};
    });
}

PluginName namesOf(auto& core) {
    return {std::string(nameOrNull(core.getPluginName())), textOrEmpty(core.getPluginVersion()),
            textOrEmpty(core.getPluginNamespace())};
}

PluginName nameOf(api::IPluginV3& plugin) {
    return callUser(kNewNode, kUnknown, "getPluginName", [&]() -> PluginName {
        auto* const core = plugin.getCapabilityInterface(nvinfer1::PluginCapabilityType::kCORE);
        if (core == nullptr) return kUnknown;
        if (isQuick(*core)) return namesOf(static_cast<nvinfer1::IPluginV3QuickCore&>(*core));
        return namesOf(static_cast<nvinfer1::IPluginV3OneCore&>(*core));
    });
}

/// Adds the plugin's name to errors without it.
template <class Body> auto naming(PluginName const& name, Body&& body) {
    try {
        return body();
    } catch (Error const& error) {
        bool const isNamed = std::string_view(error.what()).find(name.name) != std::string_view::npos;
        if (isNamed) throw;
        throw Error({error.code(), error.foundBy()}, text(name, ": ", error.what()));
    }
}

/// Passes to a plugin of a class that computes batches which of its inputs have the implicit batch.
void tellBatch(Plugin& plugin, bool isImplicit, std::vector<int64_t> repeated) {
    plugin.built.implicitBatch = isImplicit;
    plugin.built.repeated = std::move(repeated);
}

} // namespace

std::unique_ptr<LayerFace> makePluginFace(Network& network, Node& node) {
    std::string_view const generation = as<PluginLayer>(*node.layer)->generation();
    if (generation.starts_with("IPluginV3")) return std::make_unique<PluginV3Face>(network, node);
    if (generation.starts_with("IPluginV2")) return std::make_unique<PluginV2Face>(network, node);
    return std::make_unique<PluginV1Face>(network, node);
}

api::ILayer* Network::addPlugin_(ITensor* const* inputs, int32_t nbInputs, void* plugin, bool isExt) noexcept {
    return guarded(reporter_, isExt ? "addPluginExt" : "addPlugin", [&]() -> api::ILayer* {
        auto const type = isExt ? ClassV1::IPluginExt : ClassV1::IPlugin;
        auto& object = *static_cast<api::IPlugin*>(plugin);
        auto tensors = tensorsOf(listOf(inputs, nbInputs, "input"));
        auto repeated = repeatSamples(tensors);
        auto adapted = adaptV1(object, type, kNewNode);
        tellBatch(*adapted, hasImplicitBatch(), std::move(repeated));
        auto* face = addNode<PluginV1Face>(std::move(tensors), PluginLayer(std::move(adapted)));
        as<PluginLayer>(*face->node().layer)->plugin().node = face->node().name;
        return face;
    });
}

api::IPluginV2Layer* Network::addPluginV2(ITensor* const* inputs, int32_t nbInputs, api::IPluginV2& plugin) noexcept {
    auto const add = [&](PluginName const& name) {
        auto tensors = tensorsOf(listOf(inputs, nbInputs, "input"));
        bool losesNamespace = false;
        auto adapted = adaptV2(cloneOf(plugin, kNewNode, name, &losesNamespace), kNewNode);
        if (losesNamespace)
            reporter_.warning(text(name, ": clone returned a plugin without its namespace, which is set; call "
                                         "setPluginNamespace there"));
        if (adapted->name().version != name.version) // a wrapper, whose clone() returns the plugin inside
            reporter_.warning(text(name, ": clone returned ", adapted->name(), ", which the network keeps"));
        PluginName kept = name;
        kept.version = adapted->name().version;
        adapted = expectCloned(kept, std::move(adapted));
        auto repeated = repeatSamples(tensors, [&](int32_t input) { return adapted->repeatsSample(input); });
        tellBatch(*adapted, hasImplicitBatch(), std::move(repeated));
        auto* face = addNode<PluginV2Face>(std::move(tensors), PluginLayer(std::move(adapted)));
        as<PluginLayer>(*face->node().layer)->plugin().node = face->node().name;
        return face;
    };
    return guarded(reporter_, "addPluginV2", [&] {
        PluginName const name = nameOf(plugin);
        return naming(name, [&] { return add(name); });
    });
}

api::IPluginV3Layer* Network::addPluginV3(ITensor* const* inputs, int32_t nbInputs, ITensor* const* shapeInputs,
                                          int32_t nbShapeInputs, api::IPluginV3& plugin) noexcept {
    auto const add = [&](PluginName const& name) {
        auto tensors = listOf(inputs, nbInputs, "input");
        std::ranges::copy(listOf(shapeInputs, nbShapeInputs, "shape input"), std::back_inserter(tensors));
        auto clone = adaptV3(cloneOf(plugin, kNewNode, name), kNewNode, PluginPhase::Build);
        PluginLayer layer(expectCloned(name, std::move(clone)));
        std::vector<int64_t> shapeIndices(static_cast<size_t>(nbShapeInputs));
        std::iota(shapeIndices.begin(), shapeIndices.end(), nbInputs);
        layer.setShapeInputs(std::move(shapeIndices));
        auto all = tensorsOf(tensors);
        repeatSamples(all, [&](int32_t input) { return input >= nbInputs; });
        auto* face = addNode<PluginV3Face>(std::move(all), std::move(layer));
        as<PluginLayer>(*face->node().layer)->plugin().node = face->node().name;
        return face;
    };
    return guarded(reporter_, "addPluginV3", [&] {
        PluginName const name = nameOf(plugin);
        return naming(name, [&] { return add(name); });
    });
}

} // namespace tenon::trt
