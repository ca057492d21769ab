// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "layers/fourier/fourier_transform_cpu.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tenon::cpu {
namespace {

/// Nanoseconds for transforms of this many numbers in all, of `length` each: 40 operations each.
double nsOf(double numbers, int64_t length) { return numbers * (0.1 * std::log2(static_cast<double>(length)) + 0.2); }

/// Numbers of each transform and of those next to it.
enum class Layout {
    Row,      // one transform at a time, whose numbers are neighbours
    Gathered, // the same in memory; several are brought beside each other, so that vectors go across them
    Lanes,    // the numbers of transforms beside each other are neighbours
};

/// X [outer,given,inner,parts] → Y [outer,made,inner,outParts]. A real signal of even length N is transformed as N / 2
/// complex numbers, x[2n] + i x[2n + 1].
class Transforming final : public Executable {
public:
    Transforming(Fourier const& layer, Dims const& x, Dims const& y)
        : space_(layer, x, y), inverse_(layer.inverse),
          isHalved_((space_.parts == 1 || space_.outParts == 1) && space_.length % 2 == 0),
          points_(isHalved_ ? space_.length / 2 : space_.length), transform_(points_) {
        layOut();
        if (isHalved_) makeFactors();
        if (space_.parts == 1 && !isHalved_) zeros_.resize(static_cast<size_t>(std::max(space_.length, lanes_)));
        double const ns = nsOf(static_cast<double>(points_ * lanes_), space_.length);
        grain_ = static_cast<int64_t>(std::clamp(kGrainNs / ns, 1.0, 1e6));
        slots_ = usefulSlots(space_.outer * blocks_, grain_);
    }

    size_t workspaceBytes() const override { return sizeof(float) * static_cast<size_t>(slots_ * slotFloats()); }

    void run(Pointers const& pointers) override {
        auto const* const x = static_cast<float const*>(pointers.inputs[0]);
        auto* const y = static_cast<float*>(pointers.outputs[0]);
        auto* const workspace = static_cast<float*>(pointers.workspace);
        parallelForSlots(space_.outer * blocks_, grain_, slots_, [&](int64_t begin, int64_t end, int slot) {
            for (int64_t item = begin; item < end; ++item) compute(x, y, item, workspace + slot * slotFloats());
        });
    }

private:
    static constexpr double kGrainNs = 20000;
    static constexpr int64_t kMostGathered = 96; // longer rows fill vectors themselves: measured on Zen 4
    static constexpr int64_t kCached = 32768;    // numbers of a block of lanes

    /// Lanes of a block, and how many blocks there are for each of `outer`: of gathered rows, for all of them.
    void layOut() {
        if (space_.inner > 1) {
            layout_ = Layout::Lanes;
            int64_t const width = loops_.width;
            int64_t const most = std::max(width, kCached / points_ / width * width);
            blocks_ = (space_.inner + most - 1) / most;
            lanes_ = std::min(space_.inner, ((space_.inner + blocks_ - 1) / blocks_ + width - 1) / width * width);
            blocks_ = (space_.inner + lanes_ - 1) / lanes_;
        } else if (points_ <= kMostGathered && 2 * space_.outer > loops_.width) {
            layout_ = Layout::Gathered;
            lanes_ = loops_.width;
            rows_ = space_.outer;
            space_.outer = (rows_ + lanes_ - 1) / lanes_;
        }
    }

    void makeFactors() {
        int64_t const half = points_ / 2;
        factors_.resize(static_cast<size_t>(2 * half));
        for (int64_t k = 1; k <= half; ++k) {
            double const angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(space_.length);
            factors_[static_cast<size_t>(k - 1)] = static_cast<float>(std::cos(angle));
            factors_[static_cast<size_t>(half + k - 1)] = static_cast<float>(std::sin(angle));
        }
    }

    static int64_t aligned(int64_t floats) { return (floats + 15) / 16 * 16; }
    bool isGathered() const { return layout_ == Layout::Gathered; }
    int64_t gatheredFloats() const { return isGathered() ? space_.given * space_.parts * lanes_ : 0; }
    int64_t scatteredFloats() const { return isGathered() ? space_.made * space_.outParts * lanes_ : 0; }
    /// Where imaginary parts go that nothing reads.
    int64_t droppedFloats() const {
        return space_.outParts == 1 && !isHalved_ ? aligned(std::max(space_.length, lanes_)) : 0;
    }
    int64_t slotFloats() const {
        return aligned(gatheredFloats() + scatteredFloats()) + droppedFloats() +
               aligned(transform_.scratchFloats(lanes_));
    }

    /// Memory of one thread.
    struct Scratch {
        float* dropped;
        float* transform;
    };

    void compute(float const* x, float* y, int64_t item, float* slot) const {
        float* const dropped = slot + aligned(gatheredFloats() + scatteredFloats());
        Scratch const scratch{dropped, dropped + droppedFloats()};
        int64_t const width = space_.given * space_.parts;
        int64_t const outWidth = space_.made * space_.outParts;
        if (isGathered()) {
            int64_t const row = item * lanes_;
            int64_t const rows = std::min(lanes_, rows_ - row);
            float* const result = slot + gatheredFloats();
            loops_.gather(slot, x + row * width, rows, width);
            transform(slot, result, lanes_, scratch);
            loops_.scatter(y + row * outWidth, result, rows, outWidth);
            return;
        }
        int64_t const lane = item % blocks_ * lanes_;
        int64_t const outer = item / blocks_;
        transform(x + outer * width * space_.inner + lane * space_.parts,
                  y + outer * outWidth * space_.inner + lane * space_.outParts, std::min(lanes_, space_.inner - lane),
                  scratch);
    }

    int64_t across() const { return isGathered() ? lanes_ : space_.inner; } // transforms beside each other

    template <class T> ComplexPoints<T> complexAt(T* numbers) const {
        int64_t const step = across();
        if (isGathered()) return {numbers, numbers + step, 2 * step, 2 * step, false};
        return {numbers, numbers + 1, 2 * step, 2 * step, true};
    }
    /// Of an odd length, the imaginary parts are elsewhere.
    template <class T> ComplexPoints<T> realAt(T* numbers, T* imaginary) const {
        int64_t const step = across();
        bool const isRow = layout_ == Layout::Row;
        if (isHalved_) return {numbers, numbers + step, 2 * step, 2 * step, isRow};
        return {numbers, imaginary, step, isRow ? 1 : 0, false};
    }

    void transform(float const* x, float* y, int64_t lanes, Scratch const& scratch) const {
        ComplexIn const in = space_.parts == 2 ? complexAt(x) : realAt(x, zeros_.data());
        ComplexOut const out = space_.outParts == 2 ? complexAt(y) : realAt(y, scratch.dropped);
        if (space_.outParts == 1) return toReal(in, out, lanes, scratch.transform);
        if (isHalved_) return fromReal(in, out, lanes, scratch.transform);
        if (space_.made < space_.length) return toFirst(in, out, lanes, scratch.transform);
        whole(in, out, lanes, scratch.transform);
    }

    /// The inverse of z is conj(F(conj(z))), and where parts are arrays, F with real and imaginary parts exchanged.
    void whole(ComplexIn in, ComplexOut out, int64_t lanes, float* scratch) const {
        auto const scale = static_cast<float>(space_.scale);
        float const sign = inverse_ && in.isPairs ? -1.0F : 1.0F;
        if (inverse_ && !in.isPairs) {
            std::swap(in.re, in.im);
            std::swap(out.re, out.im);
        }
        transform_.run({in, out, {1, sign}, {scale, sign * scale}}, lanes, scratch);
    }

    void toFirst(ComplexIn const& in, ComplexOut const& out, int64_t lanes, float* scratch) const {
        ComplexOut const all = transform_.outputIn(scratch, lanes);
        transform_.run({in, all}, lanes, scratch);
        loops_.pass({asIn(all), out, 1, 1, space_.made, lanes, nullptr, nullptr, {}, {}});
    }

    void fromReal(ComplexIn const& in, ComplexOut const& out, int64_t lanes, float* scratch) const {
        ComplexOut const z = transform_.outputIn(scratch, lanes);
        transform_.run({in, z}, lanes, scratch);
        int64_t const step = out.isPairs ? 2 : 1;
        ComplexOut const last = out.from(points_);
        for (int64_t l = 0; l < lanes; ++l) {
            float const sum = z.re[l] + z.im[l];
            float const difference = z.re[l] - z.im[l];
            out.re[l * step] = sum;
            out.im[l * step] = sum * 0; // NaN as the sum may be
            last.re[l * step] = difference;
            last.im[l * step] = difference * 0;
        }
        loops_.halves({asIn(z), out, points_, lanes, factors_.data(), 1, 0.5F});
        if (space_.made == space_.length) mirror(out, lanes);
    }

    /// Y[N - k] = conj(Y[k])
    void mirror(ComplexOut const& y, int64_t lanes) const {
        int64_t const step = y.isPairs ? 2 : 1;
        for (int64_t k = 1; 2 * k < space_.length; ++k) {
            ComplexOut const from = y.from(k);
            ComplexOut const to = y.from(space_.length - k);
            for (int64_t l = 0; l < lanes; ++l) {
                to.re[l * step] = from.re[l * step];
                to.im[l * step] = -from.im[l * step];
            }
        }
    }

    void toReal(ComplexIn const& in, ComplexOut const& out, int64_t lanes, float* scratch) const {
        auto const scale = static_cast<float>(space_.scale);
        ComplexOut const z = transform_.inputIn(scratch, lanes);
        isHalved_ ? joinHalves(in, z, lanes) : mirrorConjugates(in, z, lanes);
        transform_.run({asIn(z), out, {}, {scale, -scale}}, lanes, scratch);
    }

    /// The conjugates of the transform of y[2n] + i y[2n + 1].
    void joinHalves(ComplexIn const& in, ComplexOut const& z, int64_t lanes) const {
        int64_t const step = in.isPairs ? 2 : 1;
        ComplexIn const last = in.from(points_);
        for (int64_t l = 0; l < lanes; ++l) {
            z.re[l] = in.re[l * step] + last.re[l * step];
            z.im[l] = last.re[l * step] - in.re[l * step];
        }
        loops_.halves({in, z, points_, lanes, factors_.data(), -1, 1});
    }

    /// The conjugates of all N numbers of a spectrum of odd length.
    void mirrorConjugates(ComplexIn const& in, ComplexOut const& z, int64_t lanes) const {
        int64_t const step = in.isPairs ? 2 : 1;
        for (int64_t k = 0; k < space_.given; ++k) {
            ComplexIn const from = in.from(k);
            ComplexOut const low = z.from(k);
            ComplexOut const high = z.from(k == 0 ? 0 : space_.length - k);
            for (int64_t l = 0; l < lanes; ++l) {
                low.re[l] = high.re[l] = from.re[l * step];
                high.im[l] = k == 0 ? 0 : from.im[l * step];
                low.im[l] = -high.im[l];
            }
        }
    }

    FourierLoops const& loops_ = bestLoops<FourierLoops>();
    FourierSpace space_; // of gathered rows, `outer` are groups of them
    bool inverse_;
    bool isHalved_;
    int64_t points_; // of the complex transform
    FourierTransform transform_;
    std::vector<float> factors_; // of HalvesPass
    std::vector<float> zeros_;   // imaginary parts of a real signal of odd length
    Layout layout_ = Layout::Row;
    int64_t lanes_ = 1;
    int64_t blocks_ = 1;
    int64_t rows_ = 0; // that are gathered
    int64_t grain_ = 1;
    int64_t slots_ = 1;
};

class CpuFourier final : public Kernel {
public:
    std::string_view name() const override { return "fourier"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        Fourier const& layer = *as<Fourier>(*query.node.layer);
        FourierSpace const space(layer, query.inputs[0], query.outputs[0]);
        Label const label{DataType::Float32, Format::linear(), Device::Cpu};
        Variant variant{.inputs = {label}, .outputs = {label}};
        for (size_t i = 1; i < query.node.inputs().size(); ++i)
            variant.inputs.push_back({query.node.input(1)->type, Format::linear(), Device::Cpu});
        double const numbers = static_cast<double>(space.outer * space.inner) * static_cast<double>(space.length);
        variant.cost = nsOf(numbers, space.length);
        Offer offer;
        offer.variants.push_back(std::move(variant));
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Transforming>(*as<Fourier>(*args.node.layer), args.inputs[0], args.outputs[0]);
    }
};

constexpr CpuFourier kFourier;
constexpr Kernel const* kKernels[]{&kFourier};

} // namespace

KernelList fourierKernels() { return {Fourier::kKind, kKernels}; }

} // namespace tenon::cpu
