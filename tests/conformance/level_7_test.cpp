// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 7
#define CONFORMANCE ConformanceAtLevel7
#define CONFORMANCE_PLUGINS testing::Types<RecorderV2, RecorderV2Ext, RecorderV2IOExt, RecorderV2DynamicExt>
#include "conformance/plugins_v2.inc"

#include "conformance/life.inc"

#include "conformance/breaches.inc"
