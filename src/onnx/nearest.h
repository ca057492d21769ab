// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::onnx {

/// The name that `wanted` most likely misspells: equal except for case, or a few letters off. Empty if there is none.
std::string nearest(std::string_view wanted, std::span<std::string const> names);

} // namespace tenon::onnx
