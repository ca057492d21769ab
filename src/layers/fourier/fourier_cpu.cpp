// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/host_lists.h"
#include "base/parallel.h"
#include "layers/fourier/fourier_transform_cpu.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tenon::cpu {
namespace {

/// Nanoseconds for transforms of this many numbers in all, of `length` each.
double nsOf(double numbers, int64_t length) { return numbers * (0.1 * std::log2(static_cast<double>(length)) + 0.2); }

/// Numbers of each transform and of those next to it.
enum class Layout {
    Row,      // one transform at a time, whose numbers are neighbours
    Gathered, // the same in memory; several are brought beside each other, so that vectors go across them
    Lanes,    // the numbers of transforms beside each other are neighbours
};

/// What is transformed at once: `lanes` transforms beside each other, in `blocks` for each of `outer`.
struct Blocks {
    Layout layout = Layout::Row;
    int64_t outer = 1;
    int64_t blocks = 1;
    int64_t lanes = 1;

    Blocks(FourierSpace const& space, int64_t points, int64_t width) : outer(space.outer) {
        if (space.inner > 1)
            cutLanes(space.inner, points, width);
        else if (isGathered(points, width))
            gatherRows(points, width);
    }

private:
    static constexpr int64_t kTogether = 2048; // numbers of rows that are gathered at once
    static constexpr int64_t kCached = 32768;  // numbers of a block of lanes

    /// Long rows fill vectors themselves, and need no memory beside each other: measured on Zen 4.
    bool isGathered(int64_t points, int64_t width) const {
        return points <= 96 ? 2 * outer > width : points <= 1024 && outer >= 4 * width;
    }

    void gatherRows(int64_t points, int64_t width) {
        layout = Layout::Gathered;
        int64_t const most = (outer + width - 1) / width;
        lanes = width * std::clamp<int64_t>(kTogether / (points * width), 1, most);
        outer = (outer + lanes - 1) / lanes;
    }

    void cutLanes(int64_t inner, int64_t points, int64_t width) {
        layout = Layout::Lanes;
        int64_t const most = std::max(width, kCached / points / width * width);
        int64_t const number = (inner + most - 1) / most;
        lanes = std::min(inner, ((inner + number - 1) / number + width - 1) / width * width);
        blocks = (inner + lanes - 1) / lanes;
    }
};

/// X [outer,given,inner,parts] → Y [outer,made,inner,outParts]. A real signal of even length N is transformed as N / 2
/// complex numbers, x[2n] + i x[2n + 1].
class Transforming final : public Executable {
public:
    Transforming(Fourier const& layer, Dims const& x, Dims const& y)
        : space_(layer, x, y), inverse_(layer.inverse),
          isHalved_((space_.parts == 1 || space_.outParts == 1) && space_.length % 2 == 0),
          points_(isHalved_ ? space_.length / 2 : space_.length), blocks_(space_, points_, loops_.width),
          transform_(points_, blocks_.layout == Layout::Row) {
        if (isHalved_) makeFactors();
        if (space_.parts == 1 && !isHalved_) zeros_.resize(static_cast<size_t>(std::max(space_.length, blocks_.lanes)));
        double const ns = nsOf(static_cast<double>(points_ * blocks_.lanes), points_);
        grain_ = static_cast<int64_t>(std::clamp(kGrainNs / ns, 1.0, 1e6));
        slots_ = usefulSlots(blocks_.outer * blocks_.blocks, grain_);
    }

    size_t workspaceBytes() const override { return sizeof(float) * static_cast<size_t>(slots_ * slotFloats()); }

    void run(Pointers const& pointers) override {
        auto const* const x = static_cast<float const*>(pointers.inputs[0]);
        auto* const y = static_cast<float*>(pointers.outputs[0]);
        auto* const workspace = static_cast<float*>(pointers.workspace);
        parallelForSlots(blocks_.outer * blocks_.blocks, grain_, slots_, [&](int64_t begin, int64_t end, int slot) {
            for (int64_t item = begin; item < end; ++item) compute(x, y, item, workspace + slot * slotFloats());
        });
    }

private:
    static constexpr double kGrainNs = 20000;

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
    bool isGathered() const { return blocks_.layout == Layout::Gathered; }
    int64_t gatheredFloats() const { return isGathered() ? space_.given * space_.parts * blocks_.lanes : 0; }
    int64_t scatteredFloats() const { return isGathered() ? space_.made * space_.outParts * blocks_.lanes : 0; }
    /// Where imaginary parts go that nothing reads.
    int64_t droppedFloats() const {
        return space_.outParts == 1 && !isHalved_ ? aligned(std::max(space_.length, blocks_.lanes)) : 0;
    }
    int64_t slotFloats() const {
        return aligned(gatheredFloats() + scatteredFloats()) + droppedFloats() +
               aligned(transform_.scratchFloats(blocks_.lanes));
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
            int64_t const row = item * blocks_.lanes;
            int64_t const rows = std::min(blocks_.lanes, space_.outer - row);
            float* const result = slot + gatheredFloats();
            for (int64_t i = 0; i < blocks_.lanes; i += loops_.width)
                loops_.gather({slot + i, blocks_.lanes}, x + (row + i) * width, rows - i, width);
            transform(slot, result, blocks_.lanes, scratch);
            for (int64_t i = 0; i < rows; i += loops_.width)
                loops_.scatter(y + (row + i) * outWidth, {result + i, blocks_.lanes}, rows - i, outWidth);
            return;
        }
        int64_t const lane = item % blocks_.blocks * blocks_.lanes;
        int64_t const outer = item / blocks_.blocks;
        transform(x + outer * width * space_.inner + lane * space_.parts,
                  y + outer * outWidth * space_.inner + lane * space_.outParts,
                  std::min(blocks_.lanes, space_.inner - lane), scratch);
    }

    int64_t across() const { return isGathered() ? blocks_.lanes : space_.inner; } // transforms beside each other

    template <class T> ComplexPoints<T> complexAt(T* numbers) const {
        int64_t const step = across();
        if (isGathered()) return {numbers, numbers + step, 2 * step, 2 * step, false};
        return {numbers, numbers + 1, 2 * step, 2 * step, true};
    }
    /// Of an odd length, the imaginary parts are elsewhere.
    template <class T> ComplexPoints<T> realAt(T* numbers, T* imaginary) const {
        int64_t const step = across();
        bool const isRow = blocks_.layout == Layout::Row;
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
        if (space_.made == space_.length) loops_.mirror(out, space_.length, lanes);
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
        loops_.pass({in, z, 1, 1, space_.given, lanes, nullptr, nullptr, {}, {1, -1}});
        std::fill_n(z.im, lanes, 0.0F);
        loops_.mirror(z, space_.length, lanes);
    }

    FourierLoops const& loops_ = bestLoops<FourierLoops>();
    FourierSpace space_;
    bool inverse_;
    bool isHalved_;
    int64_t points_; // of the complex transform
    Blocks blocks_;
    FourierTransform transform_;
    std::vector<float> factors_; // of HalvesPass
    std::vector<float> zeros_;   // imaginary parts of a real signal of odd length
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
        addHostInputs(query.node, variant);
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
