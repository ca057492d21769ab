// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <string>
#include <variant>
#include <vector>

namespace tenon::test {

/// An ONNX model of one node of ONNX's own domain, for tests of an importer at any opset.
struct OneOp {
    using Value = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>>;
    struct Attribute {
        std::string name;
        Value value;
    };

    std::string op;
    int opset = 13;
    std::vector<Attribute> attributes = {};
    std::vector<Literal> inputs = {}; // one without data is left out
    uint32_t constants = 0;           // bit i: input i is an initializer
    int outputs = 1;
    bool symbolic = false; // the extents of input 0 are N, C, H, W, …
    bool isOpen = false;   // each fed extent is a symbol of its own
    bool gives = true;     // the outputs of the model are those of the node; else their shapes

    /// Inputs from the 33rd on are never initializers.
    bool isConstant(size_t input) const { return input < 32 && (constants >> input & 1U) != 0; }
    /// The outputs, by the reference kernels; an expectation fails if the model cannot be read.
    std::vector<Literal> run() const;
    /// The same for an engine.
    std::vector<Literal> runInEngine() const;
    /// The parsed network; an expectation fails if the model cannot be read.
    Graph graph() const;
    /// Their shapes, as inferred by the parser.
    std::string shapes() const;
    /// Why the model cannot be read.
    std::string error() const;

private:
    std::vector<Literal> fed() const;
};

} // namespace tenon::test
