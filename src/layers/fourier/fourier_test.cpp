// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "backends/empty_tensors.h"
#include "base/text.h"
#include "layers/constant/constant.h"
#include "support/kernel_run.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Fourier along(int64_t axis, bool inverse = false, bool onesided = false, bool scaled = true) {
    Fourier layer;
    layer.axis = axis;
    layer.inverse = inverse;
    layer.onesided = onesided;
    layer.scaled = scaled;
    return layer;
}

using Numbers = std::vector<std::complex<double>>;

/// The formula, in double.
Numbers transformed(Numbers const& x, bool inverse) {
    size_t const count = x.size();
    Numbers roots;
    for (size_t i = 0; i < count; ++i) {
        double const turn = static_cast<double>(i) / static_cast<double>(count);
        roots.push_back(std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turn));
    }
    Numbers y(count);
    for (size_t k = 0; k < count; ++k) {
        for (size_t n = 0; n < count; ++n) y[k] += x[n] * roots[n * k % count];
    }
    return y;
}

/// What goes along one axis of X [outer,N,inner].
struct Signals {
    int64_t outer, length, inner;

    Dims dims(int64_t count, int64_t parts) const { return {outer, count, inner, parts}; }

    /// X [outer,count,inner,parts] of numbers as they are in one transform.
    template <class Each> Literal made(int64_t count, int64_t parts, Each const& each) const {
        std::vector<float> all(static_cast<size_t>(outer * count * inner * parts));
        for (int64_t line = 0; line < outer * inner; ++line) {
            Numbers const numbers = each(line);
            for (int64_t k = 0; k < count; ++k) {
                int64_t const at = ((line / inner * count + k) * inner + line % inner) * parts;
                all[static_cast<size_t>(at)] = static_cast<float>(numbers[static_cast<size_t>(k)].real());
                if (parts == 2)
                    all[static_cast<size_t>(at + 1)] = static_cast<float>(numbers[static_cast<size_t>(k)].imag());
            }
        }
        return floats(dims(count, parts), all);
    }

    /// Float32 numbers of a line, each time the same ones.
    Numbers numbers(int64_t line, bool isReal) const {
        Numbers all;
        auto state = static_cast<uint32_t>(line * 7919 + 1);
        auto const next = [&] {
            state = state * 1664525 + 1013904223;
            return double{static_cast<float>(state >> 8) / 8388608.0F - 1};
        };
        for (int64_t n = 0; n < length; ++n) {
            double const re = next();
            all.emplace_back(re, isReal ? 0 : next());
        }
        return all;
    }

    /// |found - expected| of transforms of numbers in [-1,1] is far below this, relative to the numbers' root mean
    /// square.
    double tolerance() const {
        return 4e-7 * std::log2(static_cast<double>(length) + 1) * std::sqrt(static_cast<double>(length));
    }

    void expectComplex(bool inverse, bool scaled = true) const {
        SCOPED_TRACE(text("complex [", outer, ",", length, ",", inner, "]", inverse ? " inverse" : ""));
        auto const x = made(length, 2, [&](int64_t line) { return numbers(line, false); });
        auto const y = made(length, 2, [&](int64_t line) {
            Numbers all = transformed(numbers(line, false), inverse);
            for (auto& one : all) one /= inverse && scaled ? static_cast<double>(length) : 1;
            return all;
        });
        LayerCase{.inputs = {x}, .expected = {y}, .tolerance = tolerance(), .types = {DataType::Float32}}.expect(
            along(1, inverse, false, scaled));
    }

    void expectReal(bool onesided) const {
        SCOPED_TRACE(text("real [", outer, ",", length, ",", inner, "]", onesided ? " onesided" : ""));
        auto const x = made(length, 1, [&](int64_t line) { return numbers(line, true); });
        auto const y = made(onesided ? length / 2 + 1 : length, 2,
                            [&](int64_t line) { return transformed(numbers(line, true), false); });
        LayerCase{.inputs = {x}, .expected = {y}, .tolerance = tolerance(), .types = {DataType::Float32}}.expect(
            along(1, false, onesided));
    }

    /// The other way round. Rounding the spectrum to float32 is a part of the difference.
    void expectBackToReal(bool scaled = true) const {
        SCOPED_TRACE(text("to real [", outer, ",", length, ",", inner, "]"));
        auto const x = made(length / 2 + 1, 2, [&](int64_t line) { return transformed(numbers(line, true), false); });
        auto const y = made(length, 1, [&](int64_t line) {
            Numbers all = numbers(line, true);
            for (auto& one : all) one *= scaled ? 1 : static_cast<double>(length);
            return all;
        });
        double const factor = scaled ? 1 : static_cast<double>(length);
        LayerCase{.inputs = {x, ints({}, {length})},
                  .expected = {y},
                  .tolerance = 1e-6 * factor,
                  .constants = 2,
                  .types = {DataType::Float32}}
            .expect(along(1, true, true, scaled));
    }

    void expectAll() const {
        expectComplex(false);
        expectComplex(true);
        expectReal(true);
        expectReal(false);
        expectBackToReal();
    }
};

TEST(Fourier, transformsAnyLength) { // of each radix, of several, of primes, of twice and four times a prime
    for (int64_t const length : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12,  13,  15, 16,
                                 17, 20, 29, 31, 32, 37, 49, 62, 64, 74, 100, 128, 148, 210})
        Signals{2, length, 1}.expectAll();
}

TEST(Fourier, transformsLongSignals) {
    for (int64_t const length : {256, 400, 480, 512, 1000, 1009, 1024, 2048}) Signals{1, length, 1}.expectAll();
}

TEST(Fourier, goesAlongOtherAxes) {
    for (int64_t const inner : {2, 3, 16, 17, 33}) {
        for (int64_t const length : {1, 2, 6, 7, 16, 37, 40}) Signals{2, length, inner}.expectAll();
    }
    Signals{1, 1500, 40}.expectReal(true); // of several blocks
}

TEST(Fourier, transformsManyShortSignals) { // which are brought beside each other
    for (int64_t const length : {1, 2, 5, 16, 37, 64, 75}) Signals{37, length, 1}.expectAll();
}

TEST(Fourier, leavesOutTheFactor) {
    Signals{2, 12, 1}.expectComplex(true, false);
    Signals{20, 12, 1}.expectComplex(true, false);
    Signals{2, 12, 3}.expectBackToReal(false);
    Signals{2, 9, 1}.expectBackToReal(false);
}

TEST(Fourier, givesTheFirstHalfOfComplexSignals) { // np.fft.fft([1, 1j, 2, -1])[:3]
    LayerCase{.inputs = {floats({4, 2}, {1, 0, 0, 1, 2, 0, -1, 0})}, .expected = {floats({3, 2}, {2, 1, 0, -1, 4, -1})}}
        .expect(along(0, false, true));
}

TEST(Fourier, hasAnEvenLengthWhereNoneIsGiven) { // np.fft.irfft([6, -2 + 2j, -2])
    LayerCase{.inputs = {floats({1, 3, 2}, {6, 0, -2, 2, -2, 0})}, .expected = {floats({1, 4, 1}, {0, 1, 2, 3})}}
        .expect(along(-2, true, true));
}

TEST(Fourier, ignoresImaginaryPartsThatAReversibleTransformWouldNotHave) { // as np.fft.irfft does
    LayerCase{.inputs = {floats({1, 3, 2}, {6, 5, -2, 2, -2, 7})}, .expected = {floats({1, 4, 1}, {0, 1, 2, 3})}}
        .expect(along(1, true, true));
}

TEST(Fourier, takesALengthThatOnlyTheRunKnows) { // np.fft.irfft([3, 1j], 3), np.fft.irfft([3, 1j], 2)
    LayerCase odd{.inputs = {floats({2, 2}, {3, 0, 0, 1}), ints({1}, {3})},
                  .expected = {floats({3, 1}, {1, 0.42264974F, 1.5773503F})}};
    odd.expectFed(along(0, true, true));
    LayerCase even{.inputs = {floats({2, 2}, {3, 0, 0, 1}), ints({1}, {2})}, .expected = {floats({2, 1}, {1.5, 1.5})}};
    even.expectFed(along(0, true, true));
}

TEST(Fourier, ofNoSignalsIsEmpty) {
    LayerCase{.inputs = {floats({0, 4, 2}, {})}, .expected = {floats({0, 4, 2}, {})}}.expect(along(1));
    LayerCase{.inputs = {floats({2, 0, 1}, {})}, .expected = {floats({2, 1, 2}, {0, 0, 0, 0})}}.expect(
        along(1, false, true));
}

TEST(Fourier, runsAtOtherLengthsThanItWasBuiltFor) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("r"), DimExpr::symbol("n"), 1});
    Node const* const node = graph.add(along(1, false, true).clone(), {x}, "node");
    for (Dims const& dims : {Dims{1, 16, 1}, Dims{70, 12, 1}, Dims{2, 500, 1}, Dims{3, 101, 1}})
        test::expectAtOtherShapes(*node, {{{4, 64, 1}}, {{4, 33, 2}}}, {test::spread(dims, -1, 1)}, 1e-4);
}

TEST(Fourier, givesTheSameOnAnyThreads) {
    for (Dims const& dims : {Dims{100, 1000, 1, 2}, Dims{1000, 64, 1, 2}, Dims{40, 251, 1, 2}, Dims{4, 300, 100, 2}}) {
        for (bool const inverse : {false, true}) {
            Graph graph;
            Tensor* const x = graph.addInput("x", DataType::Float32, toShape(dims));
            test::expectAlikeOnAnyThreads(*graph.add(along(1, inverse).clone(), {x}, "node"),
                                          {test::spread(dims, -0.05F, 0.05F)});
        }
    }
}

/// What each kernel and the reference make of X.
std::vector<Literal> resultsOf(Fourier const& layer, Literal const& x) {
    Graph graph;
    Node const& node = *graph.add(layer.clone(), {graph.addInput("x", x.type(), toShape(x.dims()))}, "node");
    NodeDims const dims{{x.dims()}, {toDims(node.output(0)->shape)}};
    std::vector<Literal> results;
    for (Kernel const* kernel : test::testedBackend().kernelsFor(node.kind())) {
        for (Variant const& variant : offerOf(*kernel, {node, dims.inputs, dims.outputs}).variants)
            results.push_back(test::KernelRun(node, *kernel, variant, dims).run({x}, dims.outputs).front());
    }
    return results;
}

/// One part of one number of X [rows,N,parts] is not finite: then a part of each number of its row is not, and of no
/// other one.
void expectNotFinite(Fourier const& layer, Dims const& dims, float value) {
    std::vector<float> numbers = test::spread(dims, -1, 1).toFloat();
    numbers[static_cast<size_t>((dims[1] + dims[1] / 3) * dims[2])] = value;
    for (Literal const& y : resultsOf(layer, floats(dims, numbers))) {
        auto const found = y.toFloat();
        auto const parts = static_cast<size_t>(y.dims()[2]);
        size_t const row = found.size() / static_cast<size_t>(dims[0]) / parts;
        for (size_t i = 0; i < found.size() / parts; ++i) {
            bool const isFinite = std::isfinite(found[i * parts]) && std::isfinite(found[i * parts + parts - 1]);
            ASSERT_EQ(isFinite, i / row != 1) << text(dims, " of ", value, ", number ", i);
        }
    }
}

TEST(Fourier, spreadsWhatIsNotFiniteOverItsSignalOnly) {
    for (float const value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        for (int64_t const rows : {3, 40}) {
            for (int64_t const length : {4, 9, 16, 37, 60, 1000}) {
                expectNotFinite(along(1), {rows, length, 2}, value);
                expectNotFinite(along(1, true), {rows, length, 2}, value);
                expectNotFinite(along(1, false, true), {rows, length, 1}, value);
                expectNotFinite(along(1, true, true), {rows, length, 2}, value);
            }
        }
    }
}

TEST(Fourier, refusesWhatDoesNotFit) {
    using test::Input;
    auto const error = [](Fourier const& layer, std::vector<Input> const& inputs) {
        return test::inferError(layer, inputs);
    };
    auto const real = [](Shape const& shape) { return Input{DataType::Float32, shape}; };
    EXPECT_EQ(error(along(0), {{DataType::Float16, {4, 2}}}), "node (Fourier): input 0 is float16; expected float32");
    EXPECT_EQ(error(along(0), {real({4})}), "node (Fourier): input 0 has shape [4], of rank 1; expected rank 2 to 8");
    EXPECT_EQ(error(along(0), {real({4, 3})}),
              "node (Fourier): input 0 has shape [4,3]; expected a last axis of 1 (real numbers) or 2 (real and "
              "imaginary parts)");
    EXPECT_EQ(error(along(0, true), {real({4, 1})}),
              "node (Fourier): input 0 has shape [4,1]; expected a last axis of 2 (real and imaginary parts) for an "
              "inverse transform");
    EXPECT_EQ(error(along(1), {real({4, 2})}),
              "node (Fourier): axis 1 is that of real and imaginary parts; give one before it");
    EXPECT_EQ(error(along(-3), {real({4, 2})}), "node (Fourier): axis -3 of a tensor of rank 2; expected -2 to 1");
    Input const length{DataType::Int64, {}};
    EXPECT_EQ(error(along(0), {real({4, 2}), length}),
              "node (Fourier): it has a length; only an inverse onesided transform has one");
    EXPECT_EQ(error(along(0, true, true), {real({4, 2}), {DataType::Float32, {}}}),
              "node (Fourier): length is float32; expected int32 or int64");
    EXPECT_EQ(error(along(0, true, true), {real({4, 2}), {DataType::Int64, {2}}}),
              "node (Fourier): length has shape [2]; expected one element");
    EXPECT_EQ(error(along(0, true, true), {real({0, 2})}),
              "node (Fourier): transforms -2 numbers; expected 0 to 16777216");
    EXPECT_EQ(error(along(0), {real({16777217, 2})}),
              "node (Fourier): transforms 16777217 numbers; expected 0 to 16777216");
}

TEST(Fourier, refusesASpectrumThatIsNotHalfOfItsLength) {
    EXPECT_EQ(test::errorOf([&] {
                  Graph graph;
                  Tensor* x = graph.addInput("x", DataType::Float32, {4, 2});
                  graph.emit(along(0, true, true), {x, graph.emit(Constant(ints({}, {8})), {})}, "node");
              }),
              "node (Fourier): input 0 has 4 numbers for a signal of 8; expected 5");
}

} // namespace
} // namespace tenon
