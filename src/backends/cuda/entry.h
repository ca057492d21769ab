// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/programs.h"
#include "backends/streams.h"

namespace tenon::cuda {

/// Both libraries are built from one tree; what passes between them may change with each version.
inline constexpr char kEntryVersion[] = TENON_VERSION;

struct EntryAnswer {
    Backend const* backend = nullptr;
    std::string absence; // where there is no backend: why
    Streams const* streams = nullptr;
    Programs const* programs = nullptr;
};

} // namespace tenon::cuda

/// The one function that libtenon_cuda.so.1 exports: its backend, or why this machine has none.
extern "C" __attribute__((visibility("default"))) void tenonCudaBackend(char const* version,
                                                                        tenon::cuda::EntryAnswer& answer);
