// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/extent_check/extent_check.h"

#include "base/error.h"
#include "graph/evaluate.h"

#include <map>

namespace tenon {

namespace layers {
LayerEntry extentCheckLayer() { return entryOf<ExtentCheck>(); }
} // namespace layers

namespace {

using Extents = std::map<std::string, DimExpr, std::less<>>;

DimExpr const& extentOf(Operands const& in, ExtentCheck::Extent const& extent) {
    bool const isThere = extent.input >= 0 && extent.input < in.count() && extent.axis >= 0 &&
                         extent.axis < in.rank(static_cast<int>(extent.input));
    if (!isThere)
        fail(ErrorCode::InvalidArgument, extent.name, " is axis ", extent.axis, " of input ", extent.input,
             ", which does not exist");
    return in[static_cast<int>(extent.input)].shape[static_cast<size_t>(extent.axis)];
}

/// Without the extents in which inputs disagree, as they may at the ends of a profile: rules then know the name only.
Extents extentsOf(ExtentCheck const& layer, Operands const& in) {
    Extents extents;
    for (ExtentCheck::Extent const& one : layer.extents) {
        DimExpr const& found = extentOf(in, one);
        auto const [known, isNew] = extents.emplace(one.name, found);
        if (!isNew && !(known->second == found)) known->second = DimExpr::symbol(one.name);
    }
    return extents;
}

Shape substituted(Shape shape, Extents const& extents) {
    for (DimExpr& dim : shape) {
        dim = dim.substitute([&](std::string const& name) -> std::optional<DimExpr> {
            auto const found = extents.find(name);
            return found == extents.end() ? std::nullopt : std::optional(found->second);
        });
    }
    return shape;
}

/// Rules rely on these properties, and a file may be malformed.
void expectAlike(ExtentCheck::Seen const& seen, Operand const& operand) {
    bool const isLiteral =
        !seen.literal || (seen.literal.type() == seen.type && toShape(seen.literal.dims()) == seen.shape);
    bool const areValues =
        !operand.values || volume(seen.shape) == DimExpr(static_cast<int64_t>(operand.values->size()));
    if (!isLiteral || !areValues || seen.values.size() > 1)
        fail(ErrorCode::InvalidPlan, "its elements do not match shape ", seen.shape);
}

Operand operandOf(ExtentCheck::Seen const& seen, Extents const& extents) {
    Operand operand{.present = seen.present,
                    .type = seen.type,
                    .shape = substituted(seen.shape, extents),
                    .values = {},
                    .literal = seen.literal ? &seen.literal : nullptr};
    if (!seen.values.empty()) operand.values = substituted(seen.values.front(), extents);
    expectAlike(seen, operand);
    return operand;
}

void check(ExtentCheck::Rule const& rule, Extents const& extents) {
    std::vector<Operand> operands;
    for (ExtentCheck::Seen const& seen : rule.inputs) operands.push_back(operandOf(seen, extents));
    auto const results = rule.layer->infer(Operands(std::move(operands), rule.node, rule.layer.get()));
    for (size_t i = 0; i < results.size(); ++i) {
        if (isConstant(results[i].shape)) expectExtents(toDims(results[i].shape), i);
    }
}

} // namespace

void ExtentCheck::Extent::fields(Fields& f) {
    f("name", name);
    f("input", input);
    f("axis", axis);
}

void ExtentCheck::Seen::fields(Fields& f) {
    f("present", present);
    f("type", type);
    f("shape", shape);
    f.list(
        "values", values.size(), [&](size_t count) { values.resize(count); },
        [&](size_t i, Fields& one) { one("elements", values[i]); });
    if (f.visits("literal", static_cast<bool>(literal))) f("literal", literal);
}

void ExtentCheck::Rule::fields(Fields& f) {
    f("node", node);
    f("kind", kind);
    f("inputs", inputs);
    if (!layer) layer = makeLayer(kind); // read from a file
    f.list(
        "fields", 1, [](size_t) {}, [&](size_t, Fields& own) { layer->fields(own); });
}

// X_i [any] →
std::vector<Result> ExtentCheck::infer(Operands const& in) const {
    Extents const known = extentsOf(*this, in);
    for (Rule const& rule : rules)
        locate([&] { return text(rule.node, " (", rule.kind, ')'); }, [&] { check(rule, known); });
    return {};
}

/// infer() checks all, and runs wherever shapes are inferred.
void ExtentCheck::reference(std::span<HostTensor const> /*in*/, std::span<HostTensor const> /*out*/) const {}

} // namespace tenon
