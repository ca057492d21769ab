// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json.hpp>

namespace tenon::cli {

/// Keeps keys in the order in which they were written.
using Json = nlohmann::ordered_json;

/// For people and scripts; text that is not UTF-8 is converted to it.
inline std::string printed(Json const& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

} // namespace tenon::cli
