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

    /// The type that the program wants to compute in.
    virtual void setModelDtype(nvinfer1::DataType const modelDtype) = 0;
    /// kFLOAT unless set.
    virtual nvinfer1::DataType getModelDtype() const = 0;
    /// "" unless set; valid until the next setModelFileName().
    virtual char const* getModelFileName() const = 0;
    /// The model to read. Copied; null is "".
    virtual void setModelFileName(char const* onnxFilename) = 0;
    /// 2, warnings, unless set.
    virtual Verbosity getVerbosityLevel() const = 0;
    /// One level more.
    virtual void addVerbosity() = 0;
    /// One level less.
    virtual void reduceVerbosity() = 0;
    /// Taken as it is: no number is refused.
    virtual void setVerbosityLevel(Verbosity verbosity) = 0;
    /// "" unless set; valid until the next setTextFileName().
    virtual char const* getTextFileName() const = 0;
    /// Where the program writes the model as text. Copied; null is "".
    virtual void setTextFileName(char const* textFileName) = 0;
    /// "" unless set; valid until the next setFullTextFileName().
    virtual char const* getFullTextFileName() const = 0;
    /// Where the program writes the model as text with its weights. Copied; null is "".
    virtual void setFullTextFileName(char const* fullTextFileName) = 0;
    /// False unless set.
    virtual bool getPrintLayerInfo() const = 0;
    /// Whether the program prints the layers.
    virtual void setPrintLayerInfo(bool) = 0;

    /// As `delete`. Programs that derive from this class override it.
    virtual void TENON_UNTIL_8(destroy)() { delete this; }
};

/// Empty settings; null on error.
TENON_C_FUNCTION IOnnxConfig* createONNXConfig();

} // namespace nvonnxparser

#endif // NV_ONNX_CONFIG_H
