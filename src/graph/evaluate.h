// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// The type and extents of an output.
struct OutputSpace {
    DataType type;
    Dims dims;

    size_t bytes() const { return bytesOf(type, dims.volume()); }
};

/// The outputs of a layer, by its reference, for these inputs (no data: an optional one that is not there, or one of
/// which the layer reads the shape only).
std::vector<Literal> computeByReference(Layer const& layer, std::span<HostTensor const> in,
                                        std::span<OutputSpace const> out);

/// The outputs of a node for these inputs (null: an optional one that is not there), by its reference. An Error when
/// they do not fit the layer's rules.
std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs);

/// An Error where output number `output` of a node would have a negative extent.
void expectExtents(Dims const& dims, size_t output);

/// The elements of a tensor that its shape rule knows, when all of them are numbers.
std::optional<Literal> valuesOf(Tensor const& tensor);

/// The elements of a tensor that depends on constants alone, or whose shape rule knows them; none when it depends on
/// more.
std::optional<Literal> constantValue(Tensor const& tensor);

} // namespace tenon
