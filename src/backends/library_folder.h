// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tenon {

/// Sets the folder, for the whole process, in which backend libraries are searched; empty: the default search. Throws
/// an Error if there is no such folder, or the library has been searched in another one already.
void setLibraryFolder(std::string const& folder);

} // namespace tenon
