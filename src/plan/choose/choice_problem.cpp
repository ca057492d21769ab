// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/choice_problem.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tenon {

namespace {

/// The costs of each combination of the values of some variables.
struct CostTable {
    std::vector<int> variables; // ascending
    std::vector<double> costs;  // the last variable runs fastest
};

/// A position in a table, updated while the values of other variables change.
struct Cursor {
    double const* costs;
    size_t own = 0;             // the stride of the variable in question
    std::vector<size_t> others; // the stride of each traversed variable; 0: not in the table
};

} // namespace

/// Bucket elimination (Dechter 1999): remove a variable by joining the tables that contain it into one over its
/// neighbours, with the least cost over its values; then go back and read off the values. A variable with one value is
/// in no table. Tables over the same variables are added, otherwise the two nodes that many equal branches join would
/// have a table for each.
class Elimination {
public:
    Elimination(ChoiceProblem const& problem, ChoiceLimits limits)
        : problem_(problem), limits_(limits), neighbours_(problem.variables_.size()),
          tablesOf_(problem.variables_.size()), ranks_(problem.variables_.size()),
          values_(problem.variables_.size(), 0) {
        int const count = static_cast<int>(problem.variables_.size());
        for (int v = 0; v < count; ++v) add({{v}, problem.variables_[static_cast<size_t>(v)]});
        for (auto const& pair : problem.pairs_) addPair(pair.a, pair.b, pair.costs);
        for (int v = 0; v < count; ++v) {
            if (sizeOf(v) > 1) rank(v);
        }
    }

    std::vector<int> run() {
        while (!smallestFirst_.empty()) {
            Rank const next = *smallestFirst_.begin();
            size_t const limit = entries_ < limits_.all ? limits_.table : std::min(limits_.table, limits_.tableAfter);
            if (next.first > limit) {
                fix(busiestFirst_.begin()->second);
            } else {
                eliminate(next.second);
            }
        }
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) readOff(*step);
        return values_;
    }

private:
    struct Step {
        int variable;
        std::vector<int> neighbours;
        std::vector<int> best; // value of the variable for each combination of the neighbours
    };
    using Rank = std::pair<size_t, int>; // for equal costs, the variable that was added first
    struct Ranks {
        size_t joinedSize = 0;
        size_t lessBusy = 0;
    };

    size_t sizeOf(int v) const { return problem_.variables_[static_cast<size_t>(v)].size(); }
    std::set<int>& neighboursOf(int v) { return neighbours_[static_cast<size_t>(v)]; }
    std::set<size_t>& tablesOf(int v) { return tablesOf_[static_cast<size_t>(v)]; }

    // ---- tables

    void addPair(int a, int b, std::vector<double> const& costs) {
        if (a < b) return add({{a, b}, costs});
        std::vector<double> turned;
        for (size_t i = 0; i < sizeOf(b); ++i) {
            for (size_t j = 0; j < sizeOf(a); ++j) turned.push_back(costs[j * sizeOf(b) + i]);
        }
        add({{b, a}, std::move(turned)});
    }

    void add(CostTable table) {
        std::erase_if(table.variables, [this](int v) { return sizeOf(v) == 1; });
        if (table.variables.empty()) return;
        auto const [known, isNew] = numbers_.try_emplace(table.variables, tables_.size());
        if (!isNew) {
            auto& sums = tables_[known->second].costs;
            std::ranges::transform(sums, table.costs, sums.begin(), std::plus{});
            return;
        }
        for (int v : table.variables) {
            tablesOf(v).insert(tables_.size());
            for (int other : table.variables) {
                if (other != v) neighboursOf(v).insert(other);
            }
        }
        entries_ += table.costs.size();
        tables_.push_back(std::move(table));
    }

    void drop(size_t number) {
        CostTable const table = std::move(tables_[number]);
        for (int v : table.variables) tablesOf(v).erase(number);
        numbers_.erase(table.variables);
        entries_ -= table.costs.size();
        tables_[number] = {};
    }

    // ---- the next variable

    size_t joinedSize(int v) {
        size_t size = sizeOf(v);
        for (int n : neighboursOf(v)) {
            if (size > limits_.table) return size;
            size *= sizeOf(n);
        }
        return size;
    }

    void rank(int v) {
        Ranks const ranks{joinedSize(v), std::numeric_limits<size_t>::max() - neighboursOf(v).size()};
        ranks_[static_cast<size_t>(v)] = ranks;
        smallestFirst_.emplace(ranks.joinedSize, v);
        busiestFirst_.emplace(ranks.lessBusy, v);
    }

    void unrank(int v) {
        Ranks const& ranks = ranks_[static_cast<size_t>(v)];
        smallestFirst_.erase({ranks.joinedSize, v});
        busiestFirst_.erase({ranks.lessBusy, v});
    }

    /// `tables` replace those of `v`, which is eliminated.
    void takeOut(int v, std::vector<CostTable> tables) {
        for (size_t table : std::set(tablesOf(v))) drop(table);
        auto const neighbours = std::move(neighboursOf(v));
        for (int n : neighbours) neighboursOf(n).erase(v);
        unrank(v);
        for (CostTable& table : tables) add(std::move(table));
        for (int n : neighbours) unrank(n), rank(n);
    }

    // ---- one variable

    Cursor cursorIn(CostTable const& table, int own, std::vector<int> const& others) const {
        Cursor cursor{table.costs.data(), 0, std::vector<size_t>(others.size(), 0)};
        size_t step = 1;
        for (auto v = table.variables.rbegin(); v != table.variables.rend(); step *= sizeOf(*v), ++v) {
            if (*v == own)
                cursor.own = step;
            else
                cursor.others[static_cast<size_t>(std::ranges::lower_bound(others, *v) - others.begin())] = step;
        }
        return cursor;
    }

    /// Visits each combination of the values of `variables`, the last one fastest, with the cursors at it.
    template <class Visit>
    void walk(std::vector<int> const& variables, std::vector<Cursor>& cursors, Visit const& visit) const {
        std::vector<size_t> digits(variables.size(), 0);
        size_t digit = 0;
        do {
            visit();
            for (digit = digits.size(); digit > 0; --digit) {
                size_t& value = digits[digit - 1];
                bool const wraps = ++value == sizeOf(variables[digit - 1]);
                for (Cursor& cursor : cursors) {
                    size_t const step = cursor.others[digit - 1];
                    cursor.costs = wraps ? cursor.costs - step * (value - 1) : cursor.costs + step;
                }
                if (!wraps) break;
                value = 0;
            }
        } while (digit > 0);
    }

    void eliminate(int v) {
        Step step{v, {neighboursOf(v).begin(), neighboursOf(v).end()}, {}};
        std::vector<Cursor> cursors;
        for (size_t table : tablesOf(v)) cursors.push_back(cursorIn(tables_[table], v, step.neighbours));
        CostTable joined{step.neighbours, {}};
        walk(step.neighbours, cursors, [&] {
            double least = std::numeric_limits<double>::infinity();
            int best = 0;
            for (size_t value = 0; value < sizeOf(v); ++value) {
                double cost = 0;
                for (Cursor const& cursor : cursors) cost += cursor.costs[value * cursor.own];
                if (cost < least) least = cost, best = static_cast<int>(value);
            }
            joined.costs.push_back(least);
            step.best.push_back(best);
        });
        entries_ += step.best.size();
        takeOut(v, {std::move(joined)});
        steps_.push_back(std::move(step));
    }

    CostTable slice(CostTable const& table, int v, size_t value) const {
        CostTable rest{table.variables, {}};
        std::erase(rest.variables, v);
        std::vector<Cursor> cursors{cursorIn(table, v, rest.variables)};
        cursors[0].costs += value * cursors[0].own;
        walk(rest.variables, cursors, [&] { rest.costs.push_back(*cursors[0].costs); });
        return rest;
    }

    /// Fixes a variable to the value with the least possible cost, looking at each of its tables separately.
    void fix(int v) {
        int best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (size_t value = 0; value < sizeOf(v); ++value) {
            double bound = 0;
            for (size_t t : tablesOf(v)) bound += std::ranges::min(slice(tables_[t], v, value).costs);
            if (bound < least) least = bound, best = static_cast<int>(value);
        }
        std::vector<CostTable> sliced;
        for (size_t t : tablesOf(v)) sliced.push_back(slice(tables_[t], v, static_cast<size_t>(best)));
        takeOut(v, std::move(sliced));
        steps_.push_back({v, {}, {best}});
    }

    void readOff(Step const& step) {
        size_t entry = 0;
        for (int n : step.neighbours) entry = entry * sizeOf(n) + static_cast<size_t>(values_[static_cast<size_t>(n)]);
        values_[static_cast<size_t>(step.variable)] = step.best[entry];
    }

    ChoiceProblem const& problem_;
    ChoiceLimits limits_;
    std::vector<std::set<int>> neighbours_;
    std::vector<std::set<size_t>> tablesOf_;
    std::vector<CostTable> tables_;
    std::map<std::vector<int>, size_t> numbers_; // of the tables, by their variables
    size_t entries_ = 0;                         // of stored tables and steps
    std::vector<Ranks> ranks_;
    std::set<Rank> smallestFirst_;
    std::set<Rank> busiestFirst_;
    std::vector<Step> steps_;
    std::vector<int> values_;
};

int ChoiceProblem::addVariable(std::vector<double> costs) {
    variables_.push_back(std::move(costs));
    return static_cast<int>(variables_.size()) - 1;
}

void ChoiceProblem::addPair(int a, int b, std::vector<double> costs) { pairs_.push_back({a, b, std::move(costs)}); }

std::vector<int> ChoiceProblem::solve(ChoiceLimits limits) const { return Elimination(*this, limits).run(); }

double ChoiceProblem::costOf(std::vector<int> const& values) const {
    auto const valueOf = [&](int v) { return static_cast<size_t>(values[static_cast<size_t>(v)]); };
    double cost = 0;
    for (size_t v = 0; v < variables_.size(); ++v) cost += variables_[v][valueOf(static_cast<int>(v))];
    for (Pair const& pair : pairs_)
        cost += pair.costs[valueOf(pair.a) * variables_[static_cast<size_t>(pair.b)].size() + valueOf(pair.b)];
    return cost;
}

} // namespace tenon
