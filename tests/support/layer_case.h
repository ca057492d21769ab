// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/shapes/profile_shapes.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace tenon::test {

/// One case of a layer: written once, run by the reference and by every kernel of every available backend, in every
/// variant that the kernel offers, and compared with independent values.
struct LayerCase {
    std::vector<Literal> inputs; // one without dims and data ("absent") is an omitted optional input
    std::vector<Literal> expected;
    double tolerance = 1e-5;        // |found - expected| <= tolerance * (1 + |expected|), for float32
    uint32_t constants = 0;         // bit i: input i is a constant of the network, not fed at run time
    std::vector<float> scales = {}; // of inputs, then of outputs: those that kernels may keep in int8 have one
    std::vector<DataType> types = {DataType::Float32, DataType::Float16, DataType::BFloat16}; // that kernels may use
    std::optional<size_t> one = {}; // only this variant of each kernel (modulo their number), for many similar cases

    /// Inputs from the 33rd on are never constants.
    bool isConstant(size_t input) const { return input < 32 && (constants >> input & 1U) != 0; }
    /// Expects that the shape rule, with constant and with symbolic extents, and all kernels agree with `expected`.
    void expect(Layer const& layer) const;
    /// Expects the same from an engine that is fed every input in the run, including shape tensors.
    void expectFed(Layer const& layer) const;
    /// The same case with float32 replaced by another floating point type: a strongly typed network.
    LayerCase in(DataType type) const;
};

/// The error text of `body`; a failed expectation if it throws nothing.
std::string errorOf(std::function<void()> const& body);
/// The error text of adding this layer to a graph with inputs of these shapes.
struct Input {
    DataType type;
    Shape shape;
};
std::string inferError(Layer const& layer, std::vector<Input> const& inputs);

/// Expects equal types and shapes, and |found - expected| <= tolerance * (1 + |expected|) of every element.
void expectClose(Literal const& found, Literal const& expected, double tolerance, std::string const& what);

/// Null for those without data: omitted optional ones.
std::vector<Literal const*> pointersTo(std::vector<Literal> const& literals);

Literal floats(Dims const& dims, std::vector<float> const& values);
Literal ints(Dims const& dims, std::vector<int64_t> const& values);
/// count values spread over [low, high], the same ones each time
Literal spread(Dims const& dims, float low, float high);

/// Every variant that the tested device's kernels offer for shapes `built` equals the reference for these inputs, whose
/// extents may differ: the node's shapes are dynamic.
void expectAtOtherShapes(Node const& node, NodeDims const& built, std::vector<Literal> const& inputs,
                         double tolerance = 1e-5);

/// Every variant that the tested device's kernels offer equals the reference, and is the same bit for bit on one thread
/// and on each of these numbers of threads. For shapes with work for several.
void expectAlikeOnThreads(Node const& node, std::vector<Literal> const& inputs, std::vector<int> const& threads);
inline void expectAlikeOnAnyThreads(Node const& node, std::vector<Literal> const& inputs) {
    expectAlikeOnThreads(node, inputs, {2, 3, 8});
}

} // namespace tenon::test
