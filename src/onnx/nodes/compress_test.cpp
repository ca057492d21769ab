// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"

namespace tenon {
namespace {

using test::floats;
using test::OneOp;

Literal flags(std::vector<uint8_t> const& values) {
    return Literal::copyOf(DataType::Bool, {static_cast<int64_t>(values.size())}, values.data());
}

Literal x() { return floats({3, 2}, {1, 2, 3, 4, 5, 6}); }

std::vector<Literal> compress(std::vector<OneOp::Attribute> const& attributes, std::vector<uint8_t> const& condition) {
    return OneOp{.op = "Compress", .opset = 11, .attributes = attributes, .inputs = {x(), flags(condition)}}.run();
}

// numpy: np.compress([0, 1, 1], x, axis=0)
TEST(Compress, keepsSlices) {
    EXPECT_EQ(compress({{"axis", int64_t{0}}}, {0, 1, 1})[0], floats({2, 2}, {3, 4, 5, 6}));
    EXPECT_EQ(compress({{"axis", int64_t{-1}}}, {0, 1})[0], floats({3, 1}, {2, 4, 6}));
}

TEST(Compress, keepsElementsWithoutAnAxis) { // numpy: np.compress([0, 1, 0, 0, 1], x)
    EXPECT_EQ(compress({}, {0, 1, 0, 0, 1})[0], floats({2}, {2, 5}));
}

TEST(Compress, mayKeepNothing) { EXPECT_EQ(compress({{"axis", int64_t{0}}}, {0, 0, 0})[0], floats({0, 2}, {})); }

} // namespace
} // namespace tenon
