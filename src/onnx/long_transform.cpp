// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/long_transform.h"

#include "layers/slice/slice.h"
#include "onnx/read_values.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <utility>

namespace tenon::onnx {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int64_t kMostDirect = 1024; // the table of complex factors then has 16 MB

/// An extent, and its value where it is known when the model is read.
struct Size {
    Term term; // int64 [1]
    std::optional<int64_t> known;

    Size(Term const& of) : term(of), known(readNumber(*of)) {}
    Size(NodeReader& node, int64_t value) : term(list(node, {value})), known(value) {}
};

/// exp(-2πi·ab/N), in double precision.
std::complex<float> factor(int64_t a, int64_t b, int64_t n) {
    double const angle = -2 * kPi * static_cast<double>(a * b % n) / static_cast<double>(n);
    return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

/// exp(i·angle) of float32 angles […] → […,2]
Term unit(Term const& angle) {
    return concatenate({unsqueeze(cos(angle), {angle.rank()}), unsqueeze(sin(angle), {angle.rank()})}, angle.rank());
}

Term part(Term const& x, int64_t which) { return slice(x, x.rank() - 1, which, which + 1); }

/// Of complex numbers […,2], which broadcast.
Term times(Term const& x, Term const& y) {
    Term const real = part(x, 0) * part(y, 0) - part(x, 1) * part(y, 1);
    Term const imaginary = part(x, 0) * part(y, 1) + part(x, 1) * part(y, 0);
    return concatenate({real, imaginary}, real.rank() - 1);
}

Term conjugate(Term const& x) { return concatenate({part(x, 0), -part(x, 1)}, x.rank() - 1); }

Term counted(Size const& count) { return counting(count.term, DataType::Int64); }

/// exp(-2πi·ab/N), [A,B,2]; a·b is less than N, or taken modulo N.
Term factors(Size const& a, Size const& b, Size const& n) {
    NodeReader& node = n.term.node();
    if (a.known && b.known && n.known) {
        std::vector<float> numbers;
        for (int64_t i = 0; i < *a.known; ++i) {
            for (int64_t j = 0; j < *b.known; ++j) {
                auto const z = factor(i, j, *n.known);
                numbers.insert(numbers.end(), {z.real(), z.imag()});
            }
        }
        return {node, node.constant(Literal::of({*a.known, *b.known, 2}, numbers))};
    }
    Term const products = unsqueeze(counted(a), {1}) * counted(b);
    Term const turns = cast(apply(PointwiseOp::Mod, products, n.term), DataType::Float32);
    return unit(turns / cast(n.term, DataType::Float32) * (-2 * kPi));
}

/// The complex matrix of all factors of N as one for real and imaginary parts: [2N,2N].
Term matrixOf(Size const& n) {
    NodeReader& node = n.term.node();
    if (!n.known) {
        Term const all = factors(n, n, n);                                               // [N,N,2]
        Term const turned = concatenate({-part(all, 1), part(all, 0)}, 2);               // times i
        Term const both = concatenate({unsqueeze(all, {1}), unsqueeze(turned, {1})}, 1); // [N,2,N,2]
        return reshape(both, concatenate({n.term * 2, n.term * 2}, 0));
    }
    std::vector<float> numbers;
    for (int64_t row = 0; row < 2 * *n.known; ++row) {
        for (int64_t k = 0; k < *n.known; ++k) {
            auto const z = factor(row / 2, k, *n.known);
            if (row % 2 == 0) numbers.insert(numbers.end(), {z.real(), z.imag()});
            if (row % 2 == 1) numbers.insert(numbers.end(), {-z.imag(), z.real()});
        }
    }
    return {node, node.constant(Literal::of({2 * *n.known, 2 * *n.known}, numbers))};
}

/// [R,2N] · [2N,2N]
Term direct(Term const& rows, Size const& n) {
    Term const count = extents(rows, 0, 1);
    Term const y = product(reshape(rows, concatenate({count, n.term * 2}, 0)), matrixOf(n));
    return reshape(y, concatenate({count, n.term, list(rows.node(), {2})}, 0));
}

Term any(Term const& rows, Size const& n);

/// Y[ka + A·kb] of X[a·B + b]: over a, times exp(-2πi·b·ka/N), over b.
Term inTwoSteps(Term const& rows, Size const& a, Size const& b, Size const& n) {
    Term const two = list(rows.node(), {2});
    Term const count = extents(rows, 0, 1);
    auto const shaped = [&](Term const& x, std::vector<Term> parts) {
        parts.push_back(two);
        return reshape(x, concatenate(parts, 0));
    };
    Term y = transpose(shaped(rows, {count, a.term, b.term}), {0, 2, 1, 3});
    y = any(shaped(y, {count * b.term, a.term}), a);
    y = times(shaped(y, {count, b.term, a.term}), factors(b, a, n));
    y = any(shaped(transpose(y, {0, 2, 1, 3}), {count * a.term, b.term}), b);
    return shaped(transpose(shaped(y, {count, a.term, b.term}), {0, 2, 1, 3}), {count, n.term});
}

/// The greatest divisor that is not above the square root.
int64_t divisorOf(int64_t n) {
    auto divisor = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
    while (n % divisor != 0) --divisor;
    return divisor;
}

/// Whether its prime factors are small enough for tables.
bool factorizes(int64_t n) {
    for (int64_t factor = 2; factor * factor <= n; ++factor) {
        while (n % factor == 0 && n > kMostDirect) n /= factor;
    }
    return n <= kMostDirect;
}

/// exp(∓πi·d²/N) of distances d, int64 […] → […,2]
Term chirp(Term const& distances, Size const& n, double sign) {
    Term const turns = apply(PointwiseOp::Mod, distances * distances, max(n.term * 2, n.term.constant(1)));
    Term const angle = cast(turns, DataType::Float32) / cast(n.term, DataType::Float32) * (sign * kPi);
    return unit(angle);
}

/// Y[k] = w[k] · sum of X[n] w[n] conj(w[k - n]), w[n] = exp(-πi·n²/N): a convolution, of M = A·A numbers or a power of
/// two, M at least 2N - 1.
Term byChirp(Term const& rows, Size const& n) {
    NodeReader& node = rows.node();
    auto const sizes = [&]() -> std::pair<Size, Size> { // A and M
        if (n.known) {
            int64_t m = 1;
            while (m < 2 * *n.known - 1) m *= 2;
            return {Size(node, divisorOf(m)), Size(node, m)};
        }
        Term const root = sqrt(cast(n.term * 2, DataType::Float32));
        Term const a = cast(floor(root), DataType::Int64) + 1; // where float32 rounds down, by less than 1
        return {Size(a), Size(a * a)};
    };
    auto const [a, m] = sizes();
    auto const whole = [&](Term const& x) { return m.known ? any(x, m) : inTwoSteps(x, a, a, m); };
    Term const places = counted(m);
    Term const distances = min(places, m.term - places);
    Term const inside = cast(distances < n.term, DataType::Float32);
    Term const filter = chirp(distances, n, 1) * unsqueeze(inside, {1});
    Term const w = chirp(counted(n), n, -1);
    Term const spectrum = times(whole(firstOf(times(rows, w), 1, m.term)), whole(unsqueeze(filter, {0})));
    Term const sums = conjugate(whole(conjugate(spectrum))) / cast(m.term, DataType::Float32);
    return times(firstOf(sums, 1, n.term), w);
}

Term any(Term const& rows, Size const& n) {
    if (!n.known || *n.known <= kMostDirect) return direct(rows, n);
    if (!factorizes(*n.known)) return byChirp(rows, n);
    NodeReader& node = rows.node();
    int64_t const a = divisorOf(*n.known);
    return inTwoSteps(rows, Size(node, a), Size(node, *n.known / a), n);
}

} // namespace

Term transform(Term const& rows, Term const& length) {
    Size const n(length);
    return n.known ? any(rows, n) : byChirp(rows, n);
}

Term inverseTransform(Term const& rows, Term const& length) {
    return conjugate(transform(conjugate(rows), length)) / cast(length, DataType::Float32);
}

Term firstOf(Term const& x, int64_t axis, Term const& count) {
    auto const known = readNumber(*count);
    if (known && x->shape[static_cast<size_t>(axis)] == DimExpr(*known)) return x;
    Slice layer;
    layer.mode = Slice::Mode::Fill;
    layer.axes = {axis};
    layer.start = {0};
    return x.through(std::move(layer), {nullptr, count});
}

} // namespace tenon::onnx
