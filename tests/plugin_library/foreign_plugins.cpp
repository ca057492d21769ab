// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A library as if built with other headers of this API: it imports the plain names.

extern "C" void* getPluginRegistry() noexcept;

namespace {
void* const registry = getPluginRegistry();
} // namespace

extern "C" __attribute__((visibility("default"))) void* foreignRegistry() { return registry; }
