// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/json/json_memory.h"

#include <string>
#include <string_view>

namespace tenon {

/// A JSON list as text, element by element: the tree of values of a whole graph needs many times the memory and time of
/// its text.
class JsonList {
public:
    void add(Json const& value) { addText(value.dump()); }
    /// `json` is the text of a value.
    void addText(std::string_view json) {
        text_ += text_.empty() ? '[' : ',';
        text_ += json;
    }
    std::string take() && { return text_.empty() ? "[]" : std::move(text_ += ']'); }

private:
    std::string text_;
};

/// A JSON object as text, member by member. No key may be added twice.
class JsonObject {
public:
    JsonObject() = default;
    JsonObject(Json const& object) {
        for (auto const& [key, value] : object.items()) add(key, value);
    }
    void add(std::string_view key, Json const& value) { addText(key, value.dump()); }
    /// `json` is the text of a value.
    void addText(std::string_view key, std::string_view json) {
        text_ += text_.empty() ? '{' : ',';
        text_ += Json(key).dump();
        text_ += ':';
        text_ += json;
    }
    std::string take() && { return text_.empty() ? "{}" : std::move(text_ += '}'); }

private:
    std::string text_;
};

} // namespace tenon
