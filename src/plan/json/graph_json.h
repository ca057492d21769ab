// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/json/json_fields.h"

namespace tenon {

/// A graph as the text of a JSON object, using the field lists that printing and comparing use. Tensors are numbered in
/// order.
std::string toJsonText(Graph const& graph, JsonWriter::Store const& store);
/// An Error names the field, node or number that is wrong; the result has passed Graph::order().
Graph graphFromJson(Json const& json, JsonReader::Fetch const& fetch);

/// json[name]; an Error names it if it is missing.
Json const& at(Json const& json, std::string_view name);
std::string stringAt(Json const& json, std::string_view name);
/// json["device"]; an Error if it does not name one.
Device deviceAt(Json const& json);
int64_t integerAt(Json const& json, std::string_view name, int64_t least, int64_t most);

} // namespace tenon
