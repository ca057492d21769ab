// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/plugin.h>

namespace ocr {

// The devices of this library's plugins: both kinds if it was built with a CUDA toolkit, else the CPU.
tenon::PluginDevices pluginDevices() noexcept;

} // namespace ocr
