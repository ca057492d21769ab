// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax_loops_cpu.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tenon::cpu {
namespace {

constexpr float kFence = 7; // beyond the written elements

struct Rows {
    int64_t rows, count;
    std::vector<float> x;

    explicit Rows(int64_t rowCount, int64_t length) : rows(rowCount), count(length) {
        for (int64_t i = 0; i < rows * count; ++i) x.push_back(static_cast<float>(i * 37 % 101) / 8 - 6);
    }
    float& at(int64_t row, int64_t i) { return x[static_cast<size_t>(row * count + i)]; }

    std::vector<float> computed(Isa isa, bool log) const {
        SoftmaxLoops const& loops = loopsFor<SoftmaxLoops>(isa);
        std::vector<float> y(x.size() + 1, kFence);
        (log ? loops.logarithmsOfRows : loops.normalizeRows)(y.data(), x.data(), rows, count);
        EXPECT_EQ(y.back(), kFence);
        y.pop_back();
        return y;
    }

    /// The formula, in double.
    std::vector<double> expected(bool log) const {
        std::vector<double> y;
        for (int64_t row = 0; row < rows; ++row) {
            std::vector<double> const of(x.begin() + row * count, x.begin() + (row + 1) * count);
            double const most = *std::max_element(of.begin(), of.end());
            double sum = 0;
            for (double const one : of) sum += std::exp(one - most);
            for (double const one : of) y.push_back(log ? one - most - std::log(sum) : std::exp(one - most) / sum);
        }
        return y;
    }

    void expect() const {
        for (Isa const isa : availableIsas()) {
            for (bool const log : {false, true}) {
                auto const found = computed(isa, log);
                auto const wanted = expected(log);
                for (size_t i = 0; i < found.size(); ++i) {
                    double const units = log ? 3e-7 * (1 + std::abs(wanted[i])) : 4e-7 * wanted[i] + 1e-37;
                    ASSERT_NEAR(found[i], wanted[i], units) << nameOf(isa) << ", log " << log << ", row of " << count;
                }
            }
        }
    }
};

TEST(SoftmaxLoops, computeRowsOfAnyLength) {
    for (int64_t count = 1; count <= 70; ++count) Rows(3, count).expect();
    for (int64_t const count : {127, 128, 1000, 4095, 4097, 10000}) Rows(2, count).expect();
    Rows(1, 3000000).expect();
}

// of one element 1, and 0; logarithms are never above 0
TEST(SoftmaxLoops, areExactOfOneElement) {
    for (Isa const isa : availableIsas()) {
        for (float const x : {0.0F, 3.25F, -1e30F, 1e30F, 88.7F}) {
            Rows rows(2, 1);
            rows.x = {x, -x};
            EXPECT_EQ(rows.computed(isa, false), (std::vector<float>{1, 1}));
            EXPECT_EQ(rows.computed(isa, true), (std::vector<float>{0, 0}));
        }
        for (int64_t const count : {2, 5, 17, 1000}) {
            Rows rows(1, count);
            rows.at(0, count - 1) = 40; // so that the sum is 1 in float
            for (float const y : rows.computed(isa, true)) EXPECT_LE(y, 0);
        }
    }
}

// exp(x - max): NaN for a NaN, for infinity less infinity and for a row of -infinity alone
TEST(SoftmaxLoops, giveNanForARowThatHasNoSoftmax) {
    for (Isa const isa : availableIsas()) {
        for (int64_t const count : {1, 2, 5, 8, 15, 16, 17, 31, 33, 64, 100, 4097}) {
            for (int64_t const at : {int64_t{0}, count / 2, count - 1}) {
                for (float const number : {NAN, INFINITY}) {
                    for (bool const log : {false, true}) {
                        Rows rows(3, count);
                        rows.at(1, at) = number;
                        auto const y = rows.computed(isa, log);
                        for (size_t i = 0; i < y.size(); ++i) {
                            bool const isOfRow = static_cast<int64_t>(i) / count == 1;
                            ASSERT_EQ(std::isnan(y[i]), isOfRow) << nameOf(isa) << ", " << number << " at " << at
                                                                 << " of " << count << ", element " << i;
                        }
                    }
                }
            }
            Rows none(1, count);
            std::fill(none.x.begin(), none.x.end(), -INFINITY);
            for (float const y : none.computed(isa, false)) EXPECT_TRUE(std::isnan(y));
            for (float const y : none.computed(isa, true)) EXPECT_TRUE(std::isnan(y));
        }
    }
}

TEST(SoftmaxLoops, giveNothingToMinusInfinity) {
    for (Isa const isa : availableIsas()) {
        Rows rows(1, 19);
        rows.at(0, 3) = rows.at(0, 18) = -INFINITY;
        EXPECT_EQ(rows.computed(isa, false)[3], 0);
        EXPECT_EQ(rows.computed(isa, false)[18], 0);
        EXPECT_EQ(rows.computed(isa, true)[18], -INFINITY);
    }
}

TEST(SoftmaxLoops, mayWriteToTheirInput) {
    for (Isa const isa : availableIsas()) {
        for (bool const log : {false, true}) {
            Rows rows(2, 37);
            auto const y = rows.computed(isa, log);
            SoftmaxLoops const& loops = loopsFor<SoftmaxLoops>(isa);
            (log ? loops.logarithmsOfRows : loops.normalizeRows)(rows.x.data(), rows.x.data(), 2, 37);
            EXPECT_EQ(rows.x, y);
        }
    }
}

} // namespace
} // namespace tenon::cpu
