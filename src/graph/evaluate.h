// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// The outputs of a node for these inputs (null: an optional one that is not there), by its reference kernel. An Error
/// when they do not fit the layer's rules.
std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs);

/// An Error where output number `output` of a node would have a negative extent.
void expectExtents(Dims const& dims, size_t output);

/// The elements of a tensor that depends on constants alone, or whose shape rule knows them; none when it depends on
/// more.
std::optional<Literal> constantValue(Tensor const& tensor);

} // namespace tenon
