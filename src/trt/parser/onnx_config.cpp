// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvOnnxConfig.h"

#include <memory>
#include <string>

namespace {

using nvonnxparser::IOnnxConfig;

class OnnxConfig final : public IOnnxConfig {
public:
    void setModelDtype(nvinfer1::DataType const modelDtype) noexcept override { type_ = modelDtype; }
    nvinfer1::DataType getModelDtype() const noexcept override { return type_; }
    char const* getModelFileName() const noexcept override { return model_.c_str(); }
    void setModelFileName(char const* onnxFilename) noexcept override { put(model_, onnxFilename); }
    Verbosity getVerbosityLevel() const noexcept override { return verbosity_; }
    void addVerbosity() noexcept override { ++verbosity_; }
    void reduceVerbosity() noexcept override { --verbosity_; }
    void setVerbosityLevel(Verbosity verbosity) noexcept override { verbosity_ = verbosity; }
    char const* getTextFileName() const noexcept override { return text_.c_str(); }
    void setTextFileName(char const* textFileName) noexcept override { put(text_, textFileName); }
    char const* getFullTextFileName() const noexcept override { return fullText_.c_str(); }
    void setFullTextFileName(char const* fullTextFileName) noexcept override { put(fullText_, fullTextFileName); }
    bool getPrintLayerInfo() const noexcept override { return printLayers_; }
    void setPrintLayerInfo(bool print) noexcept override { printLayers_ = print; }

private:
    /// Without memory, the text is empty.
    static void put(std::string& to, char const* text) noexcept try {
        to = text ? text : "";
    } catch (std::bad_alloc const&) {
        to.clear();
    }

    nvinfer1::DataType type_ = nvinfer1::DataType::kFLOAT;
    std::string model_;
    std::string text_;
    std::string fullText_;
    Verbosity verbosity_ = 2; // warnings
    bool printLayers_ = false;
};

} // namespace

namespace nvonnxparser {
extern "C" IOnnxConfig* createONNXConfig() { return std::make_unique<OnnxConfig>().release(); }
} // namespace nvonnxparser
