// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvCaffeParser.h"
#include "caffe/parse.h"
#include "trt/network/network.h"

#include <deque>
#include <memory>
#include <string>

namespace tenon::trt {

/// The plugin factories that an application passed to a parser.
struct CaffeFactories {
    nvcaffeparser1::IPluginFactory* first = nullptr;
    bool isExt = false; // `first` is an IPluginFactoryExt
    nvcaffeparser1::IPluginFactoryV2* second = nullptr;
    std::string nameSpace;
};

/// nvcaffeparser1::ICaffeParser over the parser of the core.
class CaffeParser final : public nvcaffeparser1::ICaffeParser {
public:
    CaffeParser() = default;
    ~CaffeParser() override;

    nvcaffeparser1::IBlobNameToTensor const* parse(char const* deploy, char const* model,
                                                   api::INetworkDefinition& network,
                                                   api::DataType weightType) noexcept override;
    nvcaffeparser1::IBinaryProtoBlob* parseBinaryProto(char const* fileName) noexcept override;
    void setProtobufBufferSize(size_t) noexcept override {}
    void setPluginFactoryV2(nvcaffeparser1::IPluginFactoryV2* factory) noexcept override {
        factories_.second = factory;
    }
    void setPluginNamespace(char const* libNamespace) noexcept override;
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override;
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return recorder_; }
    void destroy() noexcept override { delete this; }

private:
    nvcaffeparser1::IBlobNameToTensor const* parseBuffers_(void const* deploy, size_t deployLength, void const* model,
                                                           size_t modelLength, api::INetworkDefinition& network,
                                                           api::DataType weightType) noexcept override;
    void setPluginFactory_(void* factory, bool isExt) noexcept override;

    class Tensors;
    Tensors const* read(std::string_view deploy, std::optional<std::span<std::byte const>> model, Network& network,
                        api::DataType weightType);
    /// Runs a call that reports to this logger and to the recorder.
    template <class Body> auto guard(api::ILogger* logger, std::string_view method, Body&& body) const noexcept;

    api::IErrorRecorder* recorder_ = nullptr;
    CaffeFactories factories_;
    std::deque<std::unique_ptr<Tensors>> tensors_; // of all networks that it has read
    std::deque<std::vector<Literal>> weights_;     // passed to plugins
};

} // namespace tenon::trt
