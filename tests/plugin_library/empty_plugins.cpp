// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A library without plugins.

extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
