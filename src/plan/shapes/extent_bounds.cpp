// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/extent_bounds.h"

#include "base/error.h"
#include "base/tensor_size.h"
#include "graph/dim_bounds.h"
#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"

#include <algorithm>
#include <unordered_map>

namespace tenon {
namespace {

using Symbols = std::unordered_map<std::string, Interval>;
using Points = ExtentBounds::Points;

std::optional<Interval> boundsIn(Symbols const& symbols, DimExpr const& dim) {
    return boundsOf(dim, [&](std::string const& symbol) -> std::optional<Interval> {
        auto const found = symbols.find(symbol);
        return found == symbols.end() ? std::nullopt : std::optional(found->second);
    });
}

Interval spanAt(Points const& points, size_t tensor, int axis) {
    auto const at = [&](size_t point) { return points[point]->dims[tensor][axis]; };
    auto const [least, most] = std::minmax({at(0), at(1), at(2)});
    return {least, most};
}

Interval spanOfElement(InputRange const& range, size_t element) {
    auto const [least, most] =
        std::minmax({range.minValues[element], range.optValues[element], range.maxValues[element]});
    return {least, most};
}

/// The elements of an input that decides shapes, as a symbol if the profile leaves a choice. None if one may be
/// negative: extents are not, and the meaning of a negative one (the wildcard of a reshape) is left to the rules.
std::optional<Shape> namedElements(Tensor const& input, InputRange const& range, Symbols& symbols) {
    constexpr int64_t kMost = 64; // as the API promises for shape tensors
    if (!isInteger(input.type) || !isConstant(input.shape) || toDims(input.shape).volume() > kMost) return std::nullopt;
    auto const count = static_cast<size_t>(toDims(input.shape).volume());
    for (auto const* values : {&range.minValues, &range.optValues, &range.maxValues}) {
        if (values->size() != count) return std::nullopt;
    }
    Shape elements;
    Symbols named;
    for (size_t i = 0; i < count; ++i) {
        Interval const span = spanOfElement(range, i);
        if (span.least == span.most) {
            elements.emplace_back(span.least);
            continue;
        }
        if (span.least < 0) return std::nullopt;
        elements.push_back(DimExpr::symbol(text("element ", i, " of ", input.name)));
        named.emplace(elements.back().name(), span);
    }
    symbols.merge(named);
    return elements;
}

/// The graph with the results of its rules when elements of its inputs are symbols; nullopt if no input has symbols.
std::optional<Graph> withNamedElements(Graph const& graph, Profile const& profile, Symbols& symbols) {
    std::optional<Graph> named;
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
        Tensor const& input = *graph.inputs()[i];
        auto const range = profile.find(input.name);
        if (!input.onHost || range == profile.end()) continue;
        auto elements = namedElements(input, range->second, symbols);
        if (!elements) continue;
        if (!named) named = graph;
        named->inputs()[i]->values = std::move(elements);
    }
    if (!named) return named;
    size_t const tensors = named->tensors().size();
    try {
        named->infer();
    } catch (Error const&) { // a rule that accepts numbers only
        return std::nullopt;
    }
    return named->tensors().size() == tensors ? std::move(named) : std::nullopt;
}

/// The known bounds of all symbols in the shapes of a graph.
class SymbolFinder {
public:
    SymbolFinder(Graph const& graph, Points const& points, Symbols& symbols) : points_(points), symbols_(symbols) {
        std::unordered_map<Tensor const*, size_t> numbers;
        for (auto const& tensor : graph.tensors()) numbers.emplace(tensor.get(), numbers.size());
        for (Tensor const* input : graph.inputs()) look(*input, numbers.at(input));
        for (Node const* node : graph.order()) {
            findSizes(*node);
            findCondition(*node);
            for (Tensor const* output : node->outputs()) look(*output, numbers.at(output));
        }
    }

private:
    /// An extent depends on data, up to a bound.
    void findSizes(Node const& node) {
        auto const isOpen = [](Tensor const* output) { return !isConstant(output->shape); };
        if (std::ranges::none_of(node.outputs(), isOpen)) return;
        for (SizeTensor const& size : node.layer->sizes(operandsOf(node))) {
            if (auto const upper = boundsIn(symbols_, size.upper); upper && upper->most >= 0)
                symbols_.emplace(size.symbol, Interval{0, upper->most});
        }
    }

    /// The index of the running branch is 0 or 1 in the extents of an If.
    void findCondition(Node const& node) {
        auto const* const layer = as<Conditional>(*node.layer);
        std::string const symbol = layer ? layer->conditionSymbol(operandsOf(node)) : std::string();
        if (!symbol.empty()) symbols_.emplace(symbol, Interval{0, 1});
    }

    /// An axis that is a symbol has known extents at the three points: for an input these are all. Not if they are
    /// known at run time only.
    void look(Tensor const& tensor, size_t number) {
        if (points_[0]->bounded[number] != 0) return;
        for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
            if (tensor.shape[axis].op() != DimExpr::Op::Symbol) continue;
            Interval const span = spanAt(points_, number, static_cast<int>(axis));
            auto const [known, isNew] = symbols_.emplace(tensor.shape[axis].name(), span);
            if (!isNew) known->second = spanOf(known->second, span);
        }
    }

    Points const& points_;
    Symbols& symbols_;
};

bool isHoldable(DataType type, Dims const& dims) {
    try {
        expectHoldable(type, dims);
    } catch (Error const&) {
        return false;
    }
    return true;
}

/// The greatest elements, if the bounds of all are known.
std::optional<Shape> mostOf(std::optional<Shape> const& values, Symbols const& symbols) {
    if (!values) return std::nullopt;
    Shape most;
    for (DimExpr const& value : *values) {
        auto const bounds = boundsIn(symbols, value);
        if (!bounds) return std::nullopt;
        most.emplace_back(bounds->most);
    }
    return most;
}

} // namespace

ExtentBounds::ExtentBounds(Graph const& graph, Profile const& profile, Points const& points) {
    Symbols symbols;
    auto const named = withNamedElements(graph, profile, symbols);
    Graph const& known = named ? *named : graph;
    SymbolFinder(known, points, symbols);
    for (size_t number = 0; number < known.tensors().size(); ++number) {
        Tensor const& tensor = *known.tensors()[number];
        Dims least;
        Dims most;
        Dims mostAtPoints;
        for (int axis = 0; axis < points[0]->dims[number].rank(); ++axis) {
            Interval const span = spanAt(points, number, axis);
            auto const bounds = boundsIn(symbols, tensor.shape[static_cast<size_t>(axis)]);
            Interval const all = bounds ? spanOf(span, *bounds) : span;
            bool const isOpen = points[0]->bounded[number] != 0 && !bounds; // the points have guesses
            least.push(isOpen ? 0 : std::max<int64_t>(all.least, 0));
            most.push(all.most);
            mostAtPoints.push(span.most);
        }
        least_.push_back(least);
        most_.push_back(isHoldable(tensor.type, most) ? most : mostAtPoints);
        mostValues_.push_back(mostOf(tensor.values, symbols));
    }
}

bool ExtentBounds::goTogether(Node const& node, ShapeProgram const& program) const {
    std::vector<Operand> operands;
    for (Tensor const* input : node.inputs()) {
        if (input == nullptr) {
            operands.push_back({.present = false, .shape = {}, .values = {}});
            continue;
        }
        auto const number = static_cast<size_t>(program.numberOf(input));
        operands.push_back({.type = input->type,
                            .shape = toShape(most_[number]),
                            .values = mostValues_[number],
                            .literal = input->literal()});
    }
    try {
        Operands const in(std::move(operands), node.name, node.layer.get());
        OutputSpaces const spaces(*node.layer, in);
        for (size_t i = 0; i < node.outputs().size(); ++i) {
            auto const number = static_cast<size_t>(program.numberOf(node.outputs()[i]));
            if (spaces.atMost(i) != toShape(most_[number])) return false;
        }
        return true;
    } catch (Error const&) {
        return false;
    }
}

} // namespace tenon
