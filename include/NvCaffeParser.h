// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a program implements to put plugins into a network that is read from a Caffe model, and the parser of such
/// models. Reading them is not supported yet: the parser says so, and what to do.
#ifndef NV_CAFFE_PARSER_H
#define NV_CAFFE_PARSER_H

#include "NvInfer.h"
#include "tenon/api/refuse.h"

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

/// The tensors of a network by the names that they have in the model.
class IBlobNameToTensor {
public:
    /// \return null where there is none
    virtual nvinfer1::ITensor* find(char const* name) const noexcept = 0;

protected:
    virtual ~IBlobNameToTensor() = default;
};

/// The values of a file, such as those of a mean image. There are none yet, since no file is read.
class IBinaryProtoBlob {
public:
    IBinaryProtoBlob() = delete;

    /// The values, of getDataType(), as many as getDimensions() has elements; valid until destroy().
    void const* getData() noexcept { return data_; }
#if TENON_LEVEL <= 7
    using Shape = nvinfer1::DimsNCHW;
#else
    using Shape = nvinfer1::Dims4;
#endif
    /// Batch, channels, height and width.
    TENON_LEVELED Shape getDimensions() noexcept {
        using nvinfer1::tenonAbi::Extent;
        return {static_cast<Extent>(dims_[0]), static_cast<Extent>(dims_[1]), static_cast<Extent>(dims_[2]),
                static_cast<Extent>(dims_[3])};
    }
    nvinfer1::DataType getDataType() noexcept { return type_; }
    /// As `delete`.
    void destroy() noexcept { delete this; }

private:
    void const* data_;
    nvinfer1::DataType type_;
    int64_t dims_[4];
};

/// Reads Caffe models; not supported yet. What reads one returns null, with an error in the log.
class ICaffeParser {
public:
    /// Not supported: null, with an error in the log. \return the tensors of what was read, owned by the parser
    IBlobNameToTensor const* parse(char const*, char const*, nvinfer1::INetworkDefinition&,
                                   nvinfer1::DataType) noexcept {
        refuse("ICaffeParser::parse");
        return nullptr;
    }
#if TENON_LEVEL <= 7
    using Bytes = char const*;
#else
    using Bytes = uint8_t const*;
#endif
    /// The same from memory. Not supported: null, with an error in the log.
    IBlobNameToTensor const* parseBuffers(Bytes, std::size_t, Bytes, std::size_t, nvinfer1::INetworkDefinition&,
                                          nvinfer1::DataType) noexcept {
        refuse("ICaffeParser::parseBuffers");
        return nullptr;
    }
    /// Reads the values of a file. Not supported: null, with an error in the log.
    IBinaryProtoBlob* parseBinaryProto(char const*) noexcept {
        refuse("ICaffeParser::parseBinaryProto");
        return nullptr;
    }
    /// Without effect.
    void setProtobufBufferSize(size_t) noexcept {}
#if TENON_LEVEL <= 7
    /// Without effect: nothing is read that it could make plugins for.
    void setPluginFactory(IPluginFactory*) noexcept {}
    /// Without effect, as setPluginFactory().
    void setPluginFactoryExt(IPluginFactoryExt*) noexcept {}
#endif
    /// Without effect: nothing is read that it could make plugins for.
    void setPluginFactoryV2(IPluginFactoryV2*) noexcept {}
    /// Without effect: no plugin is looked up.
    void setPluginNamespace(char const*) noexcept {}
    /// What is refused is reported there too. Null: none. Not owned, nor counted by incRefCount().
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept { recorder_ = recorder; }
    /// What setErrorRecorder() set; null unless set.
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept { return recorder_; }
    /// As `delete`.
    void destroy() noexcept { delete this; }

private:
    void refuse(char const* method) noexcept {
        nvinfer1::tenonAbi::refuse(method,
                                   "not supported: Caffe models; convert the model to ONNX, or add its layers with "
                                   "INetworkDefinition",
                                   recorder_);
    }

    nvinfer1::IErrorRecorder* recorder_ = nullptr;
};

/// \return the caller's, which destroys it
inline ICaffeParser* createCaffeParser() noexcept { return new ICaffeParser; }

/// Without effect: each library frees what it has.
inline void shutdownProtobufLibrary() noexcept {}

} // namespace nvcaffeparser1

#endif // NV_CAFFE_PARSER_H
