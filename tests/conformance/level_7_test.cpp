// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 7
#define CONFORMANCE ConformanceAtLevel7
#define INITIALIZED InitializedPluginAtLevel7
#define CONFORMANCE_PLUGINS                                                                                            \
    testing::Types<Explicit<RecorderV2>, Explicit<RecorderV2Ext>, Explicit<RecorderV2IOExt>,                           \
                   Explicit<RecorderV2DynamicExt>, Implicit<RecorderV2>, Implicit<RecorderV2Ext>,                      \
                   Implicit<RecorderV2IOExt>>
#include "conformance/plugins_v2.inc"

#include "conformance/life.inc"

#include "conformance/breaches.inc"

#include "conformance/initialized.inc"
