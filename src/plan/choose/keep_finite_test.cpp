// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/keep_finite.h"

#include "layers/constant/constant.h"

#include <gtest/gtest.h>
#include <limits>

namespace tenon {
namespace {

constexpr float kLeast = std::numeric_limits<float>::lowest();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A constant with these elements, in a network that may store its tensors in such types.
std::vector<float> kept(std::vector<float> const& values, bool float16, bool bfloat16) {
    Graph graph;
    Tensor* constant = graph.emit(Constant(Literal::of(Dims{static_cast<int64_t>(values.size())}, values)), {});
    graph.markOutput(constant);
    Precision precision;
    precision.float16 = float16;
    precision.bfloat16 = bfloat16;
    keepFinite(graph, precision);
    graph.infer();
    return graph.outputs()[0]->literal()->toFloat();
}

TEST(KeepFinite, cutsWhatMasksAreFilledWith) {
    EXPECT_EQ(kept({kLeast, -kLeast, 1}, true, false), (std::vector<float>{-65504, 65504, 1}));
    EXPECT_EQ(kept({kLeast, 1}, false, true), (std::vector<float>{-0x1.FEp127F, 1}));
    EXPECT_EQ(kept({kLeast, 1}, true, true), (std::vector<float>{-65504, 1}));
}

TEST(KeepFinite, leavesInfinitiesAndFactors) {
    std::vector<float> const values{-kInfinity, kInfinity, 1e20F, -1e9F};
    EXPECT_EQ(kept(values, true, true), values);
}

TEST(KeepFinite, leavesAllAsLongAsNothingButFloat32IsAllowed) { EXPECT_EQ(kept({kLeast}, false, false)[0], kLeast); }

TEST(KeepFinite, leavesWhatIsReadInFloat32) {
    for (bool const both : {false, true}) {
        Graph graph;
        Tensor* constant = graph.emit(Constant(Literal::of(Dims{1}, std::vector{kLeast})), {});
        graph.add(makeLayer("Softmax"), {constant})->askedType = DataType::Float32;
        if (both) graph.add(makeLayer("Softmax"), {constant});
        Precision precision;
        precision.float16 = true;
        keepFinite(graph, precision);
        EXPECT_EQ(constant->literal()->toFloat()[0], both ? -65504 : kLeast);
    }
}

} // namespace
} // namespace tenon
