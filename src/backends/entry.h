// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/version.h"

#include <string>

namespace tenon {

struct BackendAnswer {
    Backend const* backend = nullptr; // stays until the process ends
    std::string absence = {};         // where there is no backend: why this machine has no such device
};

/// What the library of a backend says of itself.
struct BackendEntry {
    /// The headers that it was compiled with: read first, and nothing else where libtenon.so.1 has others.
    char const* version = kBackendVersion;
    /// The backend of the device NAME, or why this machine has none. It is called once, under a lock that every thread
    /// waits for which opens a backend, so it asks for no other backend. An exception of it is an absence.
    BackendAnswer (*open)() = nullptr;
};

} // namespace tenon

/// The one symbol that libtenon_NAME.so.1 exports.
extern "C" __attribute__((visibility("default"))) tenon::BackendEntry const tenonBackendEntry;
