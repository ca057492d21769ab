// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// A cache of results that take long to compute and that later processes need again, as files in one folder:
// $TENON_CACHE, else $XDG_CACHE_HOME/tenon, else ~/.cache/tenon. Failures are not errors.

/// The bytes stored under this key; nullopt if there are none, or the file is damaged or belongs to another key.
std::optional<std::string> readCached(std::string_view key);
/// Stores `bytes` if the folder is writable. Other processes see all of them or none.
void writeCached(std::string_view key, std::string_view bytes);

/// While it exists, this thread reads nothing from the cache and stores nothing in it.
class NoDiskCache {
public:
    NoDiskCache();
    ~NoDiskCache();
    NoDiskCache(NoDiskCache const&) = delete;
    NoDiskCache& operator=(NoDiskCache const&) = delete;
};

} // namespace tenon
