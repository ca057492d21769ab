// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/literal.h"
#include "graph/dim_expr.h"

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Throws an Error if the value of a field is not between `least` and `most`.
void expectFieldWithin(std::string_view name, int64_t value, int64_t least, int64_t most);

/// Visits the fields of a layer (or of anything with a fixed set of named values). A type names its fields once, in
/// `void fields(Fields& f) { f("axis", axis); f("mode", mode); }`; printing, comparing, saving and loading are each one
/// implementation of this class. An enum E is visited through `names(E{})`, found by ADL: the span of its enumerators'
/// names in order, so that files and messages contain names instead of numbers.
class Fields {
public:
    virtual ~Fields() = default;

    virtual void operator()(std::string_view name, bool& value) = 0;
    virtual void operator()(std::string_view name, int64_t& value) = 0;
    virtual void operator()(std::string_view name, double& value) = 0;
    virtual void operator()(std::string_view name, std::string& value) = 0;
    virtual void operator()(std::string_view name, DataType& value) = 0;
    virtual void operator()(std::string_view name, std::vector<int64_t>& value) = 0;
    virtual void operator()(std::string_view name, std::vector<double>& value) = 0;
    virtual void operator()(std::string_view name, Literal& value) = 0;
    virtual void operator()(std::string_view name, Shape& value) = 0;
    virtual void enumerator(std::string_view name, int64_t& value, std::span<std::string_view const> names) = 0;
    /// A list of structs with fields: `count` is read or set, then `element(i, fields)` is called for each.
    using Element = std::function<void(size_t index, Fields& fields)>;
    virtual void list(std::string_view name, size_t count, std::function<void(size_t)> const& resize,
                      Element const& element) = 0;

    /// Whether an optional field is visited: when writing, if it is set; when reading, if it is present.
    virtual bool visits(std::string_view /*name*/, bool isSet) { return isSet; }

    template <class E>
    requires std::is_enum_v<E>
    void operator()(std::string_view name, E& value) {
        auto number = static_cast<int64_t>(value);
        enumerator(name, number, names(value));
        value = static_cast<E>(number);
    }

    template <class T>
    requires requires(T& element, Fields& f) { element.fields(f); }
    void operator()(std::string_view name, std::vector<T>& values) {
        list(
            name, values.size(), [&](size_t count) { values.resize(count); },
            [&](size_t i, Fields& f) { values[i].fields(f); });
    }
};

/// Visits a field that is not an int64. Throws an Error if the value read is not between `least` and `most`.
template <std::integral T> void visitWithin(Fields& f, std::string_view name, T& value, int64_t least, int64_t most) {
    auto number = static_cast<int64_t>(value);
    f(name, number);
    expectFieldWithin(name, number, least, most);
    value = static_cast<T>(number);
}

class Layer;

/// "axis=1, mode=max" for messages and printed graphs; big literals by type and shape.
std::string printFields(Layer const& layer);
/// Same kind and equal fields.
bool sameFields(Layer const& a, Layer const& b);

} // namespace tenon
