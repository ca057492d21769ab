// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"
#include "support/layer_case.h"
#include "support/onnx_node_case.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

namespace tenon {
namespace {

using test::expectClose;
using test::OnnxModel;
using test::OnnxNodeCase;

Literal floats(Dims const& dims, std::vector<float> const& values) { return Literal::of(dims, values); }
/// The error of a run from the kind of layer on: which of the node's layers it is does not matter.
std::string errorOf(std::function<void()> const& run) {
    std::string const error = test::errorOf(run);
    return error.substr(error.find('('));
}
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

// np.fft.fft(x, 4, axis=0), np.fft.rfft(x, 2, axis=0); np.fft.ifft, of 4
TEST(FourierOnnx, takesAxesAndLengthsThatOnlyTheRunKnows) {
    auto const signal = floats({3, 1, 1}, {1, 2, 3});
    auto const transformed = [&](OnnxNodeCase node, int64_t length, int64_t axis) {
        return node.input(signal).input(number(length)).input(number(axis)).run()[0];
    };
    OnnxNodeCase const full("DFT", 20);
    auto const half = OnnxNodeCase("DFT", 20).integer("onesided", 1);
    auto const inverse = OnnxNodeCase("DFT", 20).integer("inverse", 1);
    expectClose(transformed(full, 4, 0), floats({4, 1, 2}, {6, 0, -2, -2, 2, 0, -2, 2}), 1e-5, "four");
    expectClose(transformed(full, 4, -3), floats({4, 1, 2}, {6, 0, -2, -2, 2, 0, -2, 2}), 1e-5, "from the end");
    expectClose(transformed(half, 2, 0), floats({2, 1, 2}, {3, 0, -1, 0}), 1e-5, "half");
    expectClose(transformed(half, 2, 1), floats({3, 2, 2}, {1, 0, 1, 0, 2, 0, 2, 0, 3, 0, 3, 0}), 1e-5, "other axis");
    expectClose(transformed(inverse, 4, 0), floats({4, 1, 2}, {1.5F, 0, -0.5F, 0.5F, 0.5F, 0, -0.5F, -0.5F}), 1e-5,
                "inverse");
    EXPECT_EQ(errorOf([&] { transformed(full, 4, 2); }),
              "(Assertion): does not hold: the axis is one of those before the last one, which has real and "
              "imaginary parts; give one from 0 to 1");
    for (int64_t const length : {0, -1, 16777217}) {
        EXPECT_EQ(errorOf([&] { transformed(full, length, 0); }),
                  "(Assertion): does not hold: it transforms 1 to 16777216 numbers; give another length");
    }
}

/// x[n] = 1 for n = 3, else 0: X[k] = exp(-2πi·3k/N), of the first `count` frequencies.
Literal spectrumOfAnImpulse(int64_t length, int64_t count) {
    std::vector<float> spectrum;
    for (int64_t k = 0; k < count; ++k) {
        double const angle = -2 * std::numbers::pi * static_cast<double>(3 * k % length) / static_cast<double>(length);
        spectrum.push_back(static_cast<float>(std::cos(angle)));
        spectrum.push_back(static_cast<float>(std::sin(angle)));
    }
    return floats({1, count, 2}, spectrum);
}

TEST(FourierOnnx, transformsLongSignals) { // of small factors, a prime, a power of two, a large prime factor
    for (int64_t const length : {1200, 1031, 4096, 3093}) {
        std::vector<float> impulse(static_cast<size_t>(length));
        impulse[3] = 1;
        auto const half = length / 2 + 1;
        auto const signal = floats({1, length, 1}, impulse);
        auto const what = text(length);
        expectClose(OnnxNodeCase("DFT", 20).input(signal).run()[0], spectrumOfAnImpulse(length, length), 2e-5, what);
        expectClose(OnnxNodeCase("DFT", 20).integer("onesided", 1).input(signal).run()[0],
                    spectrumOfAnImpulse(length, half), 2e-5, what);
        expectClose(OnnxNodeCase("DFT", 20)
                        .integer("onesided", 1)
                        .integer("inverse", 1)
                        .input(spectrumOfAnImpulse(length, half))
                        .constant(number(length))
                        .run()[0],
                    signal, 2e-5, what);
        expectClose(OnnxNodeCase("DFT", 20).input(signal).input(number(length)).run()[0],
                    spectrumOfAnImpulse(length, length), 2e-5, what + ", which only the run knows");
    }
}

// np.fft.irfft(np.fft.rfft(x, n), n) for x = [1, 2, 4, -1, 3] and each n: what goes there comes back
TEST(FourierOnnx, givesBackWhatItTransformedByLengthsOfTheRun) {
    std::vector<float> const x{1, 2, 4, -1, 3};
    for (int64_t length = 1; length <= 5; ++length) {
        auto const spectrum =
            OnnxNodeCase("DFT", 20).integer("onesided", 1).input(floats({1, 5, 1}, x)).input(number(length)).run()[0];
        auto const back = OnnxNodeCase("DFT", 20)
                              .integer("onesided", 1)
                              .integer("inverse", 1)
                              .input(spectrum)
                              .input(number(length))
                              .run()[0];
        expectClose(back, floats({1, length, 1}, {x.begin(), x.begin() + length}), 1e-5, "signal");
    }
}

// np.fft.fft(x[:2]), np.fft.fft(x[1:]) of x = [1j, 2, 3 - 1j]
TEST(FourierOnnx, takesFramesThatOnlyTheRunKnows) {
    auto const frames = [](int64_t step, int64_t length) {
        return OnnxNodeCase("STFT", 17)
            .integer("onesided", 0)
            .input(floats({1, 3, 2}, {0, 1, 2, 0, 3, -1}))
            .input(number(step))
            .absent()
            .input(number(length))
            .run()[0];
    };
    expectClose(frames(1, 2), floats({1, 2, 2, 2}, {2, 1, -2, 1, 5, -1, -1, 1}), 1e-5, "frames");
    expectClose(frames(2, 2), floats({1, 1, 2, 2}, {2, 1, -2, 1}), 1e-5, "a frame");
    std::string const hold = "(Assertion): does not hold: a frame begins behind the one before, and none is "
                             "longer than the signal; give a frame_step of 1 at least, and a frame_length up to the "
                             "signal's";
    EXPECT_EQ(errorOf([&] { frames(0, 2); }), hold);
    EXPECT_EQ(errorOf([&] { frames(1, 4); }), hold);
}

TEST(FourierOnnx, keepsTheNamesOfExtents) {
    OnnxModel model(20);
    model.input("x", {"N", 4, "C", 1});
    test::setInt(model.node("DFT", {"x"}, {"y"}), "axis", 1);
    model.output("y");
    Graph graph;
    ASSERT_TRUE(onnx::parse(test::asBytes(model.bytes()), graph));
    EXPECT_EQ(text(graph.outputs()[0]->shape), "[N,4,C,2]");
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
    EXPECT_EQ(OnnxNodeCase("DFT", 20).input(real).constant(number(16777217)).error(),
              "node (DFT, opset 20, node 0): transforms 16777217 numbers; expected 1 to 16777216");
    EXPECT_EQ(OnnxNodeCase("DFT", 20).input(floats({1, 0, 1}, {})).error(),
              "node (DFT, opset 20, node 0): transforms 0 numbers; expected 1 to 16777216");
    EXPECT_EQ(OnnxNodeCase("STFT", 17).input(real).constant(number(1)).constant(floats({}, {1})).error(),
              "node (STFT, opset 17, node 0): the window, input 2, has shape []; expected rank 1");
    EXPECT_EQ(OnnxNodeCase("STFT", 17).input(floats({1, 1, 2, 1}, {1, 2})).constant(number(1)).error(),
              "node (STFT, opset 17, node 0): input 0 has shape [1,1,2,1]; expected [N,T,1] or [N,T,2]");
    EXPECT_EQ(OnnxNodeCase("DFT", 17).input(Literal::of<int32_t>({1, 2, 1}, {1, 2})).error(),
              "node (DFT, opset 17, node 0): input 0 is int32; expected float32, float16 or bfloat16");
    uint8_t const bits[2]{1, 0};
    EXPECT_EQ(OnnxNodeCase("STFT", 17)
                  .input(Literal::copyOf(DataType::Bool, {1, 2, 1}, bits))
                  .constant(number(1))
                  .absent()
                  .constant(number(2))
                  .error(),
              "node (STFT, opset 17, node 0): input 0 is bool; expected float32, float16 or bfloat16");
}

} // namespace
} // namespace tenon
