// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::OnnxNodeCase;

TEST(GatesOnnx,
     shrinkIntegersAsNumpyDoes) { // np.where(x < -1.5, x + 1.25, np.where(x > 1.5, x - 1.25, 0)).astype(int8)
    auto const shrunk = OnnxNodeCase("Shrink", 9).real("lambd", 1.5F).real("bias", 1.25F);
    Literal const x = Literal::of<int8_t>({5}, {-4, -1, 0, 2, 5});
    EXPECT_EQ(OnnxNodeCase(shrunk).input(x).run()[0], Literal::of<int8_t>({5}, {-2, 0, 0, 0, 3}));
    Literal const bytes = Literal::of<uint8_t>({3}, {0, 1, 200});
    EXPECT_EQ(OnnxNodeCase(shrunk).input(bytes).run()[0], Literal::of<uint8_t>({3}, {0, 0, 198}));
}

} // namespace
} // namespace tenon
