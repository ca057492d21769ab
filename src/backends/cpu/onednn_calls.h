// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace tenon::cpu {

/// Opens oneDNN's library, before anything of it is called; an Error where there is none. It is opened rather than
/// linked, and its functions are hidden jumps of our own: a program may define functions of these names (a
/// oneDNN of another version, linked statically), which the dynamic linker would take for the library's.
void openOneDnn();

} // namespace tenon::cpu
