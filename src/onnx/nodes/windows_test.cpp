// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

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

TEST(WindowsOnnx, refuseALengthThatIsNone) {
    EXPECT_EQ(OnnxNodeCase("HammingWindow", 17).constant(Literal::scalar<int64_t>(-1)).error(),
              "node (HammingWindow, opset 17, node 0): the length of a list is -1; expected 0 to 16777216");
    EXPECT_EQ(OnnxNodeCase("HannWindow", 17).constant(Literal::of<int64_t>({0}, {})).error(),
              "node (HannWindow, opset 17, node 0): the length of a list, 'x0', has shape [0]; expected one number");
    EXPECT_EQ(
        OnnxNodeCase("BlackmanWindow", 17).input(Literal::scalar<int64_t>(4)).error(),
        "node (BlackmanWindow, opset 17, node 0): the length of a list, 'x0', depends on what is fed at run time; "
        "here it must be known when the model is read");
}

} // namespace
} // namespace tenon
