// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/json/json_memory.h"

#include <string_view>

namespace tenon {

/// A JSON text from outside, as values. An Error names the problem: not JSON, nested too deeply, or a number out of
/// range. std::bad_alloc if memory runs out.
class JsonText {
public:
    /// `what`: the name of the text in messages: "the engine's description".
    JsonText(std::string_view text, std::string_view what);
    JsonText(JsonText const&) = delete;
    JsonText& operator=(JsonText const&) = delete;

    Json const& root() const { return root_; }

private:
    Json root_;
};

} // namespace tenon
