// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a program implements to put plugins into a network that is read from a UFF model, what it is given for that,
/// and the parser of such models. Reading them is not supported: the parser says so, and what to do.
#ifndef NV_UFF_PARSER_H
#define NV_UFF_PARSER_H

#include "NvInfer.h"
#include "tenon/api/refuse.h"

#if TENON_LEVEL > 8 && !defined(TENON_ALL_LEVELS)
#error "NvUffParser.h ended with level 8: compile with -DTENON_LEVEL=7 or 8, or read an ONNX model."
#endif

#define UFF_REQUIRED_VERSION_MAJOR 0
#define UFF_REQUIRED_VERSION_MINOR 6
#define UFF_REQUIRED_VERSION_PATCH 9

namespace nvuffparser {

/// The order of the axes of an input.
enum class UffInputOrder : int32_t {
    kNCHW = 0,
    kNHWC = 1,
    kNC = 2,
};

/// The type of the elements of a FieldMap.
enum class FieldType : int32_t {
    kFLOAT = 0,    ///< float
    kINT32 = 1,    ///< int32_t
    kCHAR = 2,     ///< char; a text has its length, and need not end with 0
    kDIMS = 4,     ///< nvinfer1::Dims
    kDATATYPE = 5, ///< nvinfer1::DataType
    kUNKNOWN = 6,
};

/// One attribute of a node of the model. It owns nothing.
class FieldMap {
public:
    char const* name; ///< The attribute's name.
    void const* data; ///< `length` elements.
    FieldType type;   ///< What they are.
    int32_t length;   ///< How many there are.

    FieldMap(char const* name_, void const* data_, FieldType const type_, int32_t length_ = 1)
        : name(name_), data(data_), type(type_), length(length_) {}
};

/// All attributes of a node.
struct FieldCollection {
    int32_t nbFields;       ///< How many.
    FieldMap const* fields; ///< Valid as long as the call that they are handed to.
};

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

/// Makes the plugins of the first generation for a model that is read. It must live until the network is built.
class IPluginFactory {
public:
    virtual ~IPluginFactory() = default;

    /// Whether the layer of that name is a plugin; asked for every layer of the model.
    virtual bool isPlugin(char const* layerName) = 0;

    /// The plugin of a layer for which isPlugin() was true.
    /// \param weights the `nbWeights` weights of the layer in the model, in its order; valid until the network is built
    /// \param fc the attributes of the node; valid during the call only
    /// \return a plugin that the program keeps owning, for as long as network and engine; null where that fails
    virtual nvinfer1::IPlugin* createPlugin(char const* layerName, nvinfer1::Weights const* weights, int32_t nbWeights,
                                            FieldCollection const fc) = 0;
};

/// IPluginFactory for IPluginExt: what createPlugin() makes where isPluginExt() is true is one.
class IPluginFactoryExt : public IPluginFactory {
public:
    /// The version of the API that the factory was compiled with. Not to be overridden by users.
    TENON_LEVELED virtual int32_t getVersion() const { return static_cast<int32_t>(NV_TENSORRT_VERSION); }

    /// Whether the layer of that name is a plugin of class IPluginExt.
    virtual bool isPluginExt(char const* layerName) = 0;
};

#endif

/// A parser of UFF models. Not supported: methods that parse return false and log an error.
///
/// \note Owner: the application deletes it with destroy().
class IUffParser {
public:
    /// Has no effect: all models are refused.
    /// \return true
    bool registerInput(char const*, nvinfer1::Dims, UffInputOrder) noexcept { return true; }
    /// Has no effect: all models are refused.
    /// \return true
    bool registerOutput(char const*) noexcept { return true; }
    /// Fails: UFF models are not supported.
    /// \return false, and an error in the log
    bool parse(char const*, nvinfer1::INetworkDefinition&, nvinfer1::DataType = nvinfer1::DataType::kFLOAT) noexcept {
        refuse("IUffParser::parse");
        return false;
    }
    /// Fails: UFF models are not supported.
    /// \return false, and an error in the log
    bool parseBuffer(char const*, std::size_t, nvinfer1::INetworkDefinition&,
                     nvinfer1::DataType = nvinfer1::DataType::kFLOAT) noexcept {
        refuse("IUffParser::parseBuffer");
        return false;
    }
    /// Returns UFF_REQUIRED_VERSION_MAJOR of the headers.
    int32_t getUffRequiredVersionMajor() noexcept { return UFF_REQUIRED_VERSION_MAJOR; }
    /// Returns UFF_REQUIRED_VERSION_MINOR of the headers.
    int32_t getUffRequiredVersionMinor() noexcept { return UFF_REQUIRED_VERSION_MINOR; }
    /// Returns UFF_REQUIRED_VERSION_PATCH of the headers.
    int32_t getUffRequiredVersionPatch() noexcept { return UFF_REQUIRED_VERSION_PATCH; }
#if TENON_LEVEL <= 7
    /// Without effect: nothing is read that it could make plugins for.
    void setPluginFactory(IPluginFactory*) noexcept {}
    /// Without effect, as setPluginFactory().
    void setPluginFactoryExt(IPluginFactoryExt*) noexcept {}
#endif
    /// Has no effect: no plugin is looked up.
    void setPluginNamespace(char const*) noexcept {}
    /// Sets the error recorder; null removes it. Not owned, and not counted by incRefCount().
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept { recorder_ = recorder; }
    /// Returns the error recorder; null unless set.
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept { return recorder_; }
    /// Deletes the parser, as `delete` does.
    void destroy() noexcept { delete this; }

private:
    void refuse(char const* method) noexcept {
        nvinfer1::tenonAbi::refuse(method, "not supported: UFF models; convert the model that it was made of to ONNX",
                                   recorder_);
    }

    nvinfer1::IErrorRecorder* recorder_ = nullptr;
};

/// \return the caller's, which destroys it
inline IUffParser* createUffParser() noexcept { return new IUffParser; }

/// Without effect: each library frees what it has.
inline void shutdownProtobufLibrary() noexcept {}

} // namespace nvuffparser

#endif // NV_UFF_PARSER_H
