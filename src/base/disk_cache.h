// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// What took long to make and later processes need again, in files of one folder: $TENON_CACHE, else
// $XDG_CACHE_HOME/tenon, else ~/.cache/tenon. Nothing that goes wrong here is an error.

/// What was kept under this key. Nothing where there is none, or what is there is damaged or not of this key.
std::optional<std::string> readCached(std::string_view key);
/// Keeps `bytes`, where anything can be kept. Other processes see all of them or none.
void writeCached(std::string_view key, std::string_view bytes);

} // namespace tenon
