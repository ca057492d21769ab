// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/literal.h"
#include "support/onnx_model.h"

#include <string>
#include <vector>

namespace tenon::test {

/// A model of one ONNX node, for tests of importers: its result by the reference kernels, or the error.
/// OnnxNodeCase("Clip", 6).real("min", 0).input(x).run()[0]
class OnnxNodeCase {
public:
    OnnxNodeCase(std::string const& op, int opset, int outputs = 1);

    OnnxNodeCase& input(Literal const& value);
    OnnxNodeCase& input(Literal const& value, int onnxType); // of another type in the file than in the graph
    OnnxNodeCase& constant(Literal const& value);            // an initializer
    OnnxNodeCase& absent();                                  // an optional input left out
    OnnxNodeCase& integer(std::string const& name, int64_t value);
    OnnxNodeCase& integers(std::string const& name, std::vector<int64_t> const& values);
    OnnxNodeCase& real(std::string const& name, float value);
    OnnxNodeCase& string(std::string const& name, std::string const& value);

    /// All outputs. Parses with the extents of the inputs known.
    std::vector<Literal> run() const;
    /// The first error of the parser, from the name of the node on.
    std::string error() const;

private:
    std::string nextInput();

    OnnxModel model_;
    std::vector<Literal> fed_;
};

/// The elements as numbers, for comparison.
std::vector<float> numbersOf(Literal const& literal);

} // namespace tenon::test
