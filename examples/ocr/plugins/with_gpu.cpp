// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Part of the library together with the *.cu files; without_gpu.cpp is its counterpart.
#include "gpu.h"

namespace ocr {

tenon::PluginDevices pluginDevices() noexcept { return tenon::PluginDevices::kBOTH; }

} // namespace ocr
