// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// Plans and printed engine information are JSON, which is UTF-8.
bool isUtf8(std::string_view bytes);
/// The text in quotes, with quotes and bytes outside ASCII as escapes: "caf\xe9".
std::string escaped(std::string_view bytes);
/// Throws an Error for text that is not UTF-8: "the name of a layer, "caf\xe9", is not UTF-8".
void expectUtf8(std::string_view bytes, std::string_view what);
/// Throws an Error for text that is not UTF-8 or contains a NUL, at which the API's names end.
void expectName(std::string_view bytes, std::string_view what);

} // namespace tenon
