// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"
#include "plan/json/json_memory.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

Json toJson(DimExpr const& dim);
Json toJson(Shape const& shape);
DimExpr dimFromJson(Json const& json);
Shape shapeFromJson(Json const& json);

/// The key of a field: its name in the common style of keys, "keepDimensions" as "keep_dimensions".
std::string keyOf(std::string_view name);

/// Fields → a JSON object. Literals are stored elsewhere; `store` returns the number or text that refers to one.
class JsonWriter : public Fields {
public:
    using Store = std::function<Json(Literal const&)>;
    explicit JsonWriter(Store store) : store_(std::move(store)) {}
    Json json = Json::object();

    void operator()(std::string_view name, bool& value) override { put(name, value); }
    void operator()(std::string_view name, int64_t& value) override { put(name, value); }
    void operator()(std::string_view name, double& value) override;
    void operator()(std::string_view name, std::string& value) override;
    void operator()(std::string_view name, DataType& value) override { put(name, nameOf(value)); }
    void operator()(std::string_view name, std::vector<int64_t>& value) override { put(name, value); }
    void operator()(std::string_view name, std::vector<double>& value) override;
    void operator()(std::string_view name, Literal& value) override { put(name, store_(value)); }
    void operator()(std::string_view name, Shape& value) override { put(name, toJson(value)); }
    void enumerator(std::string_view name, int64_t& value, std::span<std::string_view const> names) override {
        put(name, names[static_cast<size_t>(value)]);
    }
    void list(std::string_view name, size_t count, std::function<void(size_t)> const& resize,
              Element const& element) override;

private:
    template <class T> void put(std::string_view name, T&& value) { json[keyOf(name)] = std::forward<T>(value); }
    Store store_;
};

/// A JSON object → fields. A value of the wrong kind is an Error. A missing key leaves its field unchanged, or is an
/// Error too; a field that `visits` queries may always be missing.
class JsonReader final : public Fields, public LayerSource {
public:
    using Fetch = std::function<Literal(int64_t)>;
    enum class Missing { Keeps, Fails };
    JsonReader(Json const& json, Fetch fetch, Missing missing = Missing::Keeps)
        : json_(json), fetch_(std::move(fetch)), missing_(missing) {}

    /// Throws an Error that names a key of the object that no field read: it would be lost silently.
    void expectAllRead() const;
    std::unique_ptr<Layer> layerOf(std::string_view kind) const override;

    void operator()(std::string_view name, bool& value) override;
    void operator()(std::string_view name, int64_t& value) override;
    void operator()(std::string_view name, double& value) override;
    void operator()(std::string_view name, std::string& value) override;
    void operator()(std::string_view name, DataType& value) override;
    void operator()(std::string_view name, std::vector<int64_t>& value) override;
    void operator()(std::string_view name, std::vector<double>& value) override;
    void operator()(std::string_view name, Literal& value) override;
    void operator()(std::string_view name, Shape& value) override;
    void enumerator(std::string_view name, int64_t& value, std::span<std::string_view const> names) override;
    void list(std::string_view name, size_t count, std::function<void(size_t)> const& resize,
              Element const& element) override;
    bool visits(std::string_view name, bool /*isSet*/) override { return json_.contains(keyOf(name)); }

private:
    Json const* find(std::string_view name);

    Json const& json_;
    Fetch fetch_;
    Missing missing_;
    std::vector<std::string_view> read_; // keys of json_
};

/// The fields of something without literals, as a JSON object.
template <class T> Json fieldsToJson(T described) {
    JsonWriter writer({});
    described.fields(writer);
    return std::move(writer.json);
}

/// The reverse. A missing field is an Error.
template <class T> T fieldsFromJson(Json const& json) {
    T described;
    JsonReader reader(json, {}, JsonReader::Missing::Fails);
    described.fields(reader);
    return described;
}

} // namespace tenon
