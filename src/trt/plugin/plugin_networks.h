// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tenon/plugin.h"

namespace tenon::trt {

/// The function that a user's plugin set with setPluginNetwork(); null if it set none. Any thread.
AddPluginLayers networkOf(void const* plugin);

/// The same for setPluginReals().
NameRealTensor realsOf(void const* plugin);

} // namespace tenon::trt
