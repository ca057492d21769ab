// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The parser of Caffe models, and what a program implements to put plugins into the networks that it reads.
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

    /// Whether the layer of that name is a plugin; asked for every layer that is read, also of type Input.
    virtual bool isPlugin(char const* layerName) = 0;

    /// The plugin of a layer for which isPlugin() was true.
    /// \param weights the `nbWeights` weights of the layer in the model, in its order, kFLOAT; valid as long as the
    /// parser
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

    /// Whether the layer of that name is a plugin; asked for every layer that is read, also of type Input.
    virtual bool isPluginV2(char const* layerName) = 0;

    /// The plugin of a layer for which isPluginV2() was true.
    /// \param weights the `nbWeights` weights of the layer in the model, in its order, kFLOAT; valid as long as the
    /// parser
    /// \param libNamespace the namespace that the parser was told to look up plugins in
    /// \return a plugin that the program keeps owning: the network clones it; null where that fails
    virtual nvinfer1::IPluginV2* createPlugin(char const* layerName, nvinfer1::Weights const* weights,
                                              int32_t nbWeights, char const* libNamespace = "") = 0;
};

/// The tensors of a network by the names that they have in the model.
class IBlobNameToTensor {
public:
    /// Returns the tensor of a blob; null if there is none. For a blob of a layer that the rules of the file leave out,
    /// a warning says so.
    virtual nvinfer1::ITensor* find(char const* name) const noexcept = 0;

protected:
    virtual ~IBlobNameToTensor() = default;
};

/// The values of a file, such as those of a mean image. Made by ICaffeParser::parseBinaryProto(); the program destroys
/// it.
class IBinaryProtoBlob {
public:
#if TENON_LEVEL <= 7
    using Shape = nvinfer1::DimsNCHW;
#else
    using Shape = nvinfer1::Dims4;
#endif
    /// The values, of getDataType(), as many as getDimensions() has elements; valid until destroy().
    virtual void const* getData() noexcept = 0;
    /// kFLOAT, whatever the file has.
    virtual nvinfer1::DataType getDataType() noexcept = 0;
    /// As `delete`.
    virtual void destroy() noexcept = 0;
    /// Batch, channels, height and width; 1 in the place of those that the file does not have.
    TENON_LEVELED Shape getDimensions() noexcept {
        using nvinfer1::tenonAbi::Extent;
        return {static_cast<Extent>(extent_(0)), static_cast<Extent>(extent_(1)), static_cast<Extent>(extent_(2)),
                static_cast<Extent>(extent_(3))};
    }

    virtual ~IBinaryProtoBlob() = default;

private:
    virtual int64_t extent_(int32_t axis) const noexcept = 0;
};

/// Reads Caffe models: what the layers are, in text (.prototxt), and their numbers (.caffemodel). Not for use by
/// several threads at once. Methods that return null or false report why to the logger of the network, or the one that
/// nvinfer1::getLogger() returns, and to the recorder.
///
/// Layers that the rules of the file leave out are not there; the log says which. Blobs [N,C,H,W] keep four axes, as in
/// TensorRT's own parser: Flatten and InnerProduct leave [N,C,1,1], Reduction extents of 1. A network with implicit
/// batch takes its inputs without N; in one with explicit batch N is 1, until ITensor::setDimensions() gives an input
/// another.
class ICaffeParser {
public:
    /// Adds a model to the network, whose outputs the program marks.
    ///
    /// \param deploy the path of the text \param model the path of the numbers; null: they are made up, always the same
    /// for a layer's name, which is enough to see how long a network takes
    /// \param weightType kFLOAT, or kHALF: numbers are rounded to float16, those of layers that a factory makes not
    /// \return the tensors, owned by the parser; null on error, and the network is then of no use
    virtual IBlobNameToTensor const* parse(char const* deploy, char const* model, nvinfer1::INetworkDefinition& network,
                                           nvinfer1::DataType weightType) noexcept = 0;
#if TENON_LEVEL <= 7
    using Byte = char;
#else
    using Byte = uint8_t;
#endif
    /// The same from memory. \param model null: the numbers are made up
    TENON_LEVELED IBlobNameToTensor const* parseBuffers(Byte const* deploy, std::size_t deployLength, Byte const* model,
                                                        std::size_t modelLength, nvinfer1::INetworkDefinition& network,
                                                        nvinfer1::DataType weightType) noexcept {
        return parseBuffers_(deploy, deployLength, model, modelLength, network, weightType);
    }
#if TENON_LEVEL >= 8
    /// The same, as 8.0 declared it.
    TENON_LEVELED IBlobNameToTensor const* parseBuffers(char const* deploy, std::size_t deployLength, char const* model,
                                                        std::size_t modelLength, nvinfer1::INetworkDefinition& network,
                                                        nvinfer1::DataType weightType) noexcept {
        return parseBuffers_(deploy, deployLength, model, modelLength, network, weightType);
    }
#endif
    /// Reads a file with one blob, as kFLOAT.
    /// \return the blob, which the caller deletes with destroy(); null on error
    virtual IBinaryProtoBlob* parseBinaryProto(char const* fileName) noexcept = 0;
    /// Has no effect: files are mapped.
    virtual void setProtobufBufferSize(size_t size) noexcept = 0;
#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
    /// What makes plugins of the first generation. Null: nothing does. A parser has this or setPluginFactoryV2(), not
    /// both.
    void setPluginFactory(IPluginFactory* factory) noexcept { setPluginFactory_(factory, false); }
    /// The same for factories that make plugins of class IPluginExt, too.
    void setPluginFactoryExt(IPluginFactoryExt* factory) noexcept {
        setPluginFactory_(static_cast<IPluginFactory*>(factory), true);
    }
#endif
    /// Sets the factory of plugins of the second generation; null removes it. Not owned.
    virtual void setPluginFactoryV2(IPluginFactoryV2* factory) noexcept = 0;
    /// Sets the namespace that IPluginFactoryV2::createPlugin() receives. Null: "".
    virtual void setPluginNamespace(char const* libNamespace) noexcept = 0;
    /// Sets the error recorder; null removes it. Not owned; counted by incRefCount().
    virtual void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept = 0;
    /// Returns the error recorder; null unless set.
    virtual nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept = 0;
    /// As `delete`.
    virtual void destroy() noexcept = 0;

    virtual ~ICaffeParser() = default;

private:
    virtual IBlobNameToTensor const* parseBuffers_(void const* deploy, std::size_t deployLength, void const* model,
                                                   std::size_t modelLength, nvinfer1::INetworkDefinition& network,
                                                   nvinfer1::DataType weightType) noexcept = 0;
    /// \param factory an IPluginFactory, of level 7 \param isExt whether it is an IPluginFactoryExt
    virtual void setPluginFactory_(void* factory, bool isExt) noexcept = 0;
};

} // namespace nvcaffeparser1

/// The function behind createCaffeParser().
TENON_C_FUNCTION void* createNvCaffeParser_INTERNAL() noexcept;

namespace nvcaffeparser1 {

/// Creates a Caffe parser.
/// \return the parser, which the caller deletes with destroy(), after the network has been built; null on error
inline ICaffeParser* createCaffeParser() noexcept { return static_cast<ICaffeParser*>(createNvCaffeParser_INTERNAL()); }

/// Has no effect: each library frees what it allocated.
inline void shutdownProtobufLibrary() noexcept {}

} // namespace nvcaffeparser1

#endif // NV_CAFFE_PARSER_H
