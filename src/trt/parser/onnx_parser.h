// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvOnnxParser.h"
#include "onnx/parse.h"
#include "trt/network/network.h"
#include "trt/parser/model_parts.h"
#include "trt/parser/parser_error.h"
#include "trt/parser/registered_importers.h"
#include "trt/parser/registered_nodes.h"
#include "trt/plugin/registry_face.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon::trt {

/// nvonnxparser::IParser over the parser of the core.
class OnnxParser final : public nvonnxparser::IParser {
public:
    OnnxParser(Network& network, Reporter const& reporter);

    bool parse(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
               char const* modelPath) noexcept override;
    bool parseFromFile(char const* onnxModelFile, int verbosity) noexcept override;
    bool parseWithWeightDescriptors(void const* serializedOnnxModel, size_t serializedOnnxModelSize) noexcept override;
    bool supportsModel(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                       SubGraphCollection_t& subGraphCollection, char const* modelPath) noexcept override;
    bool supportsOperator(char const* opName) const noexcept override;
    int getNbErrors() const noexcept override { return errors_.count(); }
    nvonnxparser::IParserError const* getError(int index) const noexcept override { return errors_.at(index); }
    void clearErrors() noexcept override { errors_.clear(); }
    char const* const* getUsedVCPluginLibraries(int64_t& nbPluginLibs) const noexcept override;
    void setFlags(nvonnxparser::OnnxParserFlags onnxParserFlags) noexcept override { flags_ = onnxParserFlags; }
    nvonnxparser::OnnxParserFlags getFlags() const noexcept override { return flags_; }
    void clearFlag(nvonnxparser::OnnxParserFlag flag) noexcept override { flags_ &= ~bit(flag); }
    void setFlag(nvonnxparser::OnnxParserFlag flag) noexcept override { flags_ |= bit(flag); }
    bool getFlag(nvonnxparser::OnnxParserFlag flag) const noexcept override { return (flags_ & bit(flag)) != 0; }
    api::ITensor const* getLayerOutputTensor(char const* name, int64_t i) noexcept override;
    bool supportsModelV2(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                         char const* modelPath) noexcept override;
    int64_t getNbSubgraphs() noexcept override { return static_cast<int64_t>(groups_.size()); }
    bool isSubgraphSupported(int64_t index) noexcept override;
    int64_t* getSubgraphNodes(int64_t index, int64_t& subgraphLength) noexcept override;
    bool loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                        char const* modelPath) noexcept override;
    bool loadInitializer(char const* name, void const* data, size_t size) noexcept override;
    bool parseModelProto() noexcept override;
    bool setBuilderConfig(api::IBuilderConfig const* builderConfig) noexcept override;
    void setRefitObserver(nvonnxparser::IRefitterObserver* observer) noexcept override { observer_ = observer; }

protected:
    int32_t getRefitMap_(char const** weightNames, char const** layerNames, api::WeightsRole* roles) noexcept override;
    bool parseWithWeights_(void const* serializedOnnxModel, size_t serializedOnnxModelSize, uint32_t weightCount,
                           void const* weightDescriptors) noexcept override;

private:
    struct Group {
        std::vector<int64_t> nodes;
        bool supported;
    };

    static uint32_t bit(nvonnxparser::OnnxParserFlag flag) { return 1U << static_cast<uint32_t>(flag); }
    onnx::ParseOptions options(char const* modelPath);
    /// Reads with `read` into the network; its errors are stored and logged.
    template <class Read> bool parseWith(char const* method, Read&& read) noexcept;
    /// Reads into a separate graph, and divides the model where it fails.
    void cutIntoGroups(void const* model, size_t size, char const* modelPath);
    Group& groupAt(int64_t index);

    /// Throws an Error if the application has deleted it.
    Network& network() const;

    Link<Network> network_;
    std::shared_ptr<OwnRegistry> registry_;
    Reporter reporter_;
    RegisteredNodes plugins_;
    RegisteredImporters importers_;
    nvonnxparser::OnnxParserFlags flags_ = 1; // kNATIVE_INSTANCENORM: always so
    ParserErrors errors_{reporter_};
    std::map<std::string, std::vector<Tensor*>, std::less<>> outputs_; // by name of the node
    std::vector<Group> groups_;
    mutable std::vector<char const*> libraries_;
    ModelParts parts_;
    std::vector<std::string> refitNames_; // referenced by getRefitMap()
    nvonnxparser::IRefitterObserver* observer_ = nullptr;
};

} // namespace tenon::trt
