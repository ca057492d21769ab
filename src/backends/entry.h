// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/version.h"

#include <string>

namespace tenon {

struct BackendAnswer {
    Backend const* backend = nullptr; // never destroyed
    std::string absence = {};         // if there is no backend: why this machine has no such device
};

/// The entry of a backend library.
struct BackendEntry {
    /// The version of the headers with which it was compiled: read first, and nothing else if libtenon.so.1 has
    /// another.
    char const* version = kBackendVersion;
    /// The backend of the device NAME, or why this machine has none. It is called once, under a lock that every thread
    /// that opens a backend waits for, so it must not open another backend. An exception counts as absence.
    BackendAnswer (*open)() = nullptr;
};

} // namespace tenon

/// The one symbol that libtenon_NAME.so.1 exports.
extern "C" __attribute__((visibility("default"))) tenon::BackendEntry const tenonBackendEntry;
