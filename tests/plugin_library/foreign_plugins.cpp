// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a library looks like that was built against other headers of this API: it wants the plain names.

extern "C" void* getPluginRegistry() noexcept;

namespace {
void* const registry = getPluginRegistry();
} // namespace

extern "C" __attribute__((visibility("default"))) void* foreignRegistry() { return registry; }
