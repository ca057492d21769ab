// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace trtexec {

class Log;

/// Sets the types of --layerPrecisions and --layerOutputTypes. A Failure if a layer has another number of outputs.
void setLayerTypes(BuildOptions const& options, nvinfer1::INetworkDefinition& network, Log& log);

} // namespace trtexec
