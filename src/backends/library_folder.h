// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tenon {

/// The folder, for the whole process, in which the library of a backend is looked for; empty: the usual places. An
/// Error where there is no such folder, or the library has been looked for in another one already.
void setLibraryFolder(std::string const& folder);

} // namespace tenon
