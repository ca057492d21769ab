// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "base/text.h"

namespace tenon {

/// A backend's library and libtenon.so.1 are built from one tree: what passes between them may change with each
/// version.
inline constexpr char kBackendVersion[] = TENON_VERSION;

struct BackendAnswer {
    Backend const* backend = nullptr; // stays until the process ends
    std::string absence;              // where there is no backend: why this machine has no such device
};

/// Why a library of `device` that is built with this header cannot be opened by libtenon.so.1 of that version; empty
/// where it can. What the library answers first.
inline std::string versionRefusal(std::string_view device, std::string_view version) {
    if (version == kBackendVersion) return {};
    return text("libtenon_", device, ".so.1 is of Tenon ", kBackendVersion, " and libtenon.so.1 of ", version,
                "; install both from one build");
}

} // namespace tenon

/// The one function that libtenon_NAME.so.1 exports: the backend of the device NAME, or why this machine has none.
/// `version` is libtenon.so.1's. It is called once, and throws nothing.
extern "C" __attribute__((visibility("default"))) void tenonBackend(char const* version, tenon::BackendAnswer& answer);
