// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/plugin.h>

namespace ocr {

// Where the plugins of this library run: on both kinds of devices if it was built with a CUDA toolkit, else on the CPU.
tenon::PluginDevices pluginDevices() noexcept;

} // namespace ocr
