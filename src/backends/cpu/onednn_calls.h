// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace tenon::cpu {

/// Opens oneDNN's library, before any call; throws an Error if there is none. It is opened rather than linked, and its
/// functions are hidden jumps: an application may define functions of these names (a oneDNN of another version, linked
/// statically), to which the dynamic linker would bind the library's calls.
void openOneDnn();

} // namespace tenon::cpu
