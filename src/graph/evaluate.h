// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// What the rules of a layer say of its outputs for inputs of known shapes.
struct OutputSpaces {
    std::vector<Result> results;
    std::vector<SizeTensor> sizes; // the data-dependent extents in their shapes

    OutputSpaces(Layer const& layer, Operands const& in) : results(layer.infer(in)), sizes(layer.sizes(in)) {}

    /// The shape of an output with data-dependent extents at their upper bounds: what memory it may take.
    Shape atMost(size_t output) const;
    /// Outputs whose memory is as atMost() says, in the shapes that the size tensors among them give.
    std::vector<Literal> cut(std::vector<Literal> outputs) const;
};

/// The outputs of a layer, by its reference, for these inputs (no data: an optional one that is not there, or one of
/// which the layer reads the shape only).
std::vector<Literal> computeByReference(Layer const& layer, std::span<HostTensor const> in, OutputSpaces const& out);

/// What the rules of a node say for these inputs (null: an optional one that is not there).
OutputSpaces outputSpaces(Node const& node, std::span<Literal const* const> inputs);

/// The outputs of a node for these inputs (null: an optional one that is not there), by its reference. An Error when
/// they do not fit the layer's rules.
std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs);

/// Whether only a run knows what a node computes from known inputs: its layer has no reference or varies, or that of a
/// node in a graph inside of it does.
bool onlyRunsKnow(Node const& node);

/// How large outputs may be that are computed before the run: models need no larger constants, and their authors may
/// not have meant them.
struct AheadBudget {
    size_t always;       // bytes that any node may have
    size_t growth = 2;   // more than these: bytes per byte of its inputs, where one of 8 bits counts as two
    bool bodies = false; // nodes with a graph inside, too, which may take any time
};
/// Of what the engine keeps.
inline constexpr AheadBudget kKeptBudget{.always = size_t{1} << 16};
/// Of what is looked at and dropped.
inline constexpr AheadBudget kReadBudget{.always = size_t{1} << 26};
/// Of shape tensors, when shapes are set.
inline constexpr AheadBudget kShapeBudget{.always = size_t{1} << 28, .growth = 0, .bodies = true};

/// The outputs of a node computed before the run by its reference, from the literals of its inputs (of one that is read
/// for its shape only, the shape). Empty if only a run knows them, or they exceed the budget. An Error if the inputs do
/// not fit the layer's rules.
std::vector<Literal> computeAhead(Node const& node, Operands const& in, AheadBudget const& budget);

/// An Error where output number `output` of a node would have a negative extent.
void expectExtents(Dims const& dims, size_t output);

/// The elements of a tensor that its shape rule knows, when all of them are numbers.
std::optional<Literal> valuesOf(Tensor const& tensor);

/// The elements of a tensor that depends on constants alone, or whose shape rule knows them; none when it depends on
/// more.
std::optional<Literal> constantValue(Tensor const& tensor);

/// The one number that such a tensor holds; an Error where it holds another count.
std::optional<int64_t> knownNumber(Tensor const& tensor);

} // namespace tenon
