// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choice_problem.h"

#include <algorithm>
#include <gtest/gtest.h>
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
        double const found = random.problem.costOf(random.problem.solve(8));
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

TEST(AssignFormats, ofNothingIsNothing) { EXPECT_TRUE(ChoiceProblem().solve().empty()); }

} // namespace
} // namespace tenon
