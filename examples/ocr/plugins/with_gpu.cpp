// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in the library together with the *.cu files; without_gpu.cpp is its counterpart.
#include "gpu.h"

namespace ocr {

tenon::PluginDevices pluginDevices() noexcept { return tenon::PluginDevices::kBOTH; }

} // namespace ocr
