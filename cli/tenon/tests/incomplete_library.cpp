// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

extern "C" int functionThatNobodyHas();
extern "C" __attribute__((visibility("default"))) int getCreators() { return functionThatNobodyHas(); }
