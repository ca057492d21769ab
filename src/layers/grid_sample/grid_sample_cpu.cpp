// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/grid_sample/grid_sample.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "base/parallel.h"
#include "layers/grid_sample/grid_taps.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tenon::cpu {
namespace {

constexpr int kLeading = 2;     // N and C
constexpr int kMostSampled = 3; // axes

constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

/// The taps and weights of some points, computed once for all channels. The taps of most points are inside X and
/// adjacent along its last axis; a row is those at one tap of every other axis. Points at edges are stored separately,
/// so that the others need no checks.
template <int rank, int taps> class PointTaps {
public:
    static constexpr int kRows = power(taps, rank - 1);
    static constexpr int kPoints = std::clamp(1024 / (kRows * taps), 16, 256); // stay in the L1 cache

    void set(int64_t point, GridTaps const (&axes)[rank]) {
        bool const isEdge = !isPlain(axes);
        if (isEdge) {
            std::ranges::copy(axes, edgeAxes_[edgeCount_]);
            edges_[edgeCount_++] = static_cast<int>(point);
        }
        for (int row = 0; row < kRows; ++row) {
            int64_t offset = axes[rank - 1].at[0];
            float product = 1;
            for (int axis = rank - 2, rest = row; axis >= 0; --axis, rest /= taps) {
                offset += axes[axis].at[rest % taps];
                product *= axes[axis].weight[rest % taps];
            }
            first_[row][point] = isEdge ? 0 : offset;
            for (int tap = 0; tap < taps; ++tap)
                weight_[row][point * taps + tap] = product * axes[rank - 1].weight[tap];
        }
    }

    /// y[p] = the sample of x at point p
    template <class T> void sample(T* y, T const* x, int64_t points) const {
        if (edgeCount_ < points) { // else X may have fewer elements than there are taps
            int64_t point = 0;
            if constexpr (taps == 2 && std::is_same_v<T, float>) point = sampleFours(y, x, points);
            for (; point < points; ++point) y[point] = T(samplePlain(x, point));
        }
        for (int i = 0; i < edgeCount_; ++i) y[edges_[i]] = T(gridSample<rank, taps>(x, edgeAxes_[i]));
    }

private:
    using Two = double __attribute__((vector_size(16)));
    using Four = float __attribute__((vector_size(16)));
    using FourIntegers = int32_t __attribute__((vector_size(16)));

    static bool isPlain(GridTaps const (&axes)[rank]) {
        bool isPlain = true;
        for (int tap = 0; tap < taps; ++tap) {
            for (GridTaps const& axis : axes) isPlain = isPlain && axis.at[tap] >= 0;
            isPlain = isPlain && axes[rank - 1].at[tap] == axes[rank - 1].at[0] + tap;
        }
        return isPlain;
    }

    template <class T> float samplePlain(T const* x, int64_t point) const {
        float sum = 0;
        for (int row = 0; row < kRows; ++row) {
            for (int tap = 0; tap < taps; ++tap)
                sum += weight_[row][point * taps + tap] * static_cast<float>(x[first_[row][point] + tap]);
        }
        return sum;
    }

    /// Products of the two taps of every row with their weights, of two points.
    Four productsOfTwo(float const* x, int64_t point) const {
        Four sum{};
        for (int row = 0; row < kRows; ++row) {
            double first = 0; // two floats
            double second = 0;
            Four weights;
            std::memcpy(&first, x + first_[row][point], sizeof first);
            std::memcpy(&second, x + first_[row][point + 1], sizeof second);
            std::memcpy(&weights, &weight_[row][point * 2], sizeof(Four));
            sum += reinterpret_cast<Four>(Two{first, second}) * weights;
        }
        return sum;
    }

    /// Processes four points at a time; returns how many are done.
    int64_t sampleFours(float* y, float const* x, int64_t points) const {
        int64_t point = 0;
        for (; point + 4 <= points; point += 4) {
            Four const low = productsOfTwo(x, point);
            Four const high = productsOfTwo(x, point + 2);
            Four const sums = __builtin_shuffle(low, high, FourIntegers{0, 2, 4, 6}) +
                              __builtin_shuffle(low, high, FourIntegers{1, 3, 5, 7});
            std::memcpy(y + point, &sums, sizeof sums);
        }
        return point;
    }

    int64_t first_[kRows][kPoints]; // offset of a row in X
    float weight_[kRows][kPoints * taps];
    int edges_[kPoints];
    GridTaps edgeAxes_[kPoints][rank];
    int edgeCount_ = 0;
};

/// X [N,C,D…], grid [N,E…,rank] → Y [N,C,E…]
class Sampling final : public Executable {
public:
    explicit Sampling(PrepareArgs const& args)
        : layer_(*as<GridSample>(*args.node.layer)), type_(args.variant.inputs[0].type),
          gridType_(args.variant.inputs[1].type), x_(args.inputs[0]), strides_(rowMajorStrides(x_)),
          points_(args.inputs[1].volume(1, args.inputs[1].rank() - 1)) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(gridType_, [&]<class G>(TypeTag<G>) {
                switch (x_.rank() - kLeading) {
                case 1: return sampleAll<1, T, G>(pointers);
                case 2: return sampleAll<2, T, G>(pointers);
                default: return sampleAll<kMostSampled, T, G>(pointers);
                }
            });
        });
    }

private:
    template <int rank, class T, class G> void sampleAll(Pointers const& pointers) const {
        switch (layer_.mode) {
        case GridSample::Mode::Nearest: return sampleWith<rank, 1, T, G>(pointers);
        case GridSample::Mode::Linear: return sampleWith<rank, 2, T, G>(pointers);
        case GridSample::Mode::Cubic: return sampleWith<rank, 4, T, G>(pointers);
        }
    }

    template <int rank, int taps, class T, class G> void sampleWith(Pointers const& pointers) const {
        using Taps = PointTaps<rank, taps>;
        int64_t const work = std::max<int64_t>(1, x_[1] * Taps::kRows * taps);
        parallelFor(x_[0] * points_, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin, count = 0; i < end; i += count) {
                count = std::min({int64_t{Taps::kPoints}, end - i, points_ - i % points_});
                samplePoints<rank, taps, T, G>(pointers, i, count);
            }
        });
    }

    GridTaps tapsAt(int axis, float coordinate) const {
        GridAxis const line{x_[kLeading + axis], strides_[kLeading + axis]};
        return line.taps(layer_.mode, layer_.padding, layer_.alignCorners, coordinate);
    }

    /// Points [i, i + count), all of one batch item.
    template <int rank, int taps, class T, class G>
    void samplePoints(Pointers const& pointers, int64_t i, int64_t count) const {
        auto const* grid = static_cast<G const*>(pointers.inputs[1]) + i * rank;
        PointTaps<rank, taps> all;
        for (int64_t point = 0; point < count; ++point, grid += rank) {
            GridTaps axes[rank];
            for (int axis = 0; axis < rank; ++axis)
                axes[axis] = tapsAt(axis, static_cast<float>(grid[rank - 1 - axis]));
            all.set(point, axes);
        }
        int64_t const row = i / points_ * x_[1];
        auto const* x = static_cast<T const*>(pointers.inputs[0]) + row * strides_[1];
        auto* y = static_cast<T*>(pointers.outputs[0]) + row * points_ + i % points_;
        for (int64_t channel = 0; channel < x_[1]; ++channel)
            all.sample(y + channel * points_, x + channel * strides_[1], count);
    }

    GridSample layer_;
    DataType type_;
    DataType gridType_;
    Dims x_;
    Dims strides_;
    int64_t points_; // of a batch item
};

class CpuGridSample final : public Kernel {
public:
    std::string_view name() const override { return "grid_sample"; }

    // float, linear; the grid in the network's type
    Offer offer(KernelQuery const& query) const override {
        int const sampled = query.inputs[0].rank() - kLeading;
        if (sampled > kMostSampled) return Offer::refuse(text("supports sampling along up to 3 axes, not ", sampled));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), Device::Cpu};
            Label const grid{query.node.input(1)->type, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {label, grid}, .outputs = {label}};
            variant.cost = memoryCost(8.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Sampling>(args);
    }
};

constexpr CpuGridSample kGridSample;
constexpr Kernel const* kKernels[]{&kGridSample};

} // namespace

KernelList gridSampleKernels() { return {GridSample::kKind, kKernels}; }

} // namespace tenon::cpu
