// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#define TENON_SHAPES ShapesAtLevel8
#include "trt/network/shape_types_test.inc"
