// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Reads ONNX models into networks.
#ifndef NV_ONNX_PARSER_H
#define NV_ONNX_PARSER_H

#include "NvInfer.h"
#include "tenon/api/refuse.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#define NV_ONNX_PARSER_MAJOR 0
#if TENON_LEVEL >= 11
#define NV_ONNX_PARSER_MINOR 2
#else
#define NV_ONNX_PARSER_MINOR 1
#endif
#define NV_ONNX_PARSER_PATCH 0
#define NV_ONNX_PARSER_VERSION ((NV_ONNX_PARSER_MAJOR * 10000) + (NV_ONNX_PARSER_MINOR * 100) + NV_ONNX_PARSER_PATCH)

/// Nodes that can be read, by index, and whether they were read as a model of their own: see isSubgraphSupported().
typedef std::pair<std::vector<std::size_t>, bool> SubGraph_t;
/// A model cut at the nodes that cannot be read, which are in no part. The parts are in an order in which they can run;
/// no way from a node of a part to another of it leads through other nodes.
typedef std::vector<SubGraph_t> SubGraphCollection_t;

#if TENON_LEVEL <= 7
class onnxTensorDescriptorV1; // of the ONNX interface for inference
#endif

namespace nvonnxparser {

/// What kind of error a model has.
enum class ErrorCode : int {
    kSUCCESS = 0,                  ///< No error.
    kINTERNAL_ERROR = 1,           ///< A fault of the parser's own.
    kMEM_ALLOC_FAILED = 2,         ///< Not enough memory.
    kMODEL_DESERIALIZE_FAILED = 3, ///< The file is not a model, or is damaged.
    kINVALID_VALUE = 4,            ///< An argument or attribute that the standard does not allow.
    kINVALID_GRAPH = 5,            ///< The graph does not hang together.
    kINVALID_NODE = 6,             ///< A node that the standard does not allow.
    kUNSUPPORTED_GRAPH = 7,        ///< A graph that the standard allows and that cannot be read here.
    kUNSUPPORTED_NODE = 8,         ///< Neither an importer nor a plugin for the operator.
#if TENON_LEVEL >= 8
    kUNSUPPORTED_NODE_ATTR = 9, ///< The operator, but not with this attribute.
    kUNSUPPORTED_NODE_INPUT = 10,
    kUNSUPPORTED_NODE_DATATYPE = 11,
    kUNSUPPORTED_NODE_DYNAMIC = 12, ///< Not with a shape that is open.
    kUNSUPPORTED_NODE_SHAPE = 13,
#endif
#if TENON_LEVEL >= 10
    kREFIT_FAILED = 14, ///< Weights that could not be exchanged; no parser here says so.
#endif
};

/// How to read a model.
enum class TENON_FROM_8(OnnxParserFlag) : int32_t {
    kNATIVE_INSTANCENORM = 0, ///< InstanceNormalization becomes a layer (always so), not a plugin.
#if TENON_LEVEL >= 10
    kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA = 1, ///< Without effect: there is no DLA.
    kREPORT_CAPABILITY_DLA = 2,                        ///< Without effect: there is no DLA.
    kENABLE_PLUGIN_OVERRIDE = 3, ///< A registered plugin goes before the importers of the same operator.
    kADJUST_FOR_DLA = 4,         ///< Without effect: there is no DLA.
#endif
};
using TENON_FROM_8(OnnxParserFlags) = uint32_t; ///< One bit for each OnnxParserFlag.

/// What is wrong with a model, and where. Owned by the parser; valid until its next parse or clearErrors.
class IParserError {
public:
    /// The kind of error; desc() says more.
    virtual ErrorCode code() const = 0;
    /// The whole message: what was found, what was expected, what to do.
    virtual char const* desc() const = 0;
    /// The source file of the importer that found it, for those who look into the parser.
    virtual char const* file() const = 0;
    /// The line in file().
    virtual int line() const = 0;
    /// The function in file().
    virtual char const* func() const = 0;
    /// Index of the node in its graph; -1 where the error has no node.
    virtual int node() const = 0;
    /// The name of the node; empty where it has none, or the error has no node.
    virtual char const* TENON_FROM_8(nodeName)() const = 0;
    /// The operator of the node; empty where the error has no node.
    virtual char const* TENON_FROM_8(nodeOperator)() const = 0;
    /// The model functions that the node is in, outermost first; localFunctionStackSize() of them.
    virtual char const* const* TENON_FROM_10(localFunctionStack)() const = 0;
    /// 0 for a node of the main graph.
    virtual int32_t TENON_FROM_10(localFunctionStackSize)() const = 0;

protected:
    virtual ~IParserError() = default;
};

/// How weights that an engine may be refitted with come from an ONNX model.
enum class TENON_FROM_11(RefitTransformKind) : int32_t {
    kIDENTITY = 0,              ///< The elements of one initializer.
    kDOUBLE_TO_FLOAT = 1,       ///< The elements of one initializer of DOUBLE, converted to FLOAT.
    kBATCH_NORM_FOLD_SCALE = 2, ///< scale / sqrt(variance + epsilon), of scale, bias, mean and variance.
    kBATCH_NORM_FOLD_BIAS = 3,  ///< bias - mean * scale / sqrt(variance + epsilon), of the same four.
    kCONSTANT_NODE = 4,         ///< The value of a Constant node: RefitRecord::fixedData.
    kCONSTANT_OF_SHAPE = 5,     ///< The value of a ConstantOfShape node: RefitRecord::fixedData.
};

/// How one weight of the engine comes from the model. Pointers are valid during onRefittableWeight() only.
struct TENON_FROM_11(RefitRecord) {
    char const* trtName;                    ///< The name for IRefitter::setNamedWeights(); never null.
    TENON_FROM_11(RefitTransformKind) kind; ///< What makes the elements from the sources.
    int32_t onnxDtype;                      ///< TensorProto.DataType of the sources, or of fixedData.
    nvinfer1::DataType trtDtype;            ///< The type that setNamedWeights() expects.
    int64_t count;                          ///< The number of elements.
    int32_t nbSources;                      ///< Entries of sourceOnnxNames; at most 4.
    char const* const* sourceOnnxNames;     ///< Initializers; of the kinds kCONSTANT_… the output of the node.
    float epsilon;                          ///< Of the kinds kBATCH_NORM_FOLD_…; else 0.
    void const* fixedData;                  ///< The elements, of type onnxDtype, of the kinds kCONSTANT_….
    std::size_t fixedDataSize;              ///< Bytes at fixedData; 0 where that is null.
};

/// Receives one record per weight, from which a program can refit later by IRefitter::setNamedWeights() alone, without
/// the model. Not owned; called on the thread that parses or refits. It must not call the parser or the refitter.
class TENON_FROM_11(IRefitterObserver) {
public:
    virtual ~TENON_FROM_11(IRefitterObserver)() = default;

    /// Called once for each weight, in the order of the model's nodes.
    virtual void onRefittableWeight(TENON_FROM_11(RefitRecord) const& record) = 0;
};

/// Reads one ONNX model into one network. Made by `createParser()`; the program deletes it, before or after the
/// network: weights that were read are the network's. One thread at a time.
///
/// An operator for which nobody has registered an importer (tenon/onnx.h), and that has none here, is looked up in the
/// plugin registry, by its type, with the attributes `plugin_version`
/// ("1" unless given) and `plugin_namespace` ("" unless given).
class IParser {
public:
    virtual ~IParser() = default;

#if TENON_LEVEL < 10
    /// As `delete`.
    void destroy() noexcept { delete this; }
#endif

    /// Reads a model from memory, which may be freed afterwards.
    /// \param modelPath where external data is looked for; null: there is none
    /// \return false on error: see getError
    virtual bool parse(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                       char const* modelPath = nullptr) noexcept = 0;
    /// Reads a model, and external data beside it. \param verbosity without effect: the logger decides
    virtual bool parseFromFile(char const* onnxModelFile, int verbosity) noexcept = 0;
    /// parse() without external data. Weights apart from the model are given by loadInitializer(). Ended with level 10.
    virtual bool TENON_UNTIL_10(parseWithWeightDescriptors)(void const* serializedOnnxModel,
                                                            std::size_t serializedOnnxModelSize) noexcept = 0;

#if TENON_LEVEL <= 7
    /// Whether parse() would succeed, as programs of 5.1 and 6.0 ask.
    bool supportsModel(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize) noexcept {
        SubGraphCollection_t parts;
        return supportsModel(serializedOnnxModel, serializedOnnxModelSize, parts);
    }
    /// parse() with `weightCount` weights in place of the model's inputs or initializers of these names: structures as
    /// onnxifi.h has them, of host memory. Their values are copied.
    bool parseWithWeightDescriptors(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                    uint32_t weightCount, onnxTensorDescriptorV1 const* weightDescriptors) noexcept {
        return parseWithWeights_(serializedOnnxModel, serializedOnnxModelSize, weightCount, weightDescriptors);
    }
    /// Weights of the model, by their names in it, and the layer and role by which a refitter knows them. Fills each
    /// array that is not null. The names are valid until the next call. \return how many there are
    int32_t getRefitMap(char const** weightNames, char const** layerNames, nvinfer1::WeightsRole* roles) noexcept {
        return getRefitMap_(weightNames, layerNames, roles);
    }
#endif

    /// Whether parse() would succeed; the network stays as it is. Errors are kept as parse() keeps them.
    /// \param subGraphCollection what can be read, behind what it holds already
    virtual bool TENON_UNTIL_10(supportsModel)(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                               SubGraphCollection_t& subGraphCollection,
                                               char const* modelPath = nullptr) noexcept = 0;
    /// Whether there is an importer for the operator, in some version; those of tenon/onnx.h count, in every domain.
    /// Plugins do not.
    virtual bool supportsOperator(char const* opName) const noexcept = 0;
    /// How many errors the last parse or question about support found; 0 where it succeeded.
    virtual int getNbErrors() const noexcept = 0;
    /// Null where `index` is out of range.
    virtual IParserError const* getError(int index) const noexcept = 0;
    /// Forgets all errors; what getError() returned is gone then. Each parse begins with it.
    virtual void clearErrors() noexcept = 0;

    /// The files of the plugin libraries that made nodes of the models read so far, as plugins or by importers of
    /// tenon/onnx.h (of which an engine needs nothing), for IBuilderConfig::setPluginsToSerialize(). Valid until the
    /// next call. \param nbPluginLibs how many are returned
    virtual char const* const* TENON_FROM_8(getUsedVCPluginLibraries)(int64_t& nbPluginLibs) const noexcept = 0;
    /// Sets all flags at once. Only kENABLE_PLUGIN_OVERRIDE has an effect.
    virtual void TENON_FROM_8(setFlags)(TENON_FROM_8(OnnxParserFlags) onnxParserFlags) noexcept = 0;
    /// What is set; kNATIVE_INSTANCENORM at first.
    virtual TENON_FROM_8(OnnxParserFlags) TENON_FROM_8(getFlags)() const noexcept = 0;
    /// Takes back setFlag().
    virtual void TENON_FROM_8(clearFlag)(TENON_FROM_8(OnnxParserFlag) onnxParserFlag) noexcept = 0;
    /// Adds one flag.
    virtual void TENON_FROM_8(setFlag)(TENON_FROM_8(OnnxParserFlag) onnxParserFlag) noexcept = 0;
    /// Whether the flag is set.
    virtual bool TENON_FROM_8(getFlag)(TENON_FROM_8(OnnxParserFlag) onnxParserFlag) const noexcept = 0;

    /// The tensor of the network that output `i` of the node `name` became; null where there is none.
    virtual nvinfer1::ITensor const* TENON_FROM_10(getLayerOutputTensor)(char const* name, int64_t i) noexcept = 0;

    /// supportsModel(), with the parts kept in the parser: the methods below tell of them until the next question.
    virtual bool TENON_FROM_10(supportsModelV2)(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                                char const* modelPath = nullptr) noexcept = 0;
    /// How many parts the model was cut into by supportsModelV2() or supportsModel(); one where all of it can be read.
    virtual int64_t TENON_FROM_10(getNbSubgraphs)() noexcept = 0;
    /// Whether the part was read as a model of its own, or is the whole model. False where the type or the shape of a
    /// tensor that it reads is not known, since a node that cannot be read makes that and the model does not say it
    /// (value_info); and where `index` is out of range.
    virtual bool TENON_FROM_10(isSubgraphSupported)(int64_t const index) noexcept = 0;
    /// Indices of nodes; `subgraphLength` of them. Null where `index` is out of range.
    virtual int64_t* TENON_FROM_10(getSubgraphNodes)(int64_t const index, int64_t& subgraphLength) noexcept = 0;

    /// Keeps a copy of a model whose weights are apart; give them with loadInitializer(), then call parseModelProto().
    /// \param modelPath as in parse() \return false where the model is null
    virtual bool TENON_FROM_10(loadModelProto)(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                               char const* modelPath = nullptr) noexcept = 0;
    /// Values of an initializer; false: the model has none of this name. Not copied: keep them until it is built.
    virtual bool TENON_FROM_10(loadInitializer)(char const* name, void const* data, std::size_t size) noexcept = 0;
    /// Reads the model that loadModelProto() was given, with those initializers in the place of its own. \return as
    /// parse()
    virtual bool TENON_FROM_10(parseModelProto)() noexcept = 0;
    /// The configuration that the network will be built with. Null: none. Without effect: nothing that is read depends
    /// on it. \return true
    virtual bool TENON_FROM_10(setBuilderConfig)(nvinfer1::IBuilderConfig const* const builderConfig) noexcept = 0;

protected:
    virtual int32_t getRefitMap_(char const** weightNames, char const** layerNames,
                                 nvinfer1::WeightsRole* roles) noexcept = 0;
    virtual bool parseWithWeights_(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                   uint32_t weightCount, void const* weightDescriptors) noexcept = 0;

public:
    /// Reports the weights of the models that are parsed from now on, by the names that they have in the network. An
    /// engine may have fewer: its IRefitter::getAllWeights() lists them. The records count if the parse succeeds.
    /// \param observer null: none; it outlives the parse
    virtual void TENON_FROM_11(setRefitObserver)(TENON_FROM_11(IRefitterObserver) * observer) noexcept = 0;
};

/// Gives a refitter the weights of another version of the model that its engine was built from. They are found by their
/// names: those that the model's initializers have, and those that importers gave to constants which they computed.
/// Weights that the model does not have stay as they are. The program then calls IRefitter::refitCudaEngine(). Made by
/// `createParserRefitter()`; the program deletes it, before the refitter. One thread at a time.
class TENON_FROM_10(IParserRefitter) {
public:
    virtual ~TENON_FROM_10(IParserRefitter)() = default;

    /// Takes the weights of a model in memory, which may be freed afterwards. \param modelPath where external data is
    /// looked for \return false on error: the model cannot be read, has none of the engine's weights, or some of
    /// another type or shape
    virtual bool refitFromBytes(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;
    /// Takes the weights of a model file, and of external data beside it. \return false on error
    virtual bool refitFromFile(char const* onnxModelFile) noexcept = 0;
    /// How many errors the last call found.
    virtual int32_t getNbErrors() const noexcept = 0;
    /// Null where `index` is out of range. Owned by the object.
    virtual IParserError const* getError(int32_t index) const noexcept = 0;
    /// Forgets all errors.
    virtual void clearErrors() = 0;
    /// As IParser::loadModelProto().
    virtual bool loadModelProto(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;
    /// As IParser::loadInitializer().
    virtual bool loadInitializer(char const* name, void const* data, std::size_t size) noexcept = 0;
    /// Takes the weights that loadInitializer() was given. \return false on error
    virtual bool refitModelProto() noexcept = 0;
    /// Reports the weights that refits give to the refitter from now on, one record each.
    /// \param observer null: none; it outlives the refit
    virtual void TENON_FROM_11(setRefitObserver)(TENON_FROM_11(IRefitterObserver) * observer) noexcept = 0;
};

} // namespace nvonnxparser

namespace nvinfer1 {
namespace impl {
template <> struct EnumMaxImpl<nvonnxparser::TENON_FROM_8(OnnxParserFlag)> {
#if TENON_LEVEL >= 10
    static constexpr int32_t kVALUE = tenonAbi::countOf(nvonnxparser::OnnxParserFlag::kADJUST_FOR_DLA);
#else
    static constexpr int32_t kVALUE =
        tenonAbi::countOf(nvonnxparser::TENON_FROM_8(OnnxParserFlag)::kNATIVE_INSTANCENORM);
#endif
};
} // namespace impl
} // namespace nvinfer1

/// The functions behind createParser() and createParserRefitter(): `version` is NV_ONNX_PARSER_VERSION of the caller's
/// headers.
TENON_C_FUNCTION void* createNvOnnxParser_INTERNAL(void* network, void* logger, int version) noexcept;
TENON_C_FUNCTION void* createNvOnnxParserRefitter_INTERNAL(void* refitter, void* logger, int32_t version) noexcept;
/// NV_ONNX_PARSER_VERSION of the library, for the level of the caller's headers.
#if TENON_LEVEL >= 11
TENON_C_FUNCTION int getNvOnnxParserVersion() noexcept __asm__("tenonGetNvOnnxParserVersion11");
#else
TENON_C_FUNCTION int getNvOnnxParserVersion() noexcept;
#endif

namespace nvonnxparser {

/// How many enumerators of `T` the level has.
template <typename T> TENON_LEVELED constexpr int32_t EnumMax() noexcept;
#if TENON_LEVEL >= 10
template <> TENON_LEVELED constexpr int32_t EnumMax<ErrorCode>() noexcept { return 15; }
#elif TENON_LEVEL >= 8
template <> TENON_LEVELED constexpr int32_t EnumMax<ErrorCode>() noexcept { return 14; }
#else
template <> TENON_LEVELED constexpr int32_t EnumMax<ErrorCode>() noexcept { return 9; }
#endif
template <> TENON_LEVELED constexpr int32_t EnumMax<TENON_FROM_8(OnnxParserFlag)>() noexcept {
    return nvinfer1::EnumMax<TENON_FROM_8(OnnxParserFlag)>();
}
#if TENON_LEVEL >= 11
/// The largest number of an enumerator: unlike for other enums, it is not their count.
template <> TENON_LEVELED constexpr int32_t EnumMax<RefitTransformKind>() noexcept { return 5; }
#endif

/// A parser that reads into `network` and logs to `logger`. Null on error.
TENON_LEVELED inline IParser* createParser(nvinfer1::INetworkDefinition& network, nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParser*>(createNvOnnxParser_INTERNAL(&network, &logger, NV_ONNX_PARSER_VERSION));
}

#if TENON_LEVEL >= 10
/// A parser that reads weights for `refitter`. Null on error.
TENON_LEVELED inline IParserRefitter* createParserRefitter(nvinfer1::IRefitter& refitter,
                                                           nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParserRefitter*>(
        createNvOnnxParserRefitter_INTERNAL(&refitter, &logger, NV_ONNX_PARSER_VERSION));
}
#endif

} // namespace nvonnxparser

#endif // NV_ONNX_PARSER_H
