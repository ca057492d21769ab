// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "json.h"

#include <map>
#include <optional>
#include <string>

namespace tenon::cli {

/// "nx3x(h/2)": a shape of a plan with its symbols, up to a readable nesting depth.
std::string symbolicShape(Json const& shape);

/// The shapes of a plan at the optimum of its first profile.
class OptimalShapes {
public:
    explicit OptimalShapes(Json const& plan);
    /// "1x3x112", with "?" for extents known only at run time.
    std::string text(Json const& shape) const;

private:
    std::optional<int64_t> extent(Json const& dim, int depth = 0) const;

    std::map<std::string, int64_t> symbols_; // those in the shapes of inputs
};

} // namespace tenon::cli
