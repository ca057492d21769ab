// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choice_problem.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tenon {

/// Bucket elimination (Dechter 1999): take a variable out, joining the tables that mention it into one over its
/// neighbours that holds the least cost over its values; walk back to read the values off.
class Elimination {
public:
    Elimination(ChoiceProblem const& problem, size_t limit) : problem_(problem), limit_(limit) {
        for (size_t v = 0; v < problem.variables_.size(); ++v) {
            open_.insert(static_cast<int>(v));
            neighbours_.emplace_back();
            tablesOf_.emplace_back();
        }
        values_.assign(problem.variables_.size(), 0);
        for (size_t v = 0; v < problem.variables_.size(); ++v) add({{static_cast<int>(v)}, problem.variables_[v]});
        for (auto const& pair : problem.pairs_) add({{pair.a, pair.b}, pair.costs});
    }

    std::vector<int> run() {
        while (!open_.empty()) {
            int const next = cheapest();
            if (joinedSize(next) > limit_) {
                fix(busiest());
            } else {
                eliminate(next);
            }
        }
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) readOff(*step);
        return values_;
    }

private:
    struct Table {
        std::vector<int> variables;
        std::vector<double> costs; // the last variable runs fastest
    };
    struct Step {
        int variable;
        std::vector<int> neighbours;
        std::vector<int> best; // value of the variable for each combination of the neighbours
    };

    size_t sizeOf(int v) const { return problem_.variables_[static_cast<size_t>(v)].size(); }
    std::set<int>& neighboursOf(int v) { return neighbours_[static_cast<size_t>(v)]; }
    std::set<size_t>& tablesOf(int v) { return tablesOf_[static_cast<size_t>(v)]; }

    void add(Table table) {
        for (int v : table.variables) {
            tablesOf(v).insert(tables_.size());
            for (int other : table.variables) {
                if (other != v) neighboursOf(v).insert(other);
            }
        }
        tables_.push_back(std::move(table));
    }

    void drop(size_t table) {
        for (int v : tables_[table].variables) tablesOf(v).erase(table);
        tables_[table] = {};
    }

    size_t joinedSize(int v) {
        size_t size = sizeOf(v);
        for (int n : neighboursOf(v)) {
            if (size > limit_) return size;
            size *= sizeOf(n);
        }
        return size;
    }

    int cheapest() {
        return *std::ranges::min_element(open_, {}, [this](int v) { return joinedSize(v); });
    }
    int busiest() {
        return *std::ranges::max_element(open_, {}, [this](int v) { return neighboursOf(v).size(); });
    }

    size_t entryOf(Table const& table) const {
        size_t entry = 0;
        for (int v : table.variables) entry = entry * sizeOf(v) + static_cast<size_t>(values_[static_cast<size_t>(v)]);
        return entry;
    }

    double costAt(int v) {
        double cost = 0;
        for (size_t table : tablesOf(v)) cost += tables_[table].costs[entryOf(tables_[table])];
        return cost;
    }

    /// Advances the values of `variables` like digits, the last one fastest; false after the last combination.
    bool advance(std::vector<int> const& variables) {
        for (auto v = variables.rbegin(); v != variables.rend(); ++v) {
            int& value = values_[static_cast<size_t>(*v)];
            if (++value < static_cast<int>(sizeOf(*v))) return true;
            value = 0;
        }
        return false;
    }

    void eliminate(int v) {
        Step step{v, {neighboursOf(v).begin(), neighboursOf(v).end()}, {}};
        Table joined{step.neighbours, {}};
        for (int n : step.neighbours) values_[static_cast<size_t>(n)] = 0;
        do {
            double least = std::numeric_limits<double>::infinity();
            int best = 0;
            for (int value = 0; value < static_cast<int>(sizeOf(v)); ++value) {
                values_[static_cast<size_t>(v)] = value;
                double const cost = costAt(v);
                if (cost < least) least = cost, best = value;
            }
            joined.costs.push_back(least);
            step.best.push_back(best);
        } while (advance(step.neighbours));
        takeOut(v);
        if (!joined.variables.empty()) add(std::move(joined));
        steps_.push_back(std::move(step));
    }

    void takeOut(int v) {
        for (size_t table : std::set(tablesOf(v))) drop(table);
        for (int n : neighboursOf(v)) neighboursOf(n).erase(v);
        open_.erase(v);
    }

    /// The least that the tables of `v` can cost at this value, each looked at alone.
    double boundAt(int v, int value) {
        double bound = 0;
        for (size_t t : tablesOf(v)) {
            Table const& table = tables_[t];
            std::vector<int> others = table.variables;
            std::erase(others, v);
            for (int other : others) values_[static_cast<size_t>(other)] = 0;
            values_[static_cast<size_t>(v)] = value;
            double least = std::numeric_limits<double>::infinity();
            do least = std::min(least, table.costs[entryOf(table)]);
            while (advance(others));
            bound += least;
        }
        return bound;
    }

    void fix(int v) {
        int best = 0;
        for (int value = 1; value < static_cast<int>(sizeOf(v)); ++value) {
            if (boundAt(v, value) < boundAt(v, best)) best = value;
        }
        std::vector<Table> sliced;
        for (size_t t : tablesOf(v)) sliced.push_back(slice(tables_[t], v, best));
        takeOut(v);
        for (Table& table : sliced) {
            if (!table.variables.empty()) add(std::move(table));
        }
        steps_.push_back({v, {}, {best}});
    }

    Table slice(Table const& table, int v, int value) {
        Table rest;
        std::ranges::copy_if(table.variables, std::back_inserter(rest.variables),
                             [v](int other) { return other != v; });
        for (int other : rest.variables) values_[static_cast<size_t>(other)] = 0;
        values_[static_cast<size_t>(v)] = value;
        do rest.costs.push_back(table.costs[entryOf(table)]);
        while (advance(rest.variables));
        return rest;
    }

    void readOff(Step const& step) {
        size_t entry = 0;
        for (int n : step.neighbours) entry = entry * sizeOf(n) + static_cast<size_t>(values_[static_cast<size_t>(n)]);
        values_[static_cast<size_t>(step.variable)] = step.best[entry];
    }

    ChoiceProblem const& problem_;
    size_t limit_;
    std::set<int> open_;
    std::vector<std::set<int>> neighbours_;
    std::vector<std::set<size_t>> tablesOf_;
    std::vector<Table> tables_;
    std::vector<Step> steps_;
    std::vector<int> values_;
};

int ChoiceProblem::addVariable(std::vector<double> costs) {
    variables_.push_back(std::move(costs));
    return static_cast<int>(variables_.size()) - 1;
}

void ChoiceProblem::addPair(int a, int b, std::vector<double> costs) { pairs_.push_back({a, b, std::move(costs)}); }

std::vector<int> ChoiceProblem::solve(size_t tableLimit) const { return Elimination(*this, tableLimit).run(); }

double ChoiceProblem::costOf(std::vector<int> const& values) const {
    auto const valueOf = [&](int v) { return static_cast<size_t>(values[static_cast<size_t>(v)]); };
    double cost = 0;
    for (size_t v = 0; v < variables_.size(); ++v) cost += variables_[v][valueOf(static_cast<int>(v))];
    for (Pair const& pair : pairs_)
        cost += pair.costs[valueOf(pair.a) * variables_[static_cast<size_t>(pair.b)].size() + valueOf(pair.b)];
    return cost;
}

} // namespace tenon
