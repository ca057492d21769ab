// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

namespace tenon {

/// Limits of a solution. Numbers of table entries, not seconds: the same problem has the same solution everywhere.
struct ChoiceLimits {
    size_t table = size_t{1} << 18;      // of one table that joins the neighbours of a variable
    size_t all = size_t{1} << 26;        // of all tables together: about 0.5 GiB
    size_t tableAfter = size_t{1} << 10; // of one table once `all` is reached
};

/// Variables with costs for each value and costs for pairs: the variant of each node, and the reformat on each edge
/// whose ends disagree.
class ChoiceProblem {
public:
    /// Adds a variable with one cost for each of its values, at least one; returns its number.
    int addVariable(std::vector<double> costs);
    /// costs[i * (values of b) + j] for a = i and b = j; a != b. Several tables of one pair add up.
    void addPair(int a, int b, std::vector<double> costs);

    /// The values of all variables at which the sum of all costs is least. Exact by variable elimination while every
    /// table stays within the limits (networks are narrow: a table joins the neighbours of one node); above them the
    /// variable with the most neighbours is first fixed to its own best value. Time and memory are proportional to the
    /// number of variables, pairs and table entries, however many neighbours a variable has.
    std::vector<int> solve(ChoiceLimits limits = {}) const;
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
