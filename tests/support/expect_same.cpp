// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/expect_same.h"

#include "support/run_graph.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tenon::test {

void expectSame(Graph const& found, Graph const& expected, std::vector<Literal> const& inputs) {
    found.check();
    auto const a = runGraph(found, inputs);
    auto const b = runGraph(expected, inputs);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(found.outputs()[i]->name, expected.outputs()[i]->name);
        ASSERT_EQ(a[i].dims(), b[i].dims());
        auto const x = a[i].toFloat();
        auto const y = b[i].toFloat();
        for (size_t j = 0; j < x.size(); ++j) {
            if (x[j] == y[j] || (std::isnan(x[j]) && std::isnan(y[j]))) continue; // infinities, too
            ASSERT_NEAR(x[j], y[j], 1e-5 * (1 + std::abs(y[j]))) << "output " << i << ", element " << j;
        }
    }
}

} // namespace tenon::test
