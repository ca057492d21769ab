// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins_in_engine.h"

#include <tenon/device.h>
#include <tenon/memory.h>

namespace ocr {

// For tests that compare the plugins in a GPU's engine with the host. Skipped if there is no GPU.
class PluginsOnGpu : public PluginsInEngine {
protected:
    void SetUp() override {
        tenon::DeviceMemory const probe("cuda", 1);
        if (probe.error() != nullptr) GTEST_SKIP() << probe.error();
        ASSERT_EQ(tenon::setDevice("cuda"), nullptr);
    }

    void TearDown() override { tenon::setDevice(nullptr); }
};

} // namespace ocr
