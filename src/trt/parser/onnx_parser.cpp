// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/onnx_parser.h"

#include "onnx/support.h"
#include "trt/edge/weights_roles.h"
#include "trt/parser/refit_records.h"
#include "trt/parser/weight_descriptors.h"
#include "trt/plugin/onnx_importers.h"

#include <algorithm>

namespace tenon::trt {
OnnxParser::OnnxParser(Network& network, Reporter const& reporter)
    : network_(network.link()), registry_(network.registry()), reporter_(reporter), plugins_(network),
      importers_([this](Reporter const& to) { return this->network().another(to); }, reporter.logger(),
                 network.hasImplicitBatch()) {}

Network& OnnxParser::network() const {
    Network* const network = network_.get();
    if (network == nullptr)
        fail(ErrorCode::InvalidState,
             "the network that the parser writes to has been deleted; create a parser for another network");
    return *network;
}

onnx::ParseOptions OnnxParser::options(char const* modelPath) {
    onnx::ParseOptions options;
    options.customNodes = &plugins_;
    options.userImporters = &importers_;
    options.log = reporter_.log();
    options.path = modelPath ? modelPath : "";
    options.pluginsFirst = getFlag(nvonnxparser::OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE);
    options.narrowsInt64 = !network().knowsInt64();
    if (network().hasImplicitBatch()) options.batch = Network::batch();
    return options;
}

template <class Read> bool OnnxParser::parseWith(char const* method, Read&& read) noexcept {
    return guarded(reporter_, method, [&] {
        onnx::ParseResult result = errors_.attempt(method, read);
        for (onnx::ParsedNode& node : result.nodes) outputs_[node.name] = std::move(node.outputs);
        if (errors_.count() != 0) return false;
        if (observer_) reportWeights(network().graph(), result, *observer_, [](std::string const&) { return true; });
        return true;
    });
}

bool OnnxParser::parse(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                       char const* modelPath) noexcept {
    return parseWith("IParser::parse", [&] {
        return onnx::parse(modelBytes(serializedOnnxModel, serializedOnnxModelSize), network().graph(),
                           options(modelPath));
    });
}

bool OnnxParser::parseFromFile(char const* onnxModelFile, int) noexcept {
    return parseWith("IParser::parseFromFile", [&] {
        return onnx::parseFile(network().graph(), options(expectText(onnxModelFile, "onnxModelFile")));
    });
}

bool OnnxParser::parseWithWeights_(void const* model, size_t size, uint32_t weightCount,
                                   void const* weightDescriptors) noexcept {
    return parseWith("IParser::parseWithWeightDescriptors", [&] {
        if (weightCount > 0 && weightDescriptors == nullptr)
            fail(ErrorCode::InvalidArgument, weightCount, " weights at address null");
        std::span const weights(static_cast<WeightDescriptor const*>(weightDescriptors), weightCount);
        auto const read = onnx::readModel(modelBytes(model, size), {}, reporter_.log());
        return onnx::parseRead(withWeights(read, weights), network().graph(), options(nullptr));
    });
}

// From level 8 on, the signature has no weight descriptors, and the model contains all its weights.
bool OnnxParser::parseWithWeightDescriptors(void const* model, size_t size) noexcept {
    return parse(model, size, nullptr);
}

// ---- supported models

void OnnxParser::cutIntoGroups(void const* model, size_t size, char const* modelPath) {
    errors_.clear();
    groups_.clear();
    onnx::Support support = onnx::supportOf(modelBytes(model, size), options(modelPath));
    for (onnx::NodeGroup const& group : support.groups)
        groups_.push_back({{group.nodes.begin(), group.nodes.end()}, group.supported});
    errors_.keep(std::move(support.errors));
}

bool OnnxParser::supportsModelV2(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                 char const* modelPath) noexcept {
    return guarded(reporter_, "supportsModelV2", [&] {
        cutIntoGroups(serializedOnnxModel, serializedOnnxModelSize, modelPath);
        return errors_.count() == 0;
    });
}

bool OnnxParser::supportsModel(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                               SubGraphCollection_t& subGraphCollection, char const* modelPath) noexcept {
    return guarded(reporter_, "supportsModel", [&] {
        cutIntoGroups(serializedOnnxModel, serializedOnnxModelSize, modelPath);
        for (Group const& group : groups_)
            subGraphCollection.emplace_back(std::vector<size_t>(group.nodes.begin(), group.nodes.end()),
                                            group.supported);
        return errors_.count() == 0;
    });
}

OnnxParser::Group& OnnxParser::groupAt(int64_t index) {
    if (index < 0 || index >= getNbSubgraphs())
        fail(ErrorCode::InvalidArgument, "part ", index, " of a model of ", getNbSubgraphs(), " parts");
    return groups_[static_cast<size_t>(index)];
}

bool OnnxParser::isSubgraphSupported(int64_t index) noexcept {
    return guarded(reporter_, "isSubgraphSupported", [&] { return groupAt(index).supported; });
}

int64_t* OnnxParser::getSubgraphNodes(int64_t index, int64_t& subgraphLength) noexcept {
    subgraphLength = 0;
    return guarded(reporter_, "getSubgraphNodes", [&] {
        Group& group = groupAt(index);
        subgraphLength = static_cast<int64_t>(group.nodes.size());
        return group.nodes.data();
    });
}

bool OnnxParser::supportsOperator(char const* opName) const noexcept {
    return guarded(reporter_, "supportsOperator", [&] {
        std::string const op = expectText(opName, "opName");
        return onnx::hasImporter(op) || OnnxImporters::global().hasOp(op);
    });
}

// ---- results

api::ITensor const* OnnxParser::getLayerOutputTensor(char const* name, int64_t i) noexcept {
    return guarded(reporter_, "getLayerOutputTensor", [&]() -> api::ITensor const* {
        auto const found = outputs_.find(std::string_view(expectText(name, "name")));
        bool const exists = found != outputs_.end() && i >= 0 && static_cast<size_t>(i) < found->second.size();
        return exists ? network().outputOf(found->second[static_cast<size_t>(i)]) : nullptr;
    });
}

char const* const* OnnxParser::getUsedVCPluginLibraries(int64_t& nbPluginLibs) const noexcept {
    nbPluginLibs = 0;
    return guarded(reporter_, "getUsedVCPluginLibraries", [&] {
        libraries_.clear();
        auto const& ofPlugins = plugins_.libraries();
        for (std::string const& library : ofPlugins) libraries_.push_back(library.c_str());
        for (std::string const& library : importers_.libraries()) {
            if (std::ranges::count(ofPlugins, library) == 0) libraries_.push_back(library.c_str());
        }
        nbPluginLibs = static_cast<int64_t>(libraries_.size());
        return libraries_.data();
    });
}

// ---- a model with separate weights

bool OnnxParser::loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath) noexcept {
    return guarded(reporter_, "loadModelProto",
                   [&] { return parts_.load(serializedOnnxModel, serializedOnnxModelSize, modelPath), true; });
}

bool OnnxParser::loadInitializer(char const* name, void const* data, size_t size) noexcept {
    return guarded(reporter_, "loadInitializer", [&] { return parts_.loadInitializer(name, data, size), true; });
}

bool OnnxParser::parseModelProto() noexcept {
    return parseWith("IParser::parseModelProto", [&] { return parts_.parse(network().graph(), options(nullptr)); });
}

/// Each constant once for each layer whose weights it contains; alone if it contains none.
int32_t OnnxParser::getRefitMap_(char const** weightNames, char const** layerNames, api::WeightsRole* roles) noexcept {
    return guarded(reporter_, "IParser::getRefitMap", [&] {
        std::vector<api::WeightsRole> found;
        refitNames_.clear();
        forEachWeights(network().graph(), [&](Node const& constant, std::vector<WeightsPlace> const& places) {
            for (WeightsPlace const& place : places) {
                if (place.role == api::WeightsRole::kCONSTANT && places.size() > 1) continue;
                refitNames_.insert(refitNames_.end(), {constant.name, place.layer});
                found.push_back(place.role);
            }
        });
        for (size_t i = 0; i < found.size(); ++i) {
            if (weightNames) weightNames[i] = refitNames_[2 * i].c_str();
            if (layerNames) layerNames[i] = refitNames_[2 * i + 1].c_str();
            if (roles) roles[i] = found[i];
        }
        return static_cast<int32_t>(found.size());
    });
}

bool OnnxParser::setBuilderConfig(api::IBuilderConfig const*) noexcept { return true; } // nothing depends on it

} // namespace tenon::trt

using tenon::trt::guarded;
using tenon::trt::Reporter;

extern "C" void* createNvOnnxParser_INTERNAL(void* network, void* logger, int) noexcept {
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    return guarded(Reporter(user), "createParser", [&]() -> void* {
        if (network == nullptr || user == nullptr)
            tenon::fail(tenon::ErrorCode::InvalidArgument, network ? "logger" : "network", " is null");
        auto& face = static_cast<tenon::trt::Network&>(*static_cast<nvinfer1::INetworkDefinition*>(network));
        Reporter reporter(user);
        reporter.setRecorder(face.getErrorRecorder());
        nvonnxparser::IParser* const parser = std::make_unique<tenon::trt::OnnxParser>(face, reporter).release();
        return parser;
    });
}

extern "C" int getNvOnnxParserVersion() noexcept { return NV_ONNX_PARSER_VERSION; }
