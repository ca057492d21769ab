// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 10
#define CONFORMANCE ConformanceAtLevel10
#define INITIALIZED InitializedPluginAtLevel10
#define CONFORMANCE_PLUGINS                                                                                            \
    testing::Types<Explicit<RecorderV2>, Explicit<RecorderV2Ext>, Explicit<RecorderV2IOExt>,                           \
                   Explicit<RecorderV2DynamicExt>, Explicit<RecorderV3OneBuild>, Explicit<RecorderV3OneBuildV2>>
#include "conformance/plugin_v3.inc"

#include "conformance/life.inc"

#include "conformance/breaches.inc"

#include "conformance/initialized.inc"
