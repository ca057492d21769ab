// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The factory of the plugins that the ONNX parser itself put into networks, in 5.1 and 6.0. This parser makes layers
/// instead, or plugins that the registry knows, so its factory is never asked for one.
#ifndef NV_ONNX_PARSER_RUNTIME_H
#define NV_ONNX_PARSER_RUNTIME_H

#include "NvInfer.h"

#if TENON_LEVEL > 7 && !defined(TENON_ALL_LEVELS)
#error "NvOnnxParserRuntime.h ended with level 7: plugins are found in the registry, without a factory."
#endif

namespace nvonnxparser {

/// Makes the plugins of an engine that is read. Implemented by the parser's library.
class IPluginFactory : public nvinfer1::IPluginFactory {
public:
    /// Frees the object.
    virtual void destroy() = 0;

protected:
    ~IPluginFactory() override = default;
};

} // namespace nvonnxparser

/// The function behind createPluginFactory(): `version` is NV_ONNX_PARSER_VERSION of the caller's headers.
TENON_C_FUNCTION void* createNvOnnxParserPluginFactory_INTERNAL(void* logger, int version) noexcept;

namespace nvonnxparser {

#if TENON_LEVEL <= 7
/// A factory that knows no plugin. Null on error.
TENON_LEVELED inline IPluginFactory* createPluginFactory(nvinfer1::ILogger& logger) noexcept {
    return static_cast<IPluginFactory*>(createNvOnnxParserPluginFactory_INTERNAL(&logger, 0));
}
#endif

} // namespace nvonnxparser

#endif // NV_ONNX_PARSER_RUNTIME_H
