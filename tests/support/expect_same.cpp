// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/expect_same.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/run_graph.h"

#include <gtest/gtest.h>

namespace tenon::test {

void expectSame(Graph const& found, Graph const& expected, std::vector<Literal> const& inputs) {
    found.check();
    auto const a = runGraph(found, inputs);
    auto const b = runGraph(expected, inputs);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(found.outputs()[i]->name, expected.outputs()[i]->name);
        expectClose(a[i], b[i], 1e-5, text("output ", i));
    }
}

} // namespace tenon::test
