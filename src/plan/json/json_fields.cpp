// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/json_fields.h"

#include "base/error.h"
#include "base/utf8.h"
#include "graph/dim_fold.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace tenon {
namespace {

constexpr int kMostNested = 200; // real shape expressions have a dozen

constexpr std::array<std::string_view, 11> kOps{"constant", "symbol", "sum", "difference", "product", "floor_div",
                                                "ceil_div", "max",    "min", "equal",      "less"};

[[noreturn]] void wrongKind(std::string_view name, std::string_view expected) {
    fail(ErrorCode::InvalidPlan, "field ", name, " is not ", expected);
}

/// JSON has no infinities, which clip bounds often are.
Json number(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : (value > 0 ? "inf" : "-inf");
}

double realOf(std::string_view name, Json const& json) {
    if (json.is_number()) return json.get<double>();
    if (json == "inf") return INFINITY;
    if (json == "-inf") return -INFINITY;
    if (json == "nan") return NAN;
    wrongKind(name, "a number");
}

int64_t integerOf(std::string_view name, Json const& json) {
    if (!json.is_number_integer()) wrongKind(name, "an integer");
    return json.get<int64_t>();
}

std::string stringOf(std::string_view name, Json const& json) {
    if (!json.is_string()) wrongKind(name, "a string");
    return json.get<std::string>();
}

Json leafJson(DimExpr const& dim) { return dim.isConstant() ? Json(dim.constant()) : Json(dim.name()); }

Json operationJson(DimExpr const& dim, Json const& left, Json const& right) {
    return Json::array({kOps[static_cast<size_t>(dim.op())], left, right});
}

/// The operations of a dimension that are used more than once, or are many.
struct Terms {
    std::vector<DimExpr> known;

    DimExpr read(Json const& json, int depth = 0) const {
        if (json.is_number_integer()) return json.get<int64_t>();
        if (json.is_string()) return DimExpr::symbol(json.get<std::string>());
        if (json.is_object()) return at(json.value("term", Json()));
        if (!json.is_array() || json.size() != 3 || !json[0].is_string() || depth > kMostNested)
            fail(ErrorCode::InvalidPlan, "a dimension is neither a number, a name nor an operation");
        auto const op = std::ranges::find(kOps.begin() + 2, kOps.end(), json[0].get<std::string>());
        if (op == kOps.end())
            fail(ErrorCode::InvalidPlan, "dimension operation ", json[0].get<std::string>(), " is not known");
        return DimExpr::apply(static_cast<DimExpr::Op>(op - kOps.begin()), read(json[1], depth + 1),
                              read(json[2], depth + 1));
    }

private:
    DimExpr at(Json const& index) const {
        if (!index.is_number_unsigned() || index.get<uint64_t>() >= known.size())
            fail(ErrorCode::InvalidPlan, "a dimension names term ", index.dump(), " of the ", known.size(),
                 " earlier ones");
        return known[index.get<size_t>()];
    }
};

} // namespace

Json toJson(DimExpr const& dim) {
    Json terms = Json::array();
    Json whole = fold<Json>(dim, leafJson, [&](DimExpr const& one, Json const& left, Json const& right) {
        Json operation = operationJson(one, left, right);
        if (!one.isLarge()) return operation;
        terms.push_back(std::move(operation));
        return Json{{"term", terms.size() - 1}};
    });
    return terms.empty() ? whole : Json{{"terms", std::move(terms)}};
}

Json toJson(Shape const& shape) {
    Json json = Json::array();
    for (DimExpr const& dim : shape) json.push_back(toJson(dim));
    return json;
}

DimExpr dimFromJson(Json const& json) {
    Terms terms;
    if (!json.is_object() || !json.contains("terms")) return terms.read(json);
    Json const& list = json["terms"];
    if (!list.is_array() || list.empty()) fail(ErrorCode::InvalidPlan, "the terms of a dimension are not a list");
    for (Json const& term : list) terms.known.push_back(terms.read(term));
    return terms.known.back();
}

std::string keyOf(std::string_view name) {
    std::string key;
    for (char const letter : name) {
        if (std::isupper(static_cast<unsigned char>(letter)) != 0) key += '_';
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return key;
}

Shape shapeFromJson(Json const& json) {
    if (!json.is_array()) fail(ErrorCode::InvalidPlan, "a shape is not a list");
    Shape shape;
    for (Json const& dim : json) shape.push_back(dimFromJson(dim));
    return shape;
}

void JsonWriter::operator()(std::string_view name, double& value) { put(name, number(value)); }

void JsonWriter::operator()(std::string_view name, std::string& value) {
    expectUtf8(value, text("field ", keyOf(name)));
    put(name, value);
}

void JsonWriter::operator()(std::string_view name, std::vector<double>& value) {
    Json all = Json::array();
    for (double element : value) all.push_back(number(element));
    put(name, std::move(all));
}

void JsonWriter::list(std::string_view name, size_t count, std::function<void(size_t)> const&, Element const& element) {
    Json all = Json::array();
    for (size_t i = 0; i < count; ++i) {
        JsonWriter inner(store_);
        element(i, inner);
        all.push_back(std::move(inner.json));
    }
    put(name, std::move(all));
}

Json const* JsonReader::find(std::string_view name) {
    auto const found = json_.find(keyOf(name));
    if (found == json_.end()) {
        if (missing_ == Missing::Fails) fail(ErrorCode::InvalidPlan, "field ", keyOf(name), " is missing");
        return nullptr;
    }
    read_.push_back(found.key());
    return &*found;
}

std::unique_ptr<Layer> JsonReader::layerOf(std::string_view kind) const {
    if (kind == PluginLayer::kKind) return std::make_unique<PluginLayer>();
    return makeLayer(kind);
}

void JsonReader::expectAllRead() const {
    for (auto const& [key, value] : json_.items()) {
        if (std::ranges::find(read_, key) == read_.end())
            fail(ErrorCode::InvalidPlan, "field ", key, " is not known to this version");
    }
}

void JsonReader::operator()(std::string_view name, bool& value) {
    Json const* json = find(name);
    if (!json) return;
    if (!json->is_boolean()) wrongKind(name, "true or false");
    value = json->get<bool>();
}

void JsonReader::operator()(std::string_view name, int64_t& value) {
    if (Json const* json = find(name)) value = integerOf(name, *json);
}

void JsonReader::operator()(std::string_view name, double& value) {
    if (Json const* json = find(name)) value = realOf(name, *json);
}

void JsonReader::operator()(std::string_view name, std::string& value) {
    if (Json const* json = find(name)) value = stringOf(name, *json);
}

void JsonReader::operator()(std::string_view name, DataType& value) {
    Json const* json = find(name);
    if (!json) return;
    auto const type = dataTypeNamed(stringOf(name, *json));
    if (!type) fail(ErrorCode::InvalidPlan, "type ", stringOf(name, *json), " is not known");
    value = *type;
}

void JsonReader::operator()(std::string_view name, std::vector<int64_t>& value) {
    Json const* json = find(name);
    if (!json) return;
    if (!json->is_array()) wrongKind(name, "a list");
    value.clear();
    for (Json const& element : *json) value.push_back(integerOf(name, element));
}

void JsonReader::operator()(std::string_view name, std::vector<double>& value) {
    Json const* json = find(name);
    if (!json) return;
    if (!json->is_array()) wrongKind(name, "a list");
    value.clear();
    for (Json const& element : *json) value.push_back(realOf(name, element));
}

void JsonReader::operator()(std::string_view name, Literal& value) {
    if (Json const* json = find(name)) value = fetch_(integerOf(name, *json));
}

void JsonReader::operator()(std::string_view name, Shape& value) {
    if (Json const* json = find(name)) value = shapeFromJson(*json);
}

void JsonReader::enumerator(std::string_view name, int64_t& value, std::span<std::string_view const> names) {
    Json const* json = find(name);
    if (!json) return;
    auto const found = std::ranges::find(names, stringOf(name, *json));
    if (found == names.end())
        fail(ErrorCode::InvalidPlan, "field ", name, " has the unknown value ", stringOf(name, *json));
    value = found - names.begin();
}

void JsonReader::list(std::string_view name, size_t, std::function<void(size_t)> const& resize,
                      Element const& element) {
    Json const* json = find(name);
    if (!json) return;
    if (!json->is_array()) wrongKind(name, "a list");
    resize(json->size());
    for (size_t i = 0; i < json->size(); ++i) {
        JsonReader inner((*json)[i], fetch_, missing_);
        element(i, inner);
        inner.expectAllRead();
    }
}

} // namespace tenon
