// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::OnnxNodeCase;

TEST(WindowsOnnx, haveTheTypeThatTheNodeAsksFor) { // np.hanning(5)
    auto const window = OnnxNodeCase("HannWindow", 17).integer("periodic", 0).integer("output_datatype", 10);
    EXPECT_EQ(OnnxNodeCase(window).constant(Literal::scalar<int64_t>(5)).run()[0],
              Literal::of<Half>({5}, {0.0F, 0.5F, 1.0F, 0.5F, 0.0F}));
    EXPECT_EQ(OnnxNodeCase(window).constant(Literal::scalar<int32_t>(0)).run()[0].dims(), Dims({0}));
}

TEST(WindowsOnnx, areAsLongAsTheRunSays) { // np.hanning(5)
    auto const window = OnnxNodeCase("HannWindow", 17).integer("periodic", 0);
    test::expectClose(OnnxNodeCase(window).input(Literal::scalar<int64_t>(5)).run()[0],
                      Literal::of<float>({5}, {0.0F, 0.5F, 1.0F, 0.5F, 0.0F}), 1e-6, "window");
    EXPECT_EQ(OnnxNodeCase(window).input(Literal::scalar<int32_t>(0)).run()[0].dims(), Dims({0}));
    EXPECT_EQ(test::errorOf([&] { OnnxNodeCase(window).input(Literal::scalar<int64_t>(-1)).run(); }),
              "node_4 (Fill): output 0 would get shape [-1] from inputs of these shapes");
}

TEST(WindowsOnnx, refuseALengthThatIsNone) {
    EXPECT_EQ(OnnxNodeCase("HammingWindow", 17).constant(Literal::scalar<int64_t>(-1)).error(),
              "node (HammingWindow, opset 17, node 0): gives [-1]; expected extents of 0 or more");
    EXPECT_EQ(OnnxNodeCase("HannWindow", 17).constant(Literal::of<int64_t>({0}, {})).error(),
              "node (HannWindow, opset 17, node 0): shape [0] has 0 elements and cannot be reshaped to [1]");
}

} // namespace
} // namespace tenon
