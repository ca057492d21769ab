// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "base/error.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace tenon {

namespace layers {
LayerEntry fourierLayer() { return entryOf<Fourier>(); }
} // namespace layers

namespace {

void expectParts(Shape const& x, bool isInverse) {
    DimExpr const& parts = x.back();
    if (!parts.isConstant() || parts.constant() == 2 || (parts.constant() == 1 && !isInverse)) return;
    fail(ErrorCode::InvalidArgument, "input 0 has shape ", x, "; expected a last axis of ",
         isInverse ? "2 (real and imaginary parts) for an inverse transform"
                   : "1 (real numbers) or 2 (real and imaginary parts)");
}

void expectLength(DimExpr const& length) {
    int64_t const least = length.isConstant() ? length.constant() : 0;
    if (least < 0 || least > Fourier::kMostLength)
        fail(ErrorCode::InvalidArgument, "transforms ", least, " numbers; expected 0 to ", Fourier::kMostLength);
}

/// The N of an inverse transform to real numbers.
DimExpr lengthOf(Operands const& in, DimExpr const& given) {
    if (!in.has(Fourier::kLength)) return (given - 1) * 2;
    in.expectInteger(Fourier::kLength).expectOneElement(Fourier::kLength);
    return in.valuesOf(Fourier::kLength, "length").front();
}

/// Of N real numbers N / 2 + 1 complex ones.
void expectHalf(DimExpr const& length, DimExpr const& given) {
    if (!length.isConstant() || !given.isConstant() || length.constant() / 2 + 1 == given.constant()) return;
    fail(ErrorCode::InvalidArgument, "input 0 has ", given, " numbers for a signal of ", length, "; expected ",
         length.constant() / 2 + 1);
}

/// Reads and adds up the numbers of one transform. Numbers of X and Y are `inner` apart.
struct Sums {
    Fourier const& layer;
    FourierSpace const& space;

    /// X[n], n < N.
    std::complex<double> at(float const* x, int64_t n) const {
        bool const isMirrored = layer.givesReal() && n >= space.given;
        float const* const z = x + (isMirrored ? space.length - n : n) * space.inner * space.parts;
        bool const isReal = space.parts == 1 || (layer.givesReal() && (n == 0 || 2 * n == space.length));
        std::complex<double> const number(z[0], isReal ? 0 : z[1]);
        return isMirrored ? std::conj(number) : number;
    }

    std::complex<double> sum(float const* x, int64_t k) const {
        double const turn = (layer.inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(space.length);
        std::complex<double> all = 0;
        for (int64_t n = 0; n < space.length; ++n)
            all += at(x, n) * std::polar(1.0, turn * static_cast<double>(n * k % space.length));
        return all * space.scale;
    }
};

} // namespace

FourierSpace::FourierSpace(Fourier const& layer, Dims const& x, Dims const& y) {
    int const along = resolveAxis(layer.axis, x.rank());
    int const last = x.rank() - 1;
    outer = x.volume(0, along);
    inner = x.volume(along + 1, last);
    given = x[along];
    made = y[along];
    length = layer.givesReal() ? made : given;
    parts = x[last];
    outParts = y[last];
    if (layer.inverse && layer.scaled) scale = 1 / static_cast<double>(length);
}

std::string Fourier::inputName(int input) const { return input == kLength ? "length" : Layer::inputName(input); }

// X [d…,N,d…,parts], length → Y [d…,K,d…,parts]
std::vector<Result> Fourier::infer(Operands const& in) const {
    in.expectCount(1, 2).expectRank(kX, 2, Dims::kMaxRank);
    Operand const& x = in[kX];
    if (x.type != DataType::Float32) fail(ErrorCode::InvalidArgument, "input 0 is ", x.type, "; expected float32");
    expectParts(x.shape, inverse);
    int const along = resolveAxis(axis, in.rank(kX));
    if (along == in.rank(kX) - 1)
        fail(ErrorCode::InvalidArgument, "axis ", axis, " is that of real and imaginary parts; give one before it");
    if (in.has(kLength) && !givesReal())
        fail(ErrorCode::InvalidArgument, "it has a length; only an inverse onesided transform has one");
    Shape shape = x.shape;
    DimExpr& extent = shape[static_cast<size_t>(along)];
    DimExpr const length = givesReal() ? lengthOf(in, extent) : extent;
    expectLength(length);
    if (givesReal()) expectHalf(length, extent);
    extent = onesided && !inverse ? floorDiv(length, 2) + 1 : length;
    shape.back() = givesReal() ? 1 : 2;
    return {{DataType::Float32, shape}};
}

void Fourier::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    FourierSpace const space(*this, in[kX].dims, out[0].dims);
    Sums const sums{*this, space};
    auto const* const x = in[kX].as<float>().data();
    auto* const y = out[0].as<float>().data();
    for (int64_t line = 0; line < space.outer * space.inner; ++line) {
        int64_t const outer = line / space.inner;
        int64_t const inner = line % space.inner;
        float const* const from = x + (outer * space.given * space.inner + inner) * space.parts;
        float* const to = y + (outer * space.made * space.inner + inner) * space.outParts;
        for (int64_t k = 0; k < space.made; ++k) {
            auto const sum = sums.sum(from, k);
            to[k * space.inner * space.outParts] = static_cast<float>(sum.real());
            if (space.outParts == 2) to[k * space.inner * space.outParts + 1] = static_cast<float>(sum.imag());
        }
    }
}

} // namespace tenon
