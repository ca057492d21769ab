// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "arguments.h"
#include "array.h"

#include <map>

namespace tenon::cli {

/// An input or output of a network or an engine.
struct Port {
    std::string name;
    nvinfer1::DataType type;
    std::vector<int64_t> dims; // -1: dynamic
};
/// "x (float32 ?x3x8x8)"
std::string portText(Port const& port);

using Arrays = std::map<std::string, Array>;

/// The arrays named by --FLAG NAME=FILE.npy and --FLAGS FILE.npz; a Failure if both have the same name.
Arrays readArrays(Arguments const& arguments, std::string_view single, std::string_view many);
/// A Failure, which suggests a name, if an array has a name that no port has. `what` is "input" or "output".
void checkNames(Arrays const& arrays, std::vector<Port> const& ports, std::string_view what);

/// The sources of a network's inputs: arrays from files, and sample values for those with only a --shape.
class Feeds {
public:
    explicit Feeds(Arguments const& arguments);
    /// One array for each port, of its type and matching its shape; a Failure names the port that has none.
    Arrays arraysFor(std::vector<Port> const& inputs) const;

private:
    Array arrayFor(Port const& port) const;

    Arrays files_;
    std::map<std::string, std::string> shapes_;
};

} // namespace tenon::cli
