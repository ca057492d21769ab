// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/fields.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/layer.h"

namespace tenon {
namespace {

class Printer final : public Fields {
public:
    std::string printed;

    void operator()(std::string_view name, bool& value) override { put(name, value); }
    void operator()(std::string_view name, int64_t& value) override { put(name, value); }
    void operator()(std::string_view name, double& value) override { put(name, value); }
    void operator()(std::string_view name, std::string& value) override { put(name, text('"', value, '"')); }
    void operator()(std::string_view name, DataType& value) override { put(name, value); }
    void operator()(std::string_view name, std::vector<int64_t>& value) override { putAll(name, value); }
    void operator()(std::string_view name, std::vector<double>& value) override { putAll(name, value); }
    void operator()(std::string_view name, Literal& value) override { put(name, text(value.type(), value.dims())); }
    void operator()(std::string_view name, Shape& value) override { put(name, value); }
    void enumerator(std::string_view name, int64_t& value, std::span<std::string_view const> names) override {
        put(name, names[static_cast<size_t>(value)]);
    }
    void list(std::string_view name, size_t count, std::function<void(size_t)> const&,
              Element const& element) override {
        std::string elements;
        for (size_t i = 0; i < count; ++i) {
            Printer inner;
            element(i, inner);
            elements += text('{', inner.printed, '}');
        }
        put(name, elements);
    }

private:
    template <class T> void put(std::string_view name, T const& value) {
        if (!printed.empty()) printed += ", ";
        printed += text(name, '=', value);
    }
    template <class T> void putAll(std::string_view name, std::vector<T> const& values) {
        put(name, text('[', joined(values, ","), ']'));
    }
};

/// Literals and shapes in order; everything else is compared as printed, where each value has exactly one form.
class ValueCollector final : public Fields {
public:
    std::vector<Literal> literals;
    std::vector<Shape> shapes;

    void operator()(std::string_view, bool&) override {}
    void operator()(std::string_view, int64_t&) override {}
    void operator()(std::string_view, double&) override {}
    void operator()(std::string_view, std::string&) override {}
    void operator()(std::string_view, DataType&) override {}
    void operator()(std::string_view, std::vector<int64_t>&) override {}
    void operator()(std::string_view, std::vector<double>&) override {}
    void operator()(std::string_view, Shape& value) override { shapes.push_back(value); }
    void operator()(std::string_view, Literal& value) override { literals.push_back(value); }
    void enumerator(std::string_view, int64_t&, std::span<std::string_view const>) override {}
    void list(std::string_view, size_t count, std::function<void(size_t)> const&, Element const& element) override {
        for (size_t i = 0; i < count; ++i) element(i, *this);
    }
};

template <class Visitor> Visitor visit(Layer const& layer) {
    Visitor visitor;
    const_cast<Layer&>(layer).fields(visitor); // these two visitors only read
    return visitor;
}

} // namespace

void expectFieldWithin(std::string_view name, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most)
        fail(ErrorCode::InvalidPlan, "field ", name, " is not an integer from ", least, " to ", most);
}

std::string printFields(Layer const& layer) { return visit<Printer>(layer).printed; }

bool sameFields(Layer const& a, Layer const& b) {
    if (a.kind() != b.kind() || printFields(a) != printFields(b)) return false;
    auto const mine = visit<ValueCollector>(a);
    auto const others = visit<ValueCollector>(b);
    return mine.literals == others.literals && mine.shapes == others.shapes;
}

} // namespace tenon
