// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvOnnxParser.h"
#include "execute.h"
#include "failure.h"
#include "tenon/engine_file.h"

#include <algorithm>

namespace tenon::cli {
namespace {

using namespace nvinfer1;

std::vector<int64_t> extentsOf(Dims const& dims) { return {dims.d, dims.d + std::max(dims.nbDims, 0)}; }

Dims dimsOf(std::vector<int64_t> const& extents) {
    if (extents.size() > static_cast<size_t>(Dims::MAX_DIMS))
        fail("an array has ", extents.size(), " dimensions; a tensor has up to ", Dims::MAX_DIMS);
    Dims dims{static_cast<int32_t>(extents.size()), {}};
    std::ranges::copy(extents, dims.d);
    return dims;
}

/// Only the array's shape: the engine is for this one run.
void setRange(Api& api, IOptimizationProfile& profile, ITensor const& input, Array const& array) {
    std::vector<int64_t> values;
    for (size_t i = 0; input.isShapeTensor() && i < array.count(); ++i)
        values.push_back(static_cast<int64_t>(numberAt(array, i, input.getType())));
    for (auto const which : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
        if (input.isShapeTensor())
            api.require(
                profile.setShapeValuesV2(input.getName(), which, values.data(), static_cast<int32_t>(values.size())));
        else
            api.require(profile.setDimensions(input.getName(), which, dimsOf(array.dims)));
    }
}

Prepared buildFrom(Api& api, std::string const& path, Feeds const& feeds) {
    auto const builder = api.own(createInferBuilder(api.log));
    auto const network = api.own(builder->createNetworkV2(0));
    auto const config = api.own(builder->createBuilderConfig());
    auto const parser = api.own(nvonnxparser::createParser(*network, api.log));
    api.require(parser->parseFromFile(path.c_str(), 0));
    std::vector<Port> ports;
    for (int32_t i = 0; i < network->getNbInputs(); ++i) {
        ITensor const& input = *network->getInput(i);
        ports.push_back({input.getName(), input.getType(), extentsOf(input.getDimensions())});
    }
    Arrays arrays = feeds.arraysFor(ports);
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    for (int32_t i = 0; i < network->getNbInputs(); ++i)
        setRange(api, *profile, *network->getInput(i), arrays.at(network->getInput(i)->getName()));
    if (network->getNbInputs() > 0) api.require(config->addOptimizationProfile(profile) >= 0);
    auto const saved = api.own(builder->buildSerializedNetwork(*network, *config));
    return {api.own(api.runtime->deserializeCudaEngine(saved->data(), saved->size())), std::move(arrays)};
}

Prepared load(Api& api, std::string const& path, Feeds const& feeds) {
    auto engine = api.own(loadEngine(*api.runtime, path.c_str()));
    Arrays arrays = feeds.arraysFor(portsOf(*engine, TensorIOMode::kINPUT));
    return {std::move(engine), std::move(arrays)};
}

} // namespace

std::vector<Port> portsOf(ICudaEngine const& engine, TensorIOMode mode) {
    std::vector<Port> ports;
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        char const* const name = engine.getIOTensorName(i);
        if (engine.getTensorIOMode(name) == mode)
            ports.push_back({name, engine.getTensorDataType(name), extentsOf(engine.getTensorShape(name))});
    }
    return ports;
}

Prepared prepare(Api& api, std::string const& path, Feeds const& feeds) {
    return path.ends_with(".onnx") ? buildFrom(api, path, feeds) : load(api, path, feeds);
}

} // namespace tenon::cli
