// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "layer_types.h"

#include "failure.h"
#include "log.h"
#include "specs.h"

namespace trtexec {
namespace {

using namespace nvinfer1;
using LayerSpec = trtexec::LayerType;

/// The setting for the layer's name; else that of the last matching pattern; null if there is none.
LayerSpec const* specFor(std::vector<LayerSpec> const& specs, std::string_view layer) {
    LayerSpec const* found = nullptr;
    for (LayerSpec const& spec : specs) {
        if (spec.layer == layer) return &spec;
        if (matches(spec.layer, layer)) found = &spec;
    }
    return found;
}

bool isPattern(LayerSpec const& spec, ILayer const& layer) { return spec.layer != layer.getName(); }

bool holdsReals(ITensor const* tensor) {
    if (tensor == nullptr) return false;
    DataType const type = tensor->getType();
    return type != DataType::kINT32 && type != DataType::kINT64 && type != DataType::kBOOL && type != DataType::kUINT8;
}

/// Why a pattern does not apply to this layer; empty if it does.
std::string_view whyNotMeant(ILayer const& layer) {
    ITensor const* const input = layer.getNbInputs() > 0 ? layer.getInput(0) : nullptr;
    ITensor const* const output = layer.getNbOutputs() > 0 ? layer.getOutput(0) : nullptr;
    if (!holdsReals(input) && !holdsReals(output)) return "it does not compute in floating point";
    return input && input->isShapeTensor() ? "it computes a shape" : "";
}

std::string_view whyNotMeant(ITensor const& output) {
    if (!holdsReals(&output)) return "it is not floating point";
    return output.isShapeTensor() ? "it decides shapes" : "";
}

/// Sets types, and remembers whether any were skipped.
class TypeSetter {
public:
    explicit TypeSetter(Log& log) : log_(log) {}

    void setPrecision(ILayer& layer, LayerSpec const& spec) {
        std::string_view const why = isPattern(spec, layer) ? whyNotMeant(layer) : "";
        if (!why.empty()) return skip(concat("precision of layer ", layer.getName()), why);
        log_.info("Set layer ", layer.getName(), " to precision ", nameOf(spec.types.front()));
        layer.setPrecision(spec.types.front());
    }

    void setOutputTypes(ILayer& layer, LayerSpec const& spec) {
        auto const outputs = static_cast<size_t>(layer.getNbOutputs());
        if (spec.types.size() != 1 && spec.types.size() != outputs)
            fail("--layerOutputTypes: ", layer.getName(), " has ", outputs, " outputs, and ", spec.types.size(),
                 " types are given; expected one for each, or one for all");
        for (size_t i = 0; i < outputs; ++i)
            setOutputType(layer, static_cast<int32_t>(i), spec.types[spec.types.size() == 1 ? 0 : i],
                          isPattern(spec, layer));
    }

    void tellWhatWasSkipped() const {
        if (skipped_ > 0)
            log_.info("Skipped setting ", skipped_,
                      " types, of integers and shapes. Check verbose logs for more details.");
    }

private:
    void setOutputType(ILayer& layer, int32_t index, DataType type, bool byPattern) {
        std::string_view const why = byPattern ? whyNotMeant(*layer.getOutput(index)) : "";
        if (!why.empty()) return skip(concat("type of output ", index, " of layer ", layer.getName()), why);
        log_.info("Set output ", index, " of layer ", layer.getName(), " to type ", nameOf(type));
        layer.setOutputType(index, type);
    }

    void skip(std::string const& what, std::string_view why) {
        ++skipped_;
        log_.detail("Skipped setting ", what, " because ", why);
    }

    Log& log_;
    int32_t skipped_ = 0;
};

} // namespace

void setLayerTypes(BuildOptions const& options, INetworkDefinition& network, Log& log) {
    if (options.precisionConstraints == PrecisionConstraints::kNone) return;
    TypeSetter setter(log);
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer& layer = *network.getLayer(i);
        if (LayerSpec const* spec = specFor(options.layerPrecisions, layer.getName()))
            setter.setPrecision(layer, *spec);
        if (LayerSpec const* spec = specFor(options.layerOutputTypes, layer.getName()))
            setter.setOutputTypes(layer, *spec);
    }
    setter.tellWhatWasSkipped();
}

} // namespace trtexec
