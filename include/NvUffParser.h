// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a program implements to put plugins into a network that is read from a UFF model, and what it is given for
/// that. Reading such models is not supported, so this is all that this header declares.
#ifndef NV_UFF_PARSER_H
#define NV_UFF_PARSER_H

#include "NvInfer.h"

#if TENON_LEVEL > 8 && !defined(TENON_ALL_LEVELS)
#error "NvUffParser.h ended with level 8: compile with -DTENON_LEVEL=7 or 8, or read an ONNX model."
#endif

namespace nvuffparser {

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

} // namespace nvuffparser

#endif // NV_UFF_PARSER_H
