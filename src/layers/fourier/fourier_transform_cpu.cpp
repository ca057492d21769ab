// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier_transform_cpu.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace tenon::cpu {
namespace {

/// exp(-2πi · turns/of)
std::complex<double> unit(int64_t turns, int64_t of) {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(turns % of) / static_cast<double>(of));
}

/// Bits of the next radix that is a power of two.
int64_t bitsOf(int64_t twos) { return twos == 3 || twos == 5 || twos == 6 ? 3 : std::min<int64_t>(twos, 4); }

/// The radices of the passes, none where a prime factor is too large. Vectors go along the groups of the first pass,
/// `width` of which are to be left, and along what comes before in the others: so the first radix is as large as it may
/// be.
std::vector<int64_t> radicesOf(int64_t points, int64_t width) {
    std::vector<int64_t> radices;
    int64_t rest = points;
    int64_t twos = 0;
    for (; rest % 2 == 0; rest /= 2) ++twos;
    while (twos > 0) {
        int64_t bits = bitsOf(twos);
        while (radices.empty() && bits > 1 && points >> bits < width) --bits;
        radices.push_back(int64_t{1} << bits);
        twos -= bits;
    }
    auto const odd = static_cast<std::ptrdiff_t>(radices.size());
    for (int64_t radix = 3; rest > 1; radix += 2) {
        if (radix > FourierLoops::kMostRadix) return {};
        for (; rest % radix == 0; rest /= radix) radices.insert(radices.begin() + odd, radix);
    }
    if (radices.empty()) radices.push_back(1);
    return radices;
}

/// The least length of at least this many points whose prime factors are 2, 3 and 5, and that fills vectors.
int64_t convolutionLength(int64_t least) {
    constexpr int64_t kFilled = 16;
    int64_t best = kFilled;
    while (best < least) best *= 2;
    for (int64_t fives = kFilled; fives < best; fives *= 5) {
        for (int64_t threes = fives; threes < best; threes *= 3) {
            int64_t length = threes;
            while (length < least) length *= 2;
            best = std::min(best, length);
        }
    }
    return best;
}

void multiply(FourierLoops const& loops, FourierTransform::Ends const& ends, int64_t points, int64_t lanes,
              std::vector<float> const& factors) {
    loops.multiply({ends.in, ends.out, points, lanes, factors.data(), ends.load, ends.store});
}

} // namespace

FourierTransform::FourierTransform(int64_t points, bool isRow) : points_(points) {
    auto const radices = radicesOf(points, isRow ? loops_.width : 1);
    radices.empty() ? makeChirp(isRow) : addStages(radices, isRow);
}

void FourierTransform::addStages(std::vector<int64_t> const& radices, bool isRow) {
    int64_t before = 1;
    for (int64_t const radix : radices) {
        Stage stage{radix, points_ / (before * radix), before};
        stage.goesAlongGroups = isRow && before == 1 && stage.groups > 1 && FourierLoops::isSpecial(radix);
        addFactors(stage);
        stages_.push_back(stage);
        before *= radix;
    }
}

void FourierTransform::addFactors(Stage& stage) {
    auto const size = [&] { return static_cast<int64_t>(table_.size()); };
    auto const add = [&](double number) { table_.push_back(static_cast<float>(number)); };
    int64_t const all = stage.groups * stage.radix;
    stage.factors = size();
    for (int64_t g = 0; g < stage.groups && stage.groups > 1 && !stage.goesAlongGroups; ++g) {
        for (int64_t j = 1; j < stage.radix; ++j) {
            auto const factor = unit(g * j, all);
            add(factor.real());
            add(factor.imag());
        }
    }
    for (int64_t j = 1; j < stage.radix && stage.goesAlongGroups; ++j) {
        for (int64_t g = 0; g < stage.groups; ++g) add(unit(g * j, all).real());
        for (int64_t g = 0; g < stage.groups; ++g) add(unit(g * j, all).imag());
    }
    stage.roots = size();
    if (FourierLoops::isSpecial(stage.radix)) return;
    for (int64_t i = 0; i < stage.radix; ++i) add(unit(i, stage.radix).real());
    for (int64_t i = 0; i < stage.radix; ++i) add(-unit(i, stage.radix).imag());
}

/// With w[n] = exp(-πi n²/N): out[k] = w[k] · sum over n of in[n] w[n] · conj(w[k - n]), since 2nk = n² + k² - (k -
/// n)².
void FourierTransform::makeChirp(bool isRow) {
    int64_t const length = convolutionLength(2 * points_ - 1);
    convolution_ = std::make_unique<FourierTransform const>(length, isRow);
    auto const count = static_cast<size_t>(points_);
    auto const all = static_cast<size_t>(length);
    chirp_.resize(2 * count);
    chirpBack_.resize(2 * count);
    std::vector<float> conjugates(2 * all);
    for (int64_t n = 0; n < points_; ++n) {
        auto const w = unit(n * n % (2 * points_), 2 * points_);
        auto const at = static_cast<size_t>(n);
        chirp_[at] = static_cast<float>(w.real());
        chirp_[count + at] = static_cast<float>(w.imag());
        chirpBack_[at] = static_cast<float>(w.real() / static_cast<double>(length));
        chirpBack_[count + at] = static_cast<float>(w.imag() / static_cast<double>(length));
        for (size_t const place : {at, at == 0 ? 0 : all - at}) {
            conjugates[place] = static_cast<float>(w.real());
            conjugates[all + place] = static_cast<float>(-w.imag());
        }
    }
    filter_.resize(2 * all);
    std::vector<float> scratch(static_cast<size_t>(convolution_->scratchFloats(1)));
    ComplexIn const in{conjugates.data(), conjugates.data() + length, 1, 1, false};
    convolution_->run({in, {filter_.data(), filter_.data() + length, 1, 1, false}}, 1, scratch.data());
}

int64_t FourierTransform::scratchFloats(int64_t lanes) const {
    constexpr int64_t kSkew = 80; // so that arrays do not begin at equal places of pages
    if (convolution_) return convolution_->scratchFloats(lanes) * 3 / 2;
    int64_t const array = (points_ * lanes + 15) / 16 * 16 + kSkew;
    return 4 * array;
}

ComplexOut FourierTransform::bufferIn(float* scratch, int64_t number, int64_t lanes) const {
    int64_t const array = scratchFloats(lanes) / (convolution_ ? 6 : 4);
    float* const re = scratch + number * 2 * array;
    return {re, re + array, lanes, lanes, false};
}

ComplexOut FourierTransform::inputIn(float* scratch, int64_t lanes) const { return bufferIn(scratch, 1, lanes); }

ComplexOut FourierTransform::outputIn(float* scratch, int64_t lanes) const {
    if (convolution_) return bufferIn(scratch, 2, lanes);
    return bufferIn(scratch, static_cast<int64_t>(stages_.size() - 1) % 2, lanes);
}

void FourierTransform::run(Ends const& ends, int64_t lanes, float* scratch) const {
    convolution_ ? runChirp(ends, lanes, scratch) : runStages(ends, lanes, scratch);
}

void FourierTransform::runStages(Ends const& ends, int64_t lanes, float* scratch) const {
    ComplexIn in = ends.in;
    for (size_t i = 0; i < stages_.size(); ++i) {
        Stage const& stage = stages_[i];
        bool const isLast = i + 1 == stages_.size();
        ComplexOut const out = isLast ? ends.out : bufferIn(scratch, static_cast<int64_t>(i % 2), lanes);
        FourierPass const pass{in,
                               out,
                               stage.radix,
                               stage.groups,
                               stage.before,
                               lanes,
                               table_.data() + stage.factors,
                               table_.data() + stage.roots,
                               ends.load,
                               ends.store};
        stage.goesAlongGroups ? loops_.first(pass) : loops_.pass(pass);
        in = asIn(out);
    }
}

void FourierTransform::runChirp(Ends const& ends, int64_t lanes, float* scratch) const {
    FourierTransform const& inner = *convolution_;
    ComplexOut const before = bufferIn(scratch, 2, lanes);
    ComplexOut const after = inner.outputIn(scratch, lanes);
    multiply(loops_, {ends.in, before, ends.load}, points_, lanes, chirp_);
    int64_t const rest = (inner.points_ - points_) * lanes;
    std::fill_n(before.re + points_ * lanes, rest, 0.0F);
    std::fill_n(before.im + points_ * lanes, rest, 0.0F);
    inner.run({asIn(before), after}, lanes, scratch);
    multiply(loops_, {asIn(after), before, {}, {1, -1}}, inner.points_, lanes, filter_);
    inner.run({asIn(before), after}, lanes, scratch);
    multiply(loops_, {asIn(after), ends.out, {1, -1}, ends.store}, points_, lanes, chirpBack_);
}

} // namespace tenon::cpu
