// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#undef TENON_LEVEL
#define TENON_LEVEL 7
#define OTHER_PARSERS OtherParsersAtLevel7
#include "trt/parser/other_parsers_test.inc"
