// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/onnx_refitter.h"

#include "trt/edge/convert.h"
#include "trt/parser/refit_records.h"
#include "trt/parser/registered_importers.h"
#include "trt/parser/registered_nodes.h"

#include <algorithm>
#include <cstring>

namespace tenon::trt {

namespace {

/// The weights of a model, by their names for a refitter.
std::map<std::string, Literal> weightsOf(Graph const& model) {
    std::map<std::string, Literal> values;
    for (auto const& [node, name] : nameConstants(model, byModel)) values.emplace(name, *node->layer->constant());
    return values;
}

/// The extents that determine the order of elements. An application that sets weights itself often passes them as a
/// list.
std::vector<int64_t> extentsOf(Dims const& dims) {
    std::vector<int64_t> extents(dims.begin(), dims.end());
    std::erase(extents, 1);
    return extents;
}

void expectShape(RefitWeights const& weights, Dims const& given) {
    auto const has = extentsOf(weights.value.dims());
    auto const found = extentsOf(given);
    if (has.size() > 1 && found.size() > 1 && has != found)
        fail(ErrorCode::InvalidArgument, "weights ", weights.name, " have shape ", weights.value.dims(),
             "; found the same number of shape ", given);
}

/// Parsers may store integers in another width.
bool isSame(Literal const& a, Literal const& b) {
    if (a.dims().volume() != b.dims().volume()) return false;
    if (a.type() == b.type()) return a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0;
    return !isFloat(a.type()) && !isFloat(b.type()) && a.toInt64() == b.toInt64();
}

} // namespace

/// All of them or none.
void OnnxRefitter::take(std::map<std::string, Literal> const& values) {
    for (auto const& [name, value] : refitter_.decided()) {
        auto const found = values.find(name);
        if (found != values.end() && !isSame(found->second, value))
            fail(ErrorCode::InvalidModel, "weights ", name,
                 " of the model differ from those of the build, and they determine how the engine computes; build the "
                 "engine again from this model");
    }
    std::vector<std::string> missing;
    for (RefitWeights const& weights : refitter_.all()) {
        auto const found = values.find(weights.name);
        if (found == values.end()) {
            missing.push_back(weights.name);
            continue;
        }
        refitter_.expectFits(weights.name, toApi(&found->second));
        expectShape(weights, found->second.dims());
    }
    if (!missing.empty() && missing.size() == refitter_.all().size())
        fail(ErrorCode::InvalidModel, "the model has none of the engine's ", missing.size(),
             " weights; expected a version of the model that it was built from");
    for (RefitWeights const& weights : refitter_.all()) {
        if (auto const found = values.find(weights.name); found != values.end())
            refitter_.set(weights.name, found->second);
    }
    if (!missing.empty())
        reporter_.warning(text("the model lacks ", missing.size(), " of the engine's weights, which are unchanged, ",
                               missing.front(), " among them"));
}

/// Errors of nodes are kept if weights are missing, which these may contain.
void OnnxRefitter::takeReadPart(std::map<std::string, Literal> const& values, onnx::ParseResult& result) {
    bool const isOfNodes = std::ranges::all_of(result.errors, [](auto const& error) { return error.node >= 0; });
    bool const hasAll =
        std::ranges::all_of(refitter_.all(), [&](auto const& one) { return values.contains(one.name); });
    if (!isOfNodes || !hasAll) return;
    take(values);
    for (onnx::ParseError const& error : result.errors)
        reporter_.warning(text(error.text, " (all weights of the engine were found without this node)"));
    result.errors.clear();
}

/// Of the weights that the engine has.
void OnnxRefitter::report(Graph const& model, onnx::ParseResult const& result) const {
    reportWeights(model, result, *observer_, [&](std::string const& name) {
        return std::ranges::find(refitter_.all(), name, &RefitWeights::name) != refitter_.all().end();
    });
}

namespace {

/// Creates networks if there is none that the model is read into.
class OwnBuilder {
public:
    explicit OwnBuilder(nvinfer1::ILogger* logger) : logger_(logger) {}

    Network const& network() {
        if (!builder_) builder_.reset(nvinfer1::createInferBuilder(*logger_));
        if (!network_ && builder_) network_.reset(builder_->createNetworkV2(0));
        if (!network_) fail(ErrorCode::Internal, "there is no network for an importer to add layers to");
        return static_cast<Network const&>(*network_);
    }

private:
    nvinfer1::ILogger* logger_;
    std::unique_ptr<nvinfer1::IBuilder> builder_;
    std::unique_ptr<nvinfer1::INetworkDefinition> network_;
};

} // namespace

template <class Read> bool OnnxRefitter::refitWith(char const* method, Read&& read) noexcept {
    return guarded(reporter_, method, [&] {
        auto const registry = refitter_.plugins();
        RegisteredNodes plugins(registry ? *registry : PluginRegistry::global());
        onnx::ParseOptions options;
        options.customNodes = &plugins;
        options.pluginsFirst = std::ranges::any_of(refitter_.pluginNames(), onnx::hasImporter); // as it was built
        options.keepsInitializers = true;
        OwnBuilder builder(reporter_.logger());
        RegisteredImporters importers([&](Reporter const& to) { return builder.network().another(to); },
                                      reporter_.logger(), false);
        options.userImporters = &importers;
        options.log = reporter_.log();
        errors_.attempt(method, [&] {
            Graph model;
            onnx::ParseResult result = read(model, options);
            auto const values = weightsOf(model);
            if (result)
                take(values);
            else
                takeReadPart(values, result);
            if (observer_ && result.errors.empty()) report(model, result);
            return result;
        });
        return errors_.count() == 0;
    });
}

bool OnnxRefitter::refitFromBytes(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                  char const* modelPath) noexcept {
    return refitWith("IParserRefitter::refitFromBytes", [&](Graph& model, onnx::ParseOptions& options) {
        options.path = modelPath ? modelPath : "";
        return onnx::parse(modelBytes(serializedOnnxModel, serializedOnnxModelSize), model, options);
    });
}

bool OnnxRefitter::refitFromFile(char const* onnxModelFile) noexcept {
    return refitWith("IParserRefitter::refitFromFile", [&](Graph& model, onnx::ParseOptions& options) {
        options.path = expectText(onnxModelFile, "onnxModelFile");
        return onnx::parseFile(model, options);
    });
}

bool OnnxRefitter::loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                  char const* modelPath) noexcept {
    return guarded(reporter_, "IParserRefitter::loadModelProto",
                   [&] { return parts_.load(serializedOnnxModel, serializedOnnxModelSize, modelPath), true; });
}

bool OnnxRefitter::loadInitializer(char const* name, void const* data, size_t size) noexcept {
    return guarded(reporter_, "IParserRefitter::loadInitializer",
                   [&] { return parts_.loadInitializer(name, data, size), true; });
}

bool OnnxRefitter::refitModelProto() noexcept {
    return refitWith("IParserRefitter::refitModelProto",
                     [&](Graph& model, onnx::ParseOptions& options) { return parts_.parse(model, options); });
}

} // namespace tenon::trt

extern "C" void* createNvOnnxParserRefitter_INTERNAL(void* refitter, void* logger, int32_t) noexcept {
    using namespace tenon::trt;
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    return guarded(Reporter(user), "createParserRefitter", [&]() -> void* {
        if (refitter == nullptr || user == nullptr)
            tenon::fail(tenon::ErrorCode::InvalidArgument, refitter ? "logger" : "refitter", " is null");
        auto& ours = static_cast<Refitter&>(*static_cast<nvinfer1::IRefitter*>(refitter));
        Reporter reporter(user);
        reporter.setRecorder(ours.getErrorRecorder());
        nvonnxparser::IParserRefitter* const parser = std::make_unique<OnnxRefitter>(ours, reporter).release();
        return parser;
    });
}
