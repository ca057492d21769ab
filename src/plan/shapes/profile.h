// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/shape_program.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenon {

/// The shapes of one input: any between min and max, fastest at opt. For a shape tensor also its elements.
struct InputRange {
    Dims min;
    Dims opt;
    Dims max;
    std::vector<int64_t> minValues;
    std::vector<int64_t> optValues;
    std::vector<int64_t> maxValues;

    void fields(Fields& f);
};

/// Ranges by the names of the inputs; inputs with constant shapes need none.
using Profile = std::map<std::string, InputRange>;

enum class ProfilePoint { Min, Opt, Max };

/// The inputs of a graph at one point of a profile; an Error names an input without a range, or with one that does not
/// fit its shape.
std::vector<ShapeProgram::Input> inputsAt(Graph const& graph, Profile const& profile, ProfilePoint point);

} // namespace tenon
