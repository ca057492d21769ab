// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/recorded.h"

#include "base/error.h"

#include <fstream>
#include <sstream>

namespace tenon::test {

Literal recorded(std::string const& file, std::string const& name) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream parts(line);
        std::string found;
        parts >> found;
        if (found != name) continue;
        Dims dims;
        std::string listed; // [d0,d1,…]
        parts >> listed;
        std::istringstream extents(listed.substr(1));
        char separator = 0;
        for (int64_t extent = 0; extents >> extent >> separator;) dims.push(extent);
        std::vector<float> values;
        for (float value = 0; parts >> value;) values.push_back(value);
        if (static_cast<int64_t>(values.size()) == dims.volume()) return Literal::of(dims, values);
        fail(ErrorCode::InvalidArgument, file, ": ", name, " has ", values.size(), " values for ", dims);
    }
    fail(ErrorCode::InvalidArgument, file, " has no ", name);
}

} // namespace tenon::test
