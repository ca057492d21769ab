// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "support/layer_case.h"

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
    auto const count = static_cast<int64_t>(x.size());
    Numbers y(x.size());
    for (int64_t k = 0; k < count; ++k) {
        for (int64_t n = 0; n < count; ++n) {
            double const turns = static_cast<double>(n * k % count) / static_cast<double>(count);
            y[static_cast<size_t>(k)] +=
                x[static_cast<size_t>(n)] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turns);
        }
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
        auto const x =
            made(length / 2 + 1, 2, [&](int64_t line) { return transformed(numbers(line, true), false); });
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
    for (int64_t const length : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 29, 31, 32, 37, 49, 62, 64, 74, 100, 128, 148, 210})
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

} // namespace
} // namespace tenon
