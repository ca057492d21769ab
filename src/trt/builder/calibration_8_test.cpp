// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#define TENON_CALIBRATION CalibrationAtLevel8
#include "trt/builder/calibration_test.inc"
