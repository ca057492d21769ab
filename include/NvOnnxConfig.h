// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Settings of programs that convert ONNX models. Nothing in the library reads them; samples keep theirs in it.
#ifndef NV_ONNX_CONFIG_H
#define NV_ONNX_CONFIG_H

#include "NvInfer.h"

namespace nvonnxparser {

/// A bag of settings. Made by `createONNXConfig()`; the program deletes it. Texts are copied.
class IOnnxConfig {
public:
    virtual ~IOnnxConfig() noexcept = default;

    /// How much to say: 0 (errors only) to 9.
    using Verbosity = int32_t;

    virtual void setModelDtype(nvinfer1::DataType const modelDtype) = 0;
    virtual nvinfer1::DataType getModelDtype() const = 0;
    virtual char const* getModelFileName() const = 0;
    virtual void setModelFileName(char const* onnxFilename) = 0;
    virtual Verbosity getVerbosityLevel() const = 0;
    virtual void addVerbosity() = 0;
    virtual void reduceVerbosity() = 0;
    virtual void setVerbosityLevel(Verbosity verbosity) = 0;
    virtual char const* getTextFileName() const = 0;
    virtual void setTextFileName(char const* textFileName) = 0;
    virtual char const* getFullTextFileName() const = 0;
    virtual void setFullTextFileName(char const* fullTextFileName) = 0;
    virtual bool getPrintLayerInfo() const = 0;
    virtual void setPrintLayerInfo(bool) = 0;

    /// As `delete`. Programs that derive from this class override it.
    virtual void TENON_UNTIL_8(destroy)() { delete this; }
};

/// Empty settings; null on error.
TENON_C_FUNCTION IOnnxConfig* createONNXConfig();

} // namespace nvonnxparser

#endif // NV_ONNX_CONFIG_H
