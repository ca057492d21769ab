// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// Results that took long to compute and that later processes need again, as files in one folder: $TENON_CACHE, else
// $XDG_CACHE_HOME/tenon, else ~/.cache/tenon. Nothing that goes wrong here is an error.

/// The bytes kept under this key; nullopt where there are none, or the file is damaged or belongs to another key.
std::optional<std::string> readCached(std::string_view key);
/// Keeps `bytes`, if the folder can be written to. Other processes see all of them or none.
void writeCached(std::string_view key, std::string_view bytes);

/// While it lives, this thread finds nothing in the folder, and keeps nothing there.
class NoDiskCache {
public:
    NoDiskCache();
    ~NoDiskCache();
    NoDiskCache(NoDiskCache const&) = delete;
    NoDiskCache& operator=(NoDiskCache const&) = delete;
};

} // namespace tenon
