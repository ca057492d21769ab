// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a program implements to put plugins into a network that is read from a Caffe model. Reading such models is not
/// supported yet, so these classes are all that this header declares.
#ifndef NV_CAFFE_PARSER_H
#define NV_CAFFE_PARSER_H

#include "NvInfer.h"

#if TENON_LEVEL > 8 && !defined(TENON_ALL_LEVELS)
#error "NvCaffeParser.h ended with level 8: compile with -DTENON_LEVEL=7 or 8, or read an ONNX model."
#endif

namespace nvcaffeparser1 {

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)

/// Makes the plugins of the first generation for a model that is read. It must live until the network is built.
class IPluginFactory {
public:
    virtual ~IPluginFactory() = default;

    /// Whether the layer of that name is a plugin; asked for every layer of the model.
    virtual bool isPlugin(char const* layerName) = 0;

    /// The plugin of a layer for which isPlugin() was true.
    /// \param weights the `nbWeights` weights of the layer in the model, in its order; valid until the network is built
    /// \return a plugin that the program keeps owning, for as long as network and engine; null where that fails
    virtual nvinfer1::IPlugin* createPlugin(char const* layerName, nvinfer1::Weights const* weights,
                                            int32_t nbWeights) = 0;
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

/// Makes the plugins of the second generation for a model that is read. It must live until the network is built.
class IPluginFactoryV2 {
public:
    virtual ~IPluginFactoryV2() = default;

    /// Whether the layer of that name is a plugin; asked for every layer of the model.
    virtual bool isPluginV2(char const* layerName) = 0;

    /// The plugin of a layer for which isPluginV2() was true.
    /// \param weights the `nbWeights` weights of the layer in the model, in its order; valid until the network is built
    /// \param libNamespace the namespace that the parser was told to look up plugins in
    /// \return a plugin that the program keeps owning: the network clones it; null where that fails
    virtual nvinfer1::IPluginV2* createPlugin(char const* layerName, nvinfer1::Weights const* weights,
                                              int32_t nbWeights, char const* libNamespace = "") = 0;
};

} // namespace nvcaffeparser1

#endif // NV_CAFFE_PARSER_H
