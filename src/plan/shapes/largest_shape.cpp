// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/largest_shape.h"

#include "base/error.h"
#include "plan/shapes/element_bounds.h"
#include "plan/shapes/host_tensors.h"

#include <algorithm>

namespace tenon {
namespace {

/// The known bounds of the symbols in the shapes of a graph at some input shapes.
class Symbols {
public:
    Symbols(ShapeProgram const& program, ShapeProgram::Shapes const& shapes)
        : program_(program), shapes_(shapes), elements_([this](DimExpr const& extent) { return boundsOf(extent); }) {
        for (Tensor const* input : program.graph().inputs()) learn(*input);
        for (Node const* node : program.nodes()) {
            learnSizes(*node);
            learnFromElements(*node);
            for (Tensor const* output : node->outputs()) learn(*output);
            elements_.learn(*node);
        }
    }

    std::optional<Interval> boundsOf(DimExpr const& extent) const {
        return tenon::boundsOf(extent, [this](std::string const& symbol) -> std::optional<Interval> {
            auto const found = known_.find(symbol);
            return found == known_.end() ? Interval{0, INT64_MAX} : found->second;
        });
    }

private:
    bool isKnown(Tensor const* tensor) const {
        return tensor == nullptr || !shapes_.bounded[static_cast<size_t>(program_.numberOf(tensor))];
    }

    /// An axis that is a symbol, of a tensor whose shape is known.
    void learn(Tensor const& tensor) {
        auto const at = static_cast<size_t>(program_.numberOf(&tensor));
        for (size_t axis = 0; axis < tensor.shape.size() && isKnown(&tensor); ++axis) {
            int64_t const extent = shapes_.dims[at][static_cast<int>(axis)];
            if (tensor.shape[axis].op() == DimExpr::Op::Symbol) known_[tensor.shape[axis].name()] = {extent, extent};
        }
    }

    /// With numeric bounds if the shapes that a node reads are known, else with expressions.
    void learnSizes(Node const& node) {
        if (hasConstantShapes(node)) return;
        bool const areKnown = std::ranges::all_of(node.inputs(), [&](Tensor const* one) { return isKnown(one); });
        Operands const operands = areKnown ? program_.operandsOf(node, shapes_) : operandsOf(node);
        for (SizeTensor const& size : node.layer->sizes(operands)) {
            if (auto const upper = boundsOf(size.upper)) known_[size.symbol] = {0, std::max<int64_t>(upper->most, 0)};
        }
    }

    static bool hasConstantShapes(Node const& node) {
        return std::ranges::all_of(node.outputs(), [](Tensor const* output) { return isConstant(output->shape); });
    }

    /// The results of a node's rule if the elements that it reads are symbols.
    void learnFromElements(Node const& node) {
        bool anyNamed = false;
        std::vector<Operand> operands;
        for (size_t i = 0; i < node.inputs().size(); ++i) operands.push_back(operandOf(node, i, anyNamed));
        if (!anyNamed || hasConstantShapes(node)) return;
        try {
            auto const results = node.layer->infer(Operands(std::move(operands), node.name, node.layer.get()));
            for (size_t i = 0; i < std::min(results.size(), node.outputs().size()); ++i)
                learnFrom(results[i].shape, node.outputs()[i]->shape);
        } catch (Error const&) { // a rule that accepts numbers only
        }
    }

    Operand operandOf(Node const& node, size_t i, bool& isNamed) {
        Tensor const* const input = node.inputs()[i];
        if (input == nullptr) return {.present = false, .shape = {}, .values = {}};
        Operand operand{
            .type = input->type, .shape = input->shape, .values = input->values, .literal = input->literal()};
        if (operand.values || !isMeasured(node, static_cast<int>(i))) return operand;
        operand.values = namedElements(*input);
        isNamed = isNamed || operand.values;
        return operand;
    }

    /// None if one may be negative: symbols are not.
    std::optional<Shape> namedElements(Tensor const& tensor) {
        constexpr int64_t kMost = 64;
        Interval const bounds = elements_.of(tensor);
        if (!isConstant(tensor.shape) || toDims(tensor.shape).volume() > kMost || bounds.least < 0) return std::nullopt;
        Shape elements;
        for (int64_t i = 0; i < toDims(tensor.shape).volume(); ++i) {
            elements.push_back(DimExpr::symbol(text("element ", i, " of tensor ", program_.numberOf(&tensor))));
            known_[elements.back().name()] = bounds;
        }
        return elements;
    }

    void learnFrom(Shape const& found, Shape const& named) {
        for (size_t axis = 0; axis < std::min(found.size(), named.size()); ++axis) {
            if (named[axis].op() != DimExpr::Op::Symbol) continue;
            if (auto const bounds = boundsOf(found[axis])) known_[named[axis].name()] = *bounds;
        }
    }

    ShapeProgram const& program_;
    ShapeProgram::Shapes const& shapes_;
    std::unordered_map<std::string, Interval> known_;
    ElementBounds elements_;
};

} // namespace

std::optional<Dims> largestShape(ShapeProgram const& program, ShapeProgram::Shapes const& shapes,
                                 Tensor const& tensor) {
    constexpr int64_t kUnbounded = int64_t{1} << 48; // no extent is as large
    Symbols const symbols(program, shapes);
    Dims most;
    for (DimExpr const& extent : tensor.shape) {
        auto const bounds = symbols.boundsOf(extent);
        if (!bounds || bounds->most >= kUnbounded) return std::nullopt;
        most.push(std::max<int64_t>(bounds->most, 0));
    }
    return most;
}

} // namespace tenon
