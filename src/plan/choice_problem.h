// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

namespace tenon {

/// Variables whose values have costs of their own and costs for pairs: the variant of each node, where each edge whose
/// ends disagree costs a reformat.
class ChoiceProblem {
public:
    /// A variable with one cost for each of its values; returns its number.
    int addVariable(std::vector<double> costs);
    /// costs[i * (values of b) + j] for a = i and b = j; a != b. Several tables of one pair add up.
    void addPair(int a, int b, std::vector<double> costs);

    /// The values of all variables at which the sum of all costs is least. Exact by variable elimination while every
    /// table stays below `tableLimit` entries (networks are narrow: a table joins the neighbours of one node); above it
    /// the variable with the most neighbours is fixed by its own best first.
    std::vector<int> solve(size_t tableLimit = 1U << 18) const;
    double costOf(std::vector<int> const& values) const;

private:
    struct Pair {
        int a;
        int b;
        std::vector<double> costs;
    };
    std::vector<std::vector<double>> variables_;
    std::vector<Pair> pairs_;

    friend class Elimination;
};

} // namespace tenon
