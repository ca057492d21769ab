// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The library of standard plugins.
#ifndef NV_INFER_PLUGIN_H
#define NV_INFER_PLUGIN_H

#include "NvInfer.h"
#include "NvInferPluginUtils.h"

#if TENON_LEVEL <= 7 || defined(TENON_ALL_LEVELS)
#include "tenon/api/legacy_plugin_factories.h"
#endif

/// Registers the creators of all standard plugins. Call it before a network is parsed or an engine is read that uses
/// them; further calls do nothing.
/// \param logger an nvinfer1::ILogger, which must live as long as the plugins; may be null
/// \param libNamespace the namespace that they are registered in; "" is the one where parsers look
/// \return false where that fails
TENON_C_FUNCTION bool initLibNvInferPlugins(void* logger, char const* libNamespace);

#endif // NV_INFER_PLUGIN_H
