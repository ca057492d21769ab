// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/shape_program.h"

#include "base/error.h"
#include "base/tensor_size.h"
#include "graph/evaluate.h"

#include <algorithm>

namespace tenon {
namespace {

bool isOnHost(Node const& node) { return !node.outputs().empty() && node.output()->onHost; }

/// Whether the elements of an input determine the results of a node's rules, or are computed with on the host.
bool readsElements(Node const& node, int input) {
    return node.layer->readsValuesOf(input) || (isOnHost(node) && !node.layer->readsShapeOnly(input));
}

} // namespace

ShapeProgram::ShapeProgram(Graph const& graph) : graph_(graph), nodes_(graph.order()) {
    for (auto const& tensor : graph.tensors()) numbers_.emplace(tensor.get(), static_cast<int>(numbers_.size()));
}

Operands ShapeProgram::operandsOf(Node const& node, Shapes const& shapes) const {
    std::vector<Operand> operands;
    for (Tensor const* input : node.inputs()) {
        if (input == nullptr) {
            operands.push_back({.present = false, .shape = {}, .values = {}});
            continue;
        }
        auto const at = static_cast<size_t>(numberOf(input));
        Literal const* literal = shapes.host[at] ? &shapes.host[at] : nullptr;
        operands.push_back({.type = input->type, .shape = toShape(shapes.dims[at]), .values = {}, .literal = literal});
    }
    return {std::move(operands), node.name, node.layer.get()};
}

/// One evaluation.
struct ShapeProgram::Run {
    ShapeProgram const& program;
    Known const& known;
    Shapes shapes;
    std::unordered_map<std::string, int64_t> planned = {}; // the values with which symbols are planned

    size_t at(Tensor const* tensor) const { return static_cast<size_t>(program.numberOf(tensor)); }

    void give(Tensor const& input, Input const& given) {
        shapes.dims[at(&input)] = given.dims;
        shapes.host[at(&input)] = given.host;
        for (size_t axis = 0; axis < input.shape.size(); ++axis) {
            if (input.shape[axis].op() == DimExpr::Op::Symbol)
                planned[input.shape[axis].name()] = given.dims[static_cast<int>(axis)];
        }
        measure(input);
    }

    void evaluate(Node const& node) {
        bool const isOpen = readsUnknown(node);
        if (isOpen) {
            plan(node);
        } else {
            apply(node, isOpen);
        }
        for (Tensor const* output : node.outputs()) measure(*output);
    }

private:
    /// A run has determined the elements of this tensor.
    void measure(Tensor const& tensor) {
        auto const found = known.elements.find(program.numberOf(&tensor));
        if (found != known.elements.end()) shapes.host[at(&tensor)] = found->second;
    }

    bool readsUnknown(Node const& node) const {
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            if (node.inputs()[i] == nullptr) continue;
            size_t const input = at(node.inputs()[i]);
            bool const lacks = !shapes.host[input] || shapes.guessed[input];
            if (shapes.bounded[input] || (lacks && readsElements(node, static_cast<int>(i)))) return true;
        }
        return false;
    }

    /// The consequences of unknown values: by the rules for upper bounds, or else by the expressions of the extents.
    void plan(Node const& node) {
        try {
            apply(node, true);
        } catch (Error const&) { // bounds and guesses need not fit together
            for (Tensor const* output : node.outputs()) {
                shapes.dims[at(output)] = plannedDims(*output);
                shapes.host[at(output)] = {};
            }
        }
        for (Tensor const* output : node.outputs()) {
            shapes.bounded[at(output)] = isConstant(output->shape) ? 0 : 1;
            shapes.guessed[at(output)] = 1;
            if (isConstant(output->shape)) shapes.dims[at(output)] = toDims(output->shape);
            shapes.unbounded[at(output)] = 0; // it runs when more is known
        }
    }

    /// The certainty of an output's shape.
    struct Certainty {
        bool bounded = false;
        bool unbounded = false;
    };

    void apply(Node const& node, bool isOpen) {
        OutputSpaces const outputs(*node.layer, program.operandsOf(node, shapes));
        for (SizeTensor const& size : outputs.sizes) {
            if (size.upper.isConstant()) planned[size.symbol] = size.upper.constant();
        }
        for (size_t i = 0; i < outputs.results.size(); ++i) {
            Certainty certainty;
            Dims dims;
            for (DimExpr const& dim : outputs.results[i].shape)
                dims.push(dim.substitute([&](std::string const& symbol) {
                                 return extentOf(symbol, outputs.sizes, isOpen, certainty);
                             })
                              .constant());
            expectExtents(dims, i);
            expectHoldable(outputs.results[i].type, dims);
            auto const output = at(node.outputs()[i]);
            shapes.dims[output] = dims;
            shapes.bounded[output] = certainty.bounded ? 1 : 0;
            shapes.unbounded[output] = certainty.unbounded ? 1 : 0;
            if (Literal const* literal = node.layer->constant()) shapes.host[output] = *literal;
        }
        if (isOnHost(node) && !node.layer->constant()) computeOnHost(node);
    }

    /// A symbol's value: known from the run, its upper bound, or, if not all is known, a guess.
    std::optional<DimExpr> extentOf(std::string const& symbol, std::vector<SizeTensor> const& sizes, bool isOpen,
                                    Certainty& certainty) const {
        if (auto const found = known.sizes.find(symbol); found != known.sizes.end()) return found->second;
        for (SizeTensor const& size : sizes) {
            if (size.symbol != symbol) continue;
            certainty.bounded = true;
            certainty.unbounded = certainty.unbounded || !size.upper.isConstant();
            return size.upper.isConstant() || isOpen ? size.upper : kGuess;
        }
        return isOpen ? std::optional<DimExpr>(kGuess) : std::nullopt;
    }

    void computeOnHost(Node const& node) {
        auto results = computeAhead(node, program.operandsOf(node, shapes), kShapeBudget);
        if (results.empty()) refuse(node);
        for (size_t i = 0; i < results.size(); ++i) {
            auto const output = at(node.outputs()[i]);
            shapes.dims[output] = results[i].dims(); // data-dependent extents are known now
            shapes.bounded[output] = 0;
            shapes.host[output] = std::move(results[i]);
        }
    }

    [[noreturn]] void refuse(Node const& node) const {
        auto const bytes = [&](Tensor const* output) {
            return bytesOf(output->type, shapes.dims[at(output)].volume());
        };
        Tensor const* const largest = *std::ranges::max_element(node.outputs(), {}, bytes);
        fail(ErrorCode::Unsupported, "output ", largest->name, ' ', largest->type, shapes.dims[at(largest)],
             " decides shapes and requires ", bytes(largest), " bytes; at most ", kShapeBudget.always,
             " are computed before the run");
    }

    /// By the expressions of its extents.
    Dims plannedDims(Tensor const& tensor) const {
        for (int64_t const guess : {kGuess, int64_t{1}}) {
            auto const dims = dimsWith(tensor, guess);
            if (dims) return *dims;
        }
        return Dims::filled(static_cast<int>(tensor.shape.size()), 1);
    }

    std::optional<Dims> dimsWith(Tensor const& tensor, int64_t guess) const {
        auto const valueOf = [&](std::string const& symbol) -> std::optional<DimExpr> {
            if (auto const found = known.sizes.find(symbol); found != known.sizes.end()) return found->second;
            auto const found = planned.find(symbol);
            return found == planned.end() ? guess : found->second;
        };
        try {
            Dims dims;
            for (DimExpr const& dim : tensor.shape) dims.push(std::max<int64_t>(dim.substitute(valueOf).constant(), 0));
            expectHoldable(tensor.type, dims);
            return dims;
        } catch (Error const&) { // such as a division by 0
            return std::nullopt;
        }
    }
};

ShapeProgram::Shapes ShapeProgram::evaluate(std::vector<Input> const& inputs, Known const& known) const {
    auto const count = static_cast<size_t>(tensorCount());
    std::vector<char> const none(count, 0);
    Run run{*this, known, {std::vector<Dims>(count), std::vector<Literal>(count), none, none, none}};
    for (size_t i = 0; i < inputs.size(); ++i) run.give(*graph_.inputs()[i], inputs[i]);
    for (Node const* node : nodes_) locate([&] { return text(*node); }, [&] { run.evaluate(*node); });
    return std::move(run.shapes);
}

} // namespace tenon
