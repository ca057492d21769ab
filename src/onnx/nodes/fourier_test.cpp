// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::expectClose;
using test::OnnxNodeCase;

Literal floats(Dims const& dims, std::vector<float> const& values) { return Literal::of(dims, values); }
Literal number(int64_t value) { return Literal::scalar<int64_t>(value); }

TEST(FourierOnnx, transformsAsManyNumbersAsItIsAskedFor) { // np.fft.fft(x, 4), np.fft.fft(x, 2)
    auto const transformed = [](int64_t length) {
        return OnnxNodeCase("DFT", 20)
            .input(floats({3, 1}, {1, 2, 3}))
            .constant(number(length))
            .constant(number(0))
            .run();
    };
    expectClose(transformed(4)[0], floats({4, 2}, {6, 0, -2, -2, 2, 0, -2, 2}), 1e-5, "four");
    expectClose(transformed(2)[0], floats({2, 2}, {3, 0, -1, 0}), 1e-5, "two");
}

TEST(FourierOnnx, givesRealSignalsBackOfOddLengthToo) { // np.fft.irfft(np.fft.rfft([1, 2, 4]), 3)
    auto const signal = OnnxNodeCase("DFT", 20)
                            .integer("inverse", 1)
                            .integer("onesided", 1)
                            .input(floats({1, 2, 2}, {7, 0, -2, 1.7320508F}))
                            .constant(number(3))
                            .run();
    expectClose(signal[0], floats({1, 3, 1}, {1, 2, 4}), 1e-5, "signal");
}

TEST(FourierOnnx, takesComplexFrames) { // np.fft.fft(x[:2]), np.fft.fft(x[1:]) of x = [1j, 2, 3 - 1j]
    auto const frames = OnnxNodeCase("STFT", 17)
                            .integer("onesided", 0)
                            .input(floats({1, 3, 2}, {0, 1, 2, 0, 3, -1}))
                            .constant(number(1))
                            .absent()
                            .constant(number(2))
                            .run();
    expectClose(frames[0], floats({1, 2, 2, 2}, {2, 1, -2, 1, 5, -1, -1, 1}), 1e-5, "frames");
}

TEST(FourierOnnx, refusesWhatItCannotTransform) {
    auto const x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(
        OnnxNodeCase("DFT", 17).input(x).error(),
        "node (DFT, opset 17, node 0): input 0 has shape [2,3]; expected a last axis of 1 (real numbers) or 2 (real "
        "and imaginary parts)");
    auto const real = floats({1, 2, 1}, {1, 2});
    EXPECT_EQ(OnnxNodeCase("DFT", 17).integer("axis", 2).input(real).error(),
              "node (DFT, opset 17, node 0): axis is 2, that of real and imaginary parts");
    EXPECT_EQ(
        OnnxNodeCase("DFT", 20).input(real).constant(number(10000)).error(),
        "node (DFT, opset 20, node 0): transforms 10000 numbers; expected 1 to 8192, since the table has the square "
        "of that");
    EXPECT_EQ(OnnxNodeCase("STFT", 17).input(real).constant(number(1)).constant(floats({}, {1})).error(),
              "node (STFT, opset 17, node 0): the window, input 2, has shape []; expected rank 1");
    EXPECT_EQ(OnnxNodeCase("STFT", 17).input(floats({1, 1, 2, 1}, {1, 2})).constant(number(1)).error(),
              "node (STFT, opset 17, node 0): input 0 has shape [1,1,2,1]; expected [N,T,1] or [N,T,2]");
}

} // namespace
} // namespace tenon
