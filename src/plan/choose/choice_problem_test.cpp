// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/choice_problem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tenon {
namespace {

struct RandomProblem {
    ChoiceProblem problem;
    std::vector<int> sizes;

    RandomProblem(int variables, int reach, unsigned seed) : random_(seed) {
        for (int v = 0; v < variables; ++v) {
            sizes.push_back(number(1, 4));
            problem.addVariable(costs(sizes.back()));
            for (int edge = 0; v > 0 && edge < number(1, 2); ++edge) {
                int const other = number(std::max(0, v - reach), v - 1);
                problem.addPair(other, v, costs(sizes[static_cast<size_t>(other)] * sizes.back()));
            }
        }
    }

    double bruteForce() const {
        std::vector<int> values(sizes.size(), 0);
        double least = problem.costOf(values);
        for (size_t at = 0; at < values.size();) {
            if (++values[at] == sizes[at]) {
                values[at++] = 0;
                continue;
            }
            least = std::min(least, problem.costOf(values));
            at = 0;
        }
        return least;
    }

private:
    int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
    std::vector<double> costs(int count) {
        std::vector<double> all;
        for (int i = 0; i < count; ++i) all.push_back(number(0, 3) == 0 ? 0 : number(1, 1000) / 10.0);
        return all;
    }
    std::mt19937 random_;
};

TEST(AssignFormats, isExactOnRandomNetworks) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        RandomProblem const random(8, 8, seed);
        EXPECT_DOUBLE_EQ(random.problem.costOf(random.problem.solve()), random.bruteForce()) << "seed " << seed;
    }
}

TEST(AssignFormats, staysCloseToTheBestWhenTablesAreLimited) {
    double exact = 0;
    double limited = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        RandomProblem const random(8, 8, seed);
        exact += random.bruteForce();
        double const found = random.problem.costOf(random.problem.solve({.table = 8}));
        EXPECT_GE(found, random.bruteForce() - 1e-9) << "seed " << seed;
        limited += found;
    }
    EXPECT_LT(limited, 1.25 * exact);
}

TEST(AssignFormats, takesLongNarrowNetworksInOneGo) {
    RandomProblem const random(2000, 3, 7);
    auto const values = random.problem.solve();
    auto better = values;
    for (size_t v = 0; v < values.size(); ++v) { // no single change may improve on an optimum
        for (int value = 0; value < random.sizes[v]; ++value) {
            better[v] = value;
            EXPECT_GE(random.problem.costOf(better), random.problem.costOf(values) - 1e-6);
        }
        better[v] = values[v];
    }
}

/// A first and a last node with `branches` equal-shaped ones between them.
struct Fan {
    ChoiceProblem problem;
    double best = 0; // the least over the values of the two ends of the sum of each branch's best costs

    Fan(int ends, int values, int branches) {
        std::mt19937 random(7);
        auto const costs = [&](int count) {
            std::vector<double> all;
            for (int i = 0; i < count; ++i) all.push_back(std::uniform_int_distribution(0, 1000)(random));
            return all;
        };
        auto const at = [](std::vector<double> const& all, int i) { return all[static_cast<size_t>(i)]; };
        auto const first = costs(ends), last = costs(ends);
        std::vector<double> sums;
        for (int f = 0; f < ends; ++f) {
            for (int l = 0; l < ends; ++l) sums.push_back(at(first, f) + at(last, l));
        }
        int const a = problem.addVariable(first);
        int const z = problem.addVariable(last);
        for (int i = 0; i < branches; ++i) {
            auto const own = costs(values), in = costs(ends * values), out = costs(values * ends);
            int const branch = problem.addVariable(own);
            problem.addPair(a, branch, in);
            problem.addPair(branch, z, out);
            for (int e = 0; e < ends * ends; ++e) {
                double least = std::numeric_limits<double>::infinity();
                for (int v = 0; v < values; ++v)
                    least = std::min(least, at(own, v) + at(in, e / ends * values + v) + at(out, v * ends + e % ends));
                sums[static_cast<size_t>(e)] += least;
            }
        }
        best = std::ranges::min(sums);
    }
};

TEST(AssignFormats, isExactOnTensOfThousandsOfBranchesBetweenTwoNodes) {
    for (auto const& [ends, values] : {std::pair(3, 4), {4, 1}, {1, 3}, {1, 1}}) {
        Fan const fan(ends, values, 30'000);
        EXPECT_DOUBLE_EQ(fan.problem.costOf(fan.problem.solve()), fan.best) << ends << " and " << values << " values";
    }
}

TEST(AssignFormats, isExactWhereTablesThatAreTooLargeOnlyJoinVariablesOfOneValue) {
    ChoiceProblem problem;
    int const hub = problem.addVariable({0, 0});
    for (int i = 0; i < 100; ++i)
        problem.addPair(problem.addVariable({1}), hub, {i < 60 ? 1.0 : 0.0, i < 60 ? 0.0 : 1.0});
    EXPECT_EQ(problem.solve({.table = 2})[0], 1);
    EXPECT_DOUBLE_EQ(problem.costOf(problem.solve({.table = 2})), 100 + 40);
}

TEST(AssignFormats, addsUpSeveralTablesOfOnePairInEitherDirection) {
    ChoiceProblem problem;
    int const a = problem.addVariable({0, 0});
    int const b = problem.addVariable({0, 0, 0});
    problem.addPair(a, b, {5, 5, 0, 5, 5, 5});
    problem.addPair(b, a, {5, 1, 5, 5, 9, 5}); // a = 1, b = 0 costs 6; a = 0, b = 2 costs 9
    EXPECT_EQ(problem.solve(), (std::vector<int>{1, 0}));
}

TEST(AssignFormats, staysCloseToTheBestWhenAllTablesTogetherAreLimited) {
    double exact = 0;
    double limited = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        RandomProblem const random(8, 8, seed);
        exact += random.bruteForce();
        limited += random.problem.costOf(random.problem.solve({.all = 1, .tableAfter = 8}));
    }
    EXPECT_GE(limited, exact - 1e-9);
    EXPECT_LT(limited, 1.25 * exact);
}

TEST(AssignFormats, endsOnWideProblemsOfManyVariables) {
    constexpr int kReach = 9; // 4 to the 9th is the most entries of a table
    ChoiceProblem problem;
    for (int v = 0; v < 3000; ++v) {
        problem.addVariable({4, 3, 2, 1});
        for (int other = std::max(0, v - kReach); other < v; ++other)
            problem.addPair(other, v, {0, 9, 9, 9, 9, 0, 9, 9, 9, 9, 0, 9, 9, 9, 9, 0});
    }
    EXPECT_DOUBLE_EQ(problem.costOf(problem.solve()), 3000);
}

TEST(AssignFormats, ofNothingIsNothing) { EXPECT_TRUE(ChoiceProblem().solve().empty()); }

} // namespace
} // namespace tenon
