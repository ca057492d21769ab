// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <type_traits>

namespace tenon::cuda {

inline __device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
inline __device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
inline __device__ float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
inline __device__ float2 operator*(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
inline __device__ float2 conjugate(float2 a) { return make_float2(a.x, -a.y); }
/// a times -i.
inline __device__ float2 turned(float2 a) { return make_float2(a.y, -a.x); }

/// exp(-2πi · part/whole), 0 <= part <= whole <= 2^25
inline __device__ float2 unit(int64_t part, int64_t whole) {
    float2 z;
    sincospif(-2 * (static_cast<float>(part) / static_cast<float>(whole)), &z.y, &z.x);
    return z;
}

// Transforms of R numbers in place (Cooley and Tukey 1965).

template <int R> struct Radix;

template <> struct Radix<2> {
    static __device__ void transform(float2* z) {
        float2 const a = z[0];
        z[0] = a + z[1];
        z[1] = a - z[1];
    }
};

template <> struct Radix<4> {
    static __device__ void transform(float2* z) {
        float2 const a = z[0] + z[2];
        float2 const b = z[0] - z[2];
        float2 const c = z[1] + z[3];
        float2 const d = turned(z[1] - z[3]);
        z[0] = a + c;
        z[1] = b + d;
        z[2] = a - c;
        z[3] = b - d;
    }
};

/// Of 2H numbers by those of H. `roots` are exp(-2πi k/2H) for k < H.
template <int H> __device__ void transformByHalves(float2* z, float2 const (&roots)[H]) {
    float2 even[H];
    float2 odd[H];
#pragma unroll
    for (int i = 0; i < H; ++i) {
        even[i] = z[2 * i];
        odd[i] = z[2 * i + 1];
    }
    Radix<H>::transform(even);
    Radix<H>::transform(odd);
#pragma unroll
    for (int i = 0; i < H; ++i) {
        float2 const turnedOdd = i == 0 ? odd[0] : 2 * i == H ? turned(odd[i]) : odd[i] * roots[i];
        z[i] = even[i] + turnedOdd;
        z[i + H] = even[i] - turnedOdd;
    }
}

template <> struct Radix<8> {
    static __device__ void transform(float2* z) {
        constexpr float kHalfRoot = 0.70710678118654752F;
        float2 const roots[4]{{1, 0}, {kHalfRoot, -kHalfRoot}, {0, -1}, {-kHalfRoot, -kHalfRoot}};
        transformByHalves<4>(z, roots);
    }
};

template <> struct Radix<16> {
    static __device__ void transform(float2* z) {
        constexpr float kHalfRoot = 0.70710678118654752F;
        constexpr float kCos = 0.92387953251128676F;
        constexpr float kSin = 0.38268343236508977F;
        float2 const roots[8]{{1, 0},  {kCos, -kSin},  {kHalfRoot, -kHalfRoot},  {kSin, -kCos},
                              {0, -1}, {-kSin, -kCos}, {-kHalfRoot, -kHalfRoot}, {-kCos, -kSin}};
        transformByHalves<8>(z, roots);
    }
};

/// Of an odd number: X[j] and X[R - j] have sums in common. `cosines` and `sines` are of 2π i/R.
template <int R> __device__ void transformOdd(float2* z, float const (&cosines)[R], float const (&sines)[R]) {
    float2 const first = z[0];
    float2 sums[R / 2];
    float2 differences[R / 2];
#pragma unroll
    for (int k = 0; k < R / 2; ++k) {
        sums[k] = z[k + 1] + z[R - 1 - k];
        differences[k] = z[k + 1] - z[R - 1 - k];
        z[0] = z[0] + sums[k];
    }
#pragma unroll
    for (int j = 1; j <= R / 2; ++j) {
        float2 middle = first;
        float2 across = make_float2(0, 0);
#pragma unroll
        for (int k = 0; k < R / 2; ++k) {
            middle = middle + sums[k] * cosines[(k + 1) * j % R];
            across = across + differences[k] * sines[(k + 1) * j % R];
        }
        z[j] = middle + turned(across);
        z[R - j] = middle - turned(across);
    }
}

template <> struct Radix<3> {
    static __device__ void transform(float2* z) {
        constexpr float kSin = 0.86602540378443865F;
        float const cosines[3]{1, -0.5F, -0.5F};
        float const sines[3]{0, kSin, -kSin};
        transformOdd<3>(z, cosines, sines);
    }
};

template <> struct Radix<5> {
    static __device__ void transform(float2* z) {
        constexpr float kCos1 = 0.30901699437494742F;
        constexpr float kCos2 = -0.80901699437494742F;
        constexpr float kSin1 = 0.95105651629515357F;
        constexpr float kSin2 = 0.58778525229247313F;
        float const cosines[5]{1, kCos1, kCos2, kCos2, kCos1};
        float const sines[5]{0, kSin1, kSin2, -kSin2, -kSin1};
        transformOdd<5>(z, cosines, sines);
    }
};

template <> struct Radix<7> {
    static __device__ void transform(float2* z) {
        constexpr float kCos1 = 0.62348980185873353F;
        constexpr float kCos2 = -0.22252093395631441F;
        constexpr float kCos3 = -0.90096886790241913F;
        constexpr float kSin1 = 0.78183148246802981F;
        constexpr float kSin2 = 0.97492791218182361F;
        constexpr float kSin3 = 0.43388373911755812F;
        float const cosines[7]{1, kCos1, kCos2, kCos3, kCos3, kCos2, kCos1};
        float const sines[7]{0, kSin1, kSin2, kSin3, -kSin3, -kSin2, -kSin1};
        transformOdd<7>(z, cosines, sines);
    }
};

/// z[j] times w^j, by products of few factors.
template <int R> __device__ void multiplyByPowers(float2* z, float2 w) {
    float2 powers[R];
    powers[1] = w;
#pragma unroll
    for (int j = 2; j < R; ++j) powers[j] = powers[j / 2] * powers[j - j / 2];
#pragma unroll
    for (int j = 1; j < R; ++j) z[j] = z[j] * powers[j];
}

/// A pass of a transform of L points in the order of Stockham, of radix R, after passes whose radices have the product
/// B; G = L / (B R). For each g < G and b < B:
///   out[b + B (R g + j)] = w(g j) · sum over k of in[b + B (g + G k)] exp(-2πi jk/R),  w(x) = exp(-2πi x / (G R))
/// This is number u = b + B g of L / R; place(n) is where number n is in both arrays.
template <int R, class Place>
__device__ void passAt(float2 const* in, float2* out, int u, int before, int points, Place const& place) {
    int const parts = points / R;
    int const g = u / before;
    float2 z[R];
#pragma unroll
    for (int k = 0; k < R; ++k) z[k] = in[place(u + parts * k)];
    Radix<R>::transform(z);
    if (g > 0) multiplyByPowers<R>(z, unit(g, parts / before * R));
    int const to = u - g * before + before * R * g;
#pragma unroll
    for (int j = 0; j < R; ++j) out[place(to + before * j)] = z[j];
}

/// The radices of the passes.
struct Radices {
    static constexpr int kMost = 24;

    int count = 0;
    int all[kMost]{};
};

/// Calls use(R) with the radix as a constant.
template <class Use> __host__ __device__ void withRadix(int radix, Use const& use) {
    switch (radix) {
    case 2: return use(std::integral_constant<int, 2>());
    case 3: return use(std::integral_constant<int, 3>());
    case 4: return use(std::integral_constant<int, 4>());
    case 5: return use(std::integral_constant<int, 5>());
    case 7: return use(std::integral_constant<int, 7>());
    case 8: return use(std::integral_constant<int, 8>());
    case 16: return use(std::integral_constant<int, 16>());
    default: return;
    }
}

/// In shared memory numbers are this far apart, so that threads that store with a power of two between them use
/// different banks.
struct SkewedPlace {
    __host__ __device__ int operator()(int n) const { return n + n / 16; }
};

/// All passes of lanes.x transforms, lanes.y numbers from one to the next: from `in`, by turns in `out` and `in`. The
/// result is in the array that is returned. All threads of a block take part.
inline __device__ float2* transformInShared(float2* in, float2* out, Radices const& radices, int points, int2 lanes) {
    int before = 1;
    for (int i = 0; i < radices.count; ++i) {
        withRadix(radices.all[i], [&](auto radix) {
            constexpr int kRadix = decltype(radix)::value;
            int const parts = points / kRadix;
            for (int item = static_cast<int>(threadIdx.x); item < parts * lanes.x;
                 item += static_cast<int>(blockDim.x)) {
                int const at = item / parts * lanes.y;
                passAt<kRadix>(in + at, out + at, item % parts, before, points, SkewedPlace());
            }
            before *= kRadix;
        });
        __syncthreads();
        float2* const result = out;
        out = in;
        in = result;
    }
    return in;
}

/// X [outer,given,inner,parts] → Y [outer,made,inner,outParts], as FourierSpace says. Line l is number l % inner of
/// outer l / inner. A real signal of even length N is transformed as N / 2 complex numbers, x[2n] + i x[2n + 1]. An
/// inverse transform is that of the conjugates, conjugated.
struct FourierLines {
    float const* x;
    float* y;
    int64_t inner, given, made, length;
    int64_t points; // that are transformed
    int64_t work;   // points of the passes: more where the transform is a convolution with a chirp
    int parts, outParts;
    bool inverse, isHalved;
    float scale;

    __device__ bool isChirp() const { return work != points; }

    /// exp(-πi n²/P)
    __device__ float2 chirp(int64_t n) const { return unit(n * n % (2 * points), 2 * points); }

    __device__ float const* at(int64_t line, int64_t n) const {
        return x + ((line / inner * given + n) * inner + line % inner) * parts;
    }
    __device__ float2 pair(int64_t line, int64_t n) const {
        float const* const z = at(line, n);
        return make_float2(z[0], z[1]);
    }

    /// Of the conjugates of the spectrum of a real signal of even length: those of the transform of y[2n] + i y[2n +
    /// 1].
    __device__ float2 joined(int64_t line, int64_t n) const {
        float2 a = conjugate(pair(line, n));
        float2 b = pair(line, points - n);
        if (n == 0) a.y = b.y = 0;
        return a + b + turned(unit(n, length) * (a - b));
    }

    __device__ float2 spectrumToReal(int64_t line, int64_t n) const {
        if (isHalved) return joined(line, n);
        if (n >= given) return pair(line, length - n);
        return n == 0 ? make_float2(*at(line, 0), 0) : conjugate(pair(line, n));
    }

    /// Number n < P that is transformed.
    __device__ float2 signal(int64_t line, int64_t n) const {
        if (outParts == 1) return spectrumToReal(line, n);
        if (parts == 2) return inverse ? conjugate(pair(line, n)) : pair(line, n);
        if (isHalved) return make_float2(*at(line, 2 * n), *at(line, 2 * n + 1));
        return make_float2(*at(line, n), 0);
    }

    /// Number n < L that the first pass reads.
    __device__ float2 loaded(int64_t line, int64_t n) const {
        if (n >= points) return make_float2(0, 0);
        return isChirp() ? signal(line, n) * chirp(n) : signal(line, n);
    }

    /// Number n < L of the chirp that the convolution is with.
    __device__ float2 filter(int64_t n) const {
        int64_t const distance = n < work - n ? n : work - n;
        return distance < points ? conjugate(chirp(distance)) : make_float2(0, 0);
    }

    /// Number k < P of the transform, by number k of the last pass.
    __device__ float2 finished(int64_t k, float2 z) const {
        return isChirp() ? conjugate(z) * chirp(k) * (1 / static_cast<float>(work)) : z;
    }

    /// How many calls of store() a line needs.
    __host__ __device__ int64_t stores() const { return outParts == 1 ? points : made; }

    /// Number k of the result; z(i) is number i of the transform.
    template <class Z> __device__ void store(int64_t line, int64_t k, Z const& z) const {
        float* const to = y + (line / inner * made * inner + line % inner) * outParts;
        int64_t const step = inner * outParts;
        if (outParts == 1) {
            float2 const number = z(k) * scale;
            to[(isHalved ? 2 * k : k) * step] = number.x;
            if (isHalved) to[(2 * k + 1) * step] = -number.y;
            return;
        }
        float2 number;
        if (isHalved) {
            int64_t const low = 2 * k > length ? length - k : k;
            float2 const a = z(low % points);
            float2 const b = conjugate(z((points - low) % points));
            number = (a + b + turned(unit(low, length) * (a - b))) * 0.5F;
            if (low != k) number = conjugate(number);
        } else {
            number = z(k) * scale;
            if (inverse) number = conjugate(number);
        }
        to[k * step] = number.x;
        to[k * step + 1] = number.y;
    }
};

} // namespace tenon::cuda
