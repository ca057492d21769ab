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

/// One case of a layer: written once, run by the reference and by every kernel of every backend that is here, in every
/// variant that the kernel offers, and compared with values from outside.
struct LayerCase {
    std::vector<Literal> inputs; // one without dims and data ("absent") is an optional input that is not there
    std::vector<Literal> expected;
    double tolerance = 1e-5;        // |found - expected| <= tolerance * (1 + |expected|), for float32
    uint32_t constants = 0;         // bit i: input i is a constant of the network, not fed at run time
    std::vector<float> scales = {}; // of inputs, then of outputs: those that kernels may keep in int8 have one
    std::vector<DataType> types = {DataType::Float32, DataType::Float16, DataType::BFloat16}; // that kernels may use
    std::optional<size_t> one = {}; // only this variant of each kernel (modulo their number), for many similar cases

    /// Inputs from the 33rd on never are.
    bool isConstant(size_t input) const { return input < 32 && (constants >> input & 1U) != 0; }
    /// Expects that the shape rule, with constant and with symbolic extents, and all kernels agree with `expected`.
    void expect(Layer const& layer) const;
    /// Expects the same of an engine that is fed every input in the run, those too that decide shapes.
    void expectFed(Layer const& layer) const;
    /// The same case with another floating point type in place of float32: a network that says its types.
    LayerCase in(DataType type) const;
};

/// The error text of `body`; a failed expectation when it throws nothing.
std::string errorOf(std::function<void()> const& body);
/// The error text of adding this layer to a graph with inputs of these shapes.
struct Input {
    DataType type;
    Shape shape;
};
std::string inferError(Layer const& layer, std::vector<Input> const& inputs);

/// Expects equal types and shapes, and |found - expected| <= tolerance * (1 + |expected|) of every element.
void expectClose(Literal const& found, Literal const& expected, double tolerance, std::string const& what);

/// Null for those without data: optional ones that are not there.
std::vector<Literal const*> pointersTo(std::vector<Literal> const& literals);

Literal floats(Dims const& dims, std::vector<float> const& values);
Literal ints(Dims const& dims, std::vector<int64_t> const& values);
/// count values spread over [low, high], the same ones each time
Literal spread(Dims const& dims, float low, float high);

/// Every variant that the tested device's kernels offer for shapes `built` gives what the reference does for these
/// inputs, whose extents may be others: the node's shapes leave them open.
void expectAtOtherShapes(Node const& node, NodeDims const& built, std::vector<Literal> const& inputs,
                         double tolerance = 1e-5);

/// Every variant that the tested device's kernels offer gives what the reference does, and the same bit for bit on one
/// thread and on each of these numbers. For shapes with work for several.
void expectAlikeOnThreads(Node const& node, std::vector<Literal> const& inputs, std::vector<int> const& threads);
inline void expectAlikeOnAnyThreads(Node const& node, std::vector<Literal> const& inputs) {
    expectAlikeOnThreads(node, inputs, {2, 3, 8});
}

} // namespace tenon::test
