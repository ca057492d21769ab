// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include "failure.h"
#include "layer_types.h"
#include "log.h"
#include "specs.h"

#include <algorithm>

namespace trtexec {
namespace {

using namespace nvinfer1;

// ---- inputs and outputs

/// Settings that apply to all inputs, or to all outputs.
struct Side {
    std::string_view flag;
    std::vector<IoFormat> const& formats;
    bool stronglyTyped;
};

void setFormat(ITensor& tensor, IoFormat const& format, Side const& side, Log& log) {
    DataType const before = tensor.getType();
    if (side.stronglyTyped && before != format.type)
        fail(side.flag, ": ", tensor.getName(), " is ", nameOf(before), " in this strongly typed network, not ",
             nameOf(format.type));
    bool const needsScale = format.type == DataType::kFP8 || format.type == DataType::kINT4;
    if (needsScale && before != format.type)
        log.warning(side.flag, ": ", tensor.getName(), " is ", nameOf(before),
                    " in the model; its values are converted to ", nameOf(format.type),
                    " without a scale, because there is no calibration");
    tensor.setType(format.type);
    tensor.setAllowedFormats(format.formats);
    if (tensor.getType() != format.type) fail(side.flag, ": ", tensor.getName(), " cannot be ", nameOf(format.type));
}

template <class TensorAt> void setFormats(Side const& side, int32_t count, TensorAt&& tensorAt, Log& log) {
    auto const& formats = side.formats;
    if (formats.empty()) return;
    bool const one = formats.size() == 1;
    if (!one && formats.size() != static_cast<size_t>(count))
        fail(side.flag, ": found ", formats.size(), " formats; expected ", count, ", one for each, or one for all");
    for (int32_t i = 0; i < count; ++i) setFormat(*tensorAt(i), formats[one ? 0 : static_cast<size_t>(i)], side, log);
}

// ---- debug tensors

/// Inputs of the network, and outputs of its layers.
ITensor* findTensor(INetworkDefinition const& network, std::string_view name) {
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        if (network.getInput(i)->getName() == name) return network.getInput(i);
    }
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer const& layer = *network.getLayer(i);
        for (int32_t output = 0; output < layer.getNbOutputs(); ++output) {
            if (layer.getOutput(output)->getName() == name) return layer.getOutput(output);
        }
    }
    return nullptr;
}

void markDebugTensors(BuildOptions const& options, INetworkDefinition& network) {
    for (std::string const& name : options.debugTensors) {
        ITensor* const tensor = findTensor(network, name);
        if (tensor == nullptr) fail("--markDebug: the network has no tensor \"", name, '"');
        if (!network.markDebug(*tensor)) fail("--markDebug: ", name, " is refused; see the log above");
    }
    if (options.debugUnfused && !network.markUnfusedTensorsAsDebugTensors())
        fail("--markUnfusedTensorsAsDebugTensors is refused; see the log above");
}

// ---- profiles

Dims toDims(Dimensions const& dimensions) {
    Dims dims{static_cast<int32_t>(dimensions.size()), {}};
    std::copy(dimensions.begin(), dimensions.end(), dims.d);
    return dims;
}

bool isOpen(ITensor const& tensor) {
    Dims const dims = tensor.getDimensions();
    return std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent == -1; }) ||
           tensor.isShapeTensor();
}

std::string inputNames(INetworkDefinition const& network) {
    std::vector<std::string> names;
    for (int32_t i = 0; i < network.getNbInputs(); ++i) names.emplace_back(network.getInput(i)->getName());
    return joined(names, ", ");
}

void expectInputsExist(ShapeRanges const& profile, INetworkDefinition const& network) {
    for (auto const& [name, range] : profile) {
        bool found = false;
        for (int32_t i = 0; i < network.getNbInputs(); ++i) found |= matches(name, network.getInput(i)->getName());
        if (!found)
            fail(
                "Cannot find input tensor with name \"", name,
                "\" in the network inputs! Please make sure the input tensor names are correct: ", inputNames(network));
    }
}

/// 1 for every dynamic dimension, or for every value of a shape tensor.
Dimensions ones(ITensor const& input) {
    Dims const dims = input.getDimensions();
    if (input.isShapeTensor()) return Dimensions(dims.nbDims == 0 ? 1 : static_cast<size_t>(dims.d[0]), 1);
    Dimensions shape(dims.d, dims.d + dims.nbDims);
    std::ranges::replace(shape, -1, 1);
    return shape;
}

ShapeRange rangeOf(ShapeRanges const& profile, ITensor const& input, Log& log) {
    std::string_view const name = input.getName();
    if (auto const exact = profile.find(std::string(name)); exact != profile.end()) return exact->second;
    for (auto const& [pattern, range] : profile) {
        if (matches(pattern, name)) return range;
    }
    Dimensions const shape = ones(input);
    log.warning("Dynamic dimensions required for input: ", name,
                ", but no shapes were provided. Automatically overriding shape to: ", dimsText(shape));
    return {shape, shape, shape};
}

void setRange(IOptimizationProfile& profile, ITensor const& input, ShapeRange const& range) {
    for (int32_t i = 0; i < 3; ++i) {
        Dimensions const& shape = *range[static_cast<size_t>(i)];
        auto const selector = static_cast<OptProfileSelector>(i);
        bool const set = input.isShapeTensor() ? profile.setShapeValuesV2(input.getName(), selector, shape.data(),
                                                                          static_cast<int32_t>(shape.size()))
                                               : profile.setDimensions(input.getName(), selector, toDims(shape));
        if (!set)
            fail("input ", input.getName(), " does not support the shape ", dimsText(shape), "; it is ",
                 dimsText(input.getDimensions()));
    }
}

bool asksForInt8(BuildOptions const& options) {
    auto const isInt8 = [](IoFormat const& format) { return format.type == DataType::kINT8; };
    return options.has(BuilderFlag::kINT8) || std::ranges::any_of(options.inputFormats, isInt8) ||
           std::ranges::any_of(options.outputFormats, isInt8);
}

/// Whether quantize layers exist: then ranges would make the builder quantize more than they specify.
bool isQuantized(INetworkDefinition const& network) {
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::LayerType const type = network.getLayer(i)->getType();
        if (type == nvinfer1::LayerType::kQUANTIZE || type == nvinfer1::LayerType::kDEQUANTIZE ||
            type == nvinfer1::LayerType::kDYNAMIC_QUANTIZE)
            return true;
    }
    return false;
}

/// Tensors without a range get an arbitrary one: for timing int8, not for results.
void setMissingRanges(INetworkDefinition& network, Log& log) {
    constexpr float kInputs = 2;
    constexpr float kOutputs = 4;
    int32_t invented = 0;
    auto const give = [&](ITensor* tensor, float range) {
        bool const isReal = tensor && (tensor->getType() == DataType::kFLOAT || tensor->getType() == DataType::kINT8);
        if (!isReal || tensor->dynamicRangeIsSet()) return;
        tensor->setDynamicRange(-range, range);
        ++invented;
    };
    for (int32_t i = 0; i < network.getNbInputs(); ++i) give(network.getInput(i), kInputs);
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer& layer = *network.getLayer(i);
        for (int32_t k = 0; k < layer.getNbOutputs(); ++k)
            give(layer.getOutput(k), layer.getType() == nvinfer1::LayerType::kPOOLING ? kInputs : kOutputs);
    }
    if (invented > 0)
        log.warning("int8 without calibration: ", invented, " tensors get the range -", double{kInputs}, " to ",
                    double{kInputs}, " or -", double{kOutputs}, " to ", double{kOutputs},
                    ". Times are right, results are not");
}

} // namespace

void applyToNetwork(BuildOptions const& options, INetworkDefinition& network, Log& log) {
    Side const inputs{"--inputIOFormats", options.inputFormats, options.stronglyTyped};
    Side const outputs{"--outputIOFormats", options.outputFormats, options.stronglyTyped};
    setFormats(
        inputs, network.getNbInputs(), [&](int32_t i) { return network.getInput(i); }, log);
    setFormats(
        outputs, network.getNbOutputs(), [&](int32_t i) { return network.getOutput(i); }, log);
    setLayerTypes(options, network, log);
    bool const isCalibrated = options.has(BuilderFlag::kINT8) && !options.calibrationFile.empty();
    bool const mayInvent = !options.stronglyTyped && !isCalibrated && !isQuantized(network);
    if (asksForInt8(options) && mayInvent) setMissingRanges(network, log);
    markDebugTensors(options, network);
}

IOptimizationProfile* makeProfile(ShapeRanges const& shapes, INetworkDefinition const& network, IBuilder& builder,
                                  std::string const& name, Log& log) {
    expectInputsExist(shapes, network);
    IOptimizationProfile* const profile = builder.createOptimizationProfile();
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        ITensor const& input = *network.getInput(i);
        if (!isOpen(input)) continue;
        ShapeRange const range = rangeOf(shapes, input, log);
        setRange(*profile, input, range);
        log.info(input.isShapeTensor() ? "Set input shape tensor " : "Set shape of input tensor ", input.getName(),
                 " for ", name, " to: MIN=", dimsText(*range[0]), " OPT=", dimsText(*range[1]),
                 " MAX=", dimsText(*range[2]));
    }
    return profile;
}

std::vector<IOptimizationProfile*> addProfiles(BuildOptions const& options, INetworkDefinition const& network,
                                               IBuilder& builder, IBuilderConfig& config, Log& log) {
    bool dynamic = false;
    std::vector<IOptimizationProfile*> profiles;
    for (int32_t i = 0; i < network.getNbInputs(); ++i) dynamic |= isOpen(*network.getInput(i));
    for (size_t i = 0; i < options.profiles.size(); ++i) {
        ShapeRanges const& shapes = options.profiles[i];
        expectInputsExist(shapes, network);
        if (!dynamic && !shapes.empty())
            fail(
                "Static model does not take explicit shapes since the shape of inference tensors will be determined by "
                "the model itself; leave out --shapes and its like");
        if (!dynamic) continue;
        profiles.push_back(makeProfile(shapes, network, builder, concat("optimization profile ", i), log));
        if (config.addOptimizationProfile(profiles.back()) < 0)
            fail("optimization profile ", i, " is not valid; see the log above");
    }
    return profiles;
}

} // namespace trtexec
