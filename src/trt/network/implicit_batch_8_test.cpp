// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 8
#define TENON_IMPLICIT ImplicitBatchAtLevel8
#include "trt/network/implicit_batch_test.inc"
