// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// The results of a layer's rules for inputs of known shapes.
struct OutputSpaces {
    std::vector<Result> results;
    std::vector<SizeTensor> sizes; // the data-dependent extents in their shapes

    OutputSpaces(Layer const& layer, Operands const& in) : results(layer.infer(in)), sizes(layer.sizes(in)) {}

    /// The shape of an output with data-dependent extents at their upper bounds: its memory is planned for that.
    Shape atMost(size_t output) const;
    /// Outputs with memory for the shapes of atMost(), in the shapes that the size tensors among them give.
    std::vector<Literal> cut(std::vector<Literal> outputs) const;
};

/// The outputs of a layer for these inputs, by its reference (without data: a missing optional input, or one of which
/// the layer reads the shape only).
std::vector<Literal> computeByReference(Layer const& layer, std::span<HostTensor const> in, OutputSpaces const& out);

/// The results of a node's rules for these inputs (null: a missing optional one).
OutputSpaces outputSpaces(Node const& node, std::span<Literal const* const> inputs);

/// The outputs of a node for these inputs (null: a missing optional one), by its reference. An Error if the inputs do
/// not fit the layer's rules.
std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs);

/// Whether the result of a node on known inputs is known at run time only: its layer, or that of a node in a graph
/// inside it, has no reference or varies.
bool onlyRunsKnow(Node const& node);

/// Limits of outputs that are computed before the run: models need no larger constants, and may contain larger ones
/// unintentionally.
struct AheadBudget {
    size_t always;       // bytes allowed for any node
    size_t growth = 2;   // beyond those: bytes per byte of its inputs, where one of 8 bits counts as two
    bool bodies = false; // also nodes with a graph inside, whose time is not bounded
};
/// For results that the engine keeps.
inline constexpr AheadBudget kKeptBudget{.always = size_t{1} << 16};
/// For results that are inspected and dropped.
inline constexpr AheadBudget kReadBudget{.always = size_t{1} << 26};
/// For shape tensors, when shapes are set.
inline constexpr AheadBudget kShapeBudget{.always = size_t{1} << 28, .growth = 0, .bodies = true};

/// The outputs of a node computed before the run by its reference, from the literals of its inputs (for one that is
/// read for its shape only, the shape). Empty if they are known at run time only, or exceed the budget. An Error if the
/// inputs do not fit the layer's rules.
std::vector<Literal> computeAhead(Node const& node, Operands const& in, AheadBudget const& budget);

/// Throws an Error if output number `output` of a node would have a negative extent.
void expectExtents(Dims const& dims, size_t output);

/// The elements of a tensor that its shape rule knows, if all of them are numbers.
std::optional<Literal> valuesOf(Tensor const& tensor);

/// The elements of a tensor that depends on constants alone, or whose shape rule knows them; else none.
std::optional<Literal> constantValue(Tensor const& tensor);

/// The value of such a tensor with one element; an Error if it has another number of elements.
std::optional<int64_t> knownNumber(Tensor const& tensor);

} // namespace tenon
