// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tenon/plugin.h"

namespace tenon::trt {

/// What a user's plugin set by setPluginNetwork(); null where it set nothing. Any thread.
AddPluginLayers networkOf(void const* plugin);

/// The same of setPluginReals().
NameRealTensor realsOf(void const* plugin);

} // namespace tenon::trt
