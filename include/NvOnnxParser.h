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

/// The category of an error of a parser; IParserError::code().
enum class ErrorCode : int {
    kSUCCESS = 0,                  ///< No error.
    kINTERNAL_ERROR = 1,           ///< A defect of the parser.
    kMEM_ALLOC_FAILED = 2,         ///< Out of memory.
    kMODEL_DESERIALIZE_FAILED = 3, ///< The file is not a model or is damaged.
    kINVALID_VALUE = 4,            ///< An argument or attribute that the ONNX standard does not allow.
    kINVALID_GRAPH = 5,            ///< A graph that the ONNX standard does not allow.
    kINVALID_NODE = 6,             ///< A node that the ONNX standard does not allow.
    kUNSUPPORTED_GRAPH = 7,        ///< A valid graph that is not supported.
    kUNSUPPORTED_NODE = 8,         ///< An operator without importer and plugin.
#if TENON_LEVEL >= 8
    kUNSUPPORTED_NODE_ATTR = 9,      ///< An operator with an attribute that is not supported.
    kUNSUPPORTED_NODE_INPUT = 10,    ///< An operator with an input that is not supported.
    kUNSUPPORTED_NODE_DATATYPE = 11, ///< An operator with a type that is not supported.
    kUNSUPPORTED_NODE_DYNAMIC = 12,  ///< An operator with an unknown extent where it is not supported.
    kUNSUPPORTED_NODE_SHAPE = 13,    ///< An operator with a shape that is not supported.
#endif
#if TENON_LEVEL >= 10
    kREFIT_FAILED = 14, ///< Weights could not be refitted. Not reported.
#endif
};

/// Options of a parser; IParser::setFlag(). Since level 8.
enum class TENON_FROM_8(OnnxParserFlag) : int32_t {
    kNATIVE_INSTANCENORM = 0, ///< Imports InstanceNormalization as a layer, not as a plugin. Always so.
#if TENON_LEVEL >= 10
    kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA = 1, ///< Without effect: there is no DLA.
    kREPORT_CAPABILITY_DLA = 2,                        ///< Without effect: there is no DLA.
    kENABLE_PLUGIN_OVERRIDE = 3, ///< A registered plugin overrides the importers of the operator of its name.
    kADJUST_FOR_DLA = 4,         ///< Without effect: there is no DLA.
#endif
};
using TENON_FROM_8(OnnxParserFlags) = uint32_t; ///< One bit for each OnnxParserFlag.

/// An error of a parser.
///
/// \note Owner: the parser. Valid until its next parse or clearErrors().
class IParserError {
public:
    /// Returns the category of the error.
    virtual ErrorCode code() const = 0;
    /// Returns the message: what was found, what is expected, what to do.
    virtual char const* desc() const = 0;
    /// Returns the source file of the importer that found the error.
    virtual char const* file() const = 0;
    /// Returns the line in file().
    virtual int line() const = 0;
    /// Returns the function in file().
    virtual char const* func() const = 0;
    /// Returns the index of the node in its graph; -1 if the error does not belong to a node.
    virtual int node() const = 0;
    /// Returns the name of the node; "" if it has none, or if the error does not belong to a node. Since level 8.
    virtual char const* TENON_FROM_8(nodeName)() const = 0;
    /// Returns the operator of the node; "" if the error does not belong to a node. Since level 8.
    virtual char const* TENON_FROM_8(nodeOperator)() const = 0;
    /// Returns the model functions that contain the node, outermost first; localFunctionStackSize() names. Since level
    /// 10.
    virtual char const* const* TENON_FROM_10(localFunctionStack)() const = 0;
    /// Returns the number of model functions that contain the node; 0 in the main graph. Since level 10.
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

/// Imports an ONNX model into a network. createParser() makes it.
///
/// An operator is looked up among the importers of tenon/onnx.h, then among those of the library, then in the plugin
/// registry by its name, with the attributes `plugin_version` ("1" unless given) and `plugin_namespace` ("" unless
/// given).
///
/// \note Owner: the application deletes it, before or after the network: weights that were read belong to the network.
/// \note Thread: one at a time.
class IParser {
public:
    virtual ~IParser() = default;

#if TENON_LEVEL < 10
    /// Deletes the parser, as `delete` does. Up to level 8.
    void destroy() noexcept { delete this; }
#endif

    /// Imports a model from memory, which may be freed afterwards.
    /// \param serializedOnnxModel serializedOnnxModelSize bytes: the model in Protobuf's binary or text format
    /// \param modelPath the file of the model, next to which external data is looked for; null: there is none
    /// \return false on error; see getError()
    virtual bool parse(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                       char const* modelPath = nullptr) noexcept = 0;
    /// Imports a model file, and external data next to it.
    /// \param verbosity ignored: the logger filters
    /// \return false on error; see getError()
    virtual bool parseFromFile(char const* onnxModelFile, int verbosity) noexcept = 0;
    /// Imports a model from memory without external data. loadInitializer() provides weights that the model lacks. Up
    /// to level 10.
    /// \return false on error; see getError()
    virtual bool TENON_UNTIL_10(parseWithWeightDescriptors)(void const* serializedOnnxModel,
                                                            std::size_t serializedOnnxModelSize) noexcept = 0;

#if TENON_LEVEL <= 7
    /// Returns whether parse() would succeed, with the arguments of API 5.1 and 6.0. Level 7 only.
    bool supportsModel(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize) noexcept {
        SubGraphCollection_t parts;
        return supportsModel(serializedOnnxModel, serializedOnnxModelSize, parts);
    }
    /// Imports a model with weights in place of inputs or initializers of the same names. Level 7 only.
    /// \param weightDescriptors weightCount structures of onnxifi.h, in host memory; the values are copied
    bool parseWithWeightDescriptors(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                    uint32_t weightCount, onnxTensorDescriptorV1 const* weightDescriptors) noexcept {
        return parseWithWeights_(serializedOnnxModel, serializedOnnxModelSize, weightCount, weightDescriptors);
    }
    /// Lists the weights of the model by name, layer and role, for an IRefitter. Level 7 only.
    /// \param weightNames, layerNames, roles arrays to fill, or null; names are valid until the next call
    /// \return the number of weights
    int32_t getRefitMap(char const** weightNames, char const** layerNames, nvinfer1::WeightsRole* roles) noexcept {
        return getRefitMap_(weightNames, layerNames, roles);
    }
#endif

    /// Returns whether parse() would succeed. The network stays as it is; errors are stored as by parse(). Up to level
    /// 10.
    /// \param subGraphCollection the supported parts are appended to it
    /// \param modelPath as for parse()
    virtual bool TENON_UNTIL_10(supportsModel)(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                               SubGraphCollection_t& subGraphCollection,
                                               char const* modelPath = nullptr) noexcept = 0;
    /// Returns whether an importer for the operator exists in any version; importers of tenon/onnx.h count in every
    /// domain. Plugins do not count.
    virtual bool supportsOperator(char const* opName) const noexcept = 0;
    /// Returns the number of errors of the last parse or supportsModel(); 0 if it succeeded.
    virtual int getNbErrors() const noexcept = 0;
    /// Returns an error; null if `index` is out of range.
    virtual IParserError const* getError(int index) const noexcept = 0;
    /// Removes all errors. Each parse begins with it.
    virtual void clearErrors() noexcept = 0;

    /// Returns the files of plugin libraries that the parsed models use, as plugins or importers, for
    /// IBuilderConfig::setPluginsToSerialize(). Since level 8.
    /// \param nbPluginLibs receives the number of paths
    /// \return an array, valid until the next call
    virtual char const* const* TENON_FROM_8(getUsedVCPluginLibraries)(int64_t& nbPluginLibs) const noexcept = 0;
    /// Sets all flags: bits that are not in the mask are cleared. Only kENABLE_PLUGIN_OVERRIDE has an effect. Since
    /// level 8.
    virtual void TENON_FROM_8(setFlags)(TENON_FROM_8(OnnxParserFlags) onnxParserFlags) noexcept = 0;
    /// Returns the flags; kNATIVE_INSTANCENORM unless set. Since level 8.
    virtual TENON_FROM_8(OnnxParserFlags) TENON_FROM_8(getFlags)() const noexcept = 0;
    /// Clears one flag. Since level 8.
    virtual void TENON_FROM_8(clearFlag)(TENON_FROM_8(OnnxParserFlag) onnxParserFlag) noexcept = 0;
    /// Sets one flag. Since level 8.
    virtual void TENON_FROM_8(setFlag)(TENON_FROM_8(OnnxParserFlag) onnxParserFlag) noexcept = 0;
    /// Returns whether the flag is set. Since level 8.
    virtual bool TENON_FROM_8(getFlag)(TENON_FROM_8(OnnxParserFlag) onnxParserFlag) const noexcept = 0;

    /// Returns the tensor of the network for output `i` of the node `name`; null if there is none. Since level 10.
    virtual nvinfer1::ITensor const* TENON_FROM_10(getLayerOutputTensor)(char const* name, int64_t i) noexcept = 0;

    /// Returns whether parse() would succeed, and stores the supported parts for the methods below. Since level 10.
    virtual bool TENON_FROM_10(supportsModelV2)(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                                char const* modelPath = nullptr) noexcept = 0;
    /// Returns the number of parts of the model in the last supportsModelV2() or supportsModel(); 1 if all is
    /// supported. Since level 10.
    virtual int64_t TENON_FROM_10(getNbSubgraphs)() noexcept = 0;
    /// Returns whether a part can be imported alone, or is the whole model. False also if type or shape of a tensor
    /// that it reads is unknown because a node that is not supported computes it, and value_info of the model lacks it.
    /// Since level 10.
    /// \return false if `index` is out of range
    virtual bool TENON_FROM_10(isSubgraphSupported)(int64_t const index) noexcept = 0;
    /// Returns the indices of the nodes of a part. Since level 10.
    /// \param subgraphLength receives their number
    /// \return an array owned by the parser; null if `index` is out of range
    virtual int64_t* TENON_FROM_10(getSubgraphNodes)(int64_t const index, int64_t& subgraphLength) noexcept = 0;

    /// Stores a copy of a model whose weights are separate. Call loadInitializer() for these, then parseModelProto().
    /// Since level 10.
    /// \param modelPath as for parse()
    /// \return false if the model is null
    virtual bool TENON_FROM_10(loadModelProto)(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                               char const* modelPath = nullptr) noexcept = 0;
    /// Sets the values of an initializer. Since level 10.
    /// \param data `size` bytes, not copied; keep them valid until the network has been built
    /// \return false if the model has no initializer of this name
    virtual bool TENON_FROM_10(loadInitializer)(char const* name, void const* data, std::size_t size) noexcept = 0;
    /// Imports the model of loadModelProto() with the values of loadInitializer(). Since level 10.
    /// \return as parse()
    virtual bool TENON_FROM_10(parseModelProto)() noexcept = 0;
    /// Accepts the configuration of the build, without effect: the import does not depend on it. Since level 10.
    /// \return true
    virtual bool TENON_FROM_10(setBuilderConfig)(nvinfer1::IBuilderConfig const* const builderConfig) noexcept = 0;

protected:
    virtual int32_t getRefitMap_(char const** weightNames, char const** layerNames,
                                 nvinfer1::WeightsRole* roles) noexcept = 0;
    virtual bool parseWithWeights_(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                   uint32_t weightCount, void const* weightDescriptors) noexcept = 0;

public:
    /// Sets the object that receives the weights of models parsed afterwards, by their names in the network. The engine
    /// may have fewer: see IRefitter::getAllWeights(). The records are valid if the parse succeeds. Since level 11.
    /// \param observer not owned; null removes it
    virtual void TENON_FROM_11(setRefitObserver)(TENON_FROM_11(IRefitterObserver) * observer) noexcept = 0;
};

/// Sets the weights of another version of an ONNX model in a refitter. createParserRefitter() makes it. Since level 10.
///
/// Weights are found by the names of the initializers, and by those that importers gave to computed constants. Weights
/// that the model lacks stay as they are. Call IRefitter::refitCudaEngine() afterwards.
///
/// \note Owner: the application deletes it, before the refitter.
/// \note Thread: one at a time.
class TENON_FROM_10(IParserRefitter) {
public:
    virtual ~TENON_FROM_10(IParserRefitter)() = default;

    /// Sets the weights of a model in memory, which may be freed afterwards.
    /// \param modelPath the file of the model, next to which external data is looked for; null: there is none
    /// \return false if the model cannot be read, or has no weights of the engine or some of another type or shape
    virtual bool refitFromBytes(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;
    /// Sets the weights of a model file, and of external data next to it.
    /// \return false as refitFromBytes()
    virtual bool refitFromFile(char const* onnxModelFile) noexcept = 0;
    /// Returns the number of errors of the last call.
    virtual int32_t getNbErrors() const noexcept = 0;
    /// Returns an error, owned by this object; null if `index` is out of range.
    virtual IParserError const* getError(int32_t index) const noexcept = 0;
    /// Removes all errors.
    virtual void clearErrors() = 0;
    /// Stores a copy of a model whose weights are separate; see IParser::loadModelProto().
    virtual bool loadModelProto(void const* serializedOnnxModel, std::size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;
    /// Sets the values of an initializer; see IParser::loadInitializer().
    virtual bool loadInitializer(char const* name, void const* data, std::size_t size) noexcept = 0;
    /// Sets the weights of loadInitializer().
    /// \return false on error
    virtual bool refitModelProto() noexcept = 0;
    /// Sets the object that receives a record of each weight that refits set afterwards. Since level 11.
    /// \param observer not owned; null removes it
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

/// Creates a parser that imports into a network.
/// \param logger not owned; keep it valid as long as the parser
/// \return the parser, which the caller deletes; null on error
TENON_LEVELED inline IParser* createParser(nvinfer1::INetworkDefinition& network, nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParser*>(createNvOnnxParser_INTERNAL(&network, &logger, NV_ONNX_PARSER_VERSION));
}

#if TENON_LEVEL >= 10
/// Creates a parser that reads weights for a refitter. Since level 10.
/// \param logger not owned; keep it valid as long as the parser
/// \return the parser, which the caller deletes; null on error
TENON_LEVELED inline IParserRefitter* createParserRefitter(nvinfer1::IRefitter& refitter,
                                                           nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParserRefitter*>(
        createNvOnnxParserRefitter_INTERNAL(&refitter, &logger, NV_ONNX_PARSER_VERSION));
}
#endif

} // namespace nvonnxparser

#endif // NV_ONNX_PARSER_H
