// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "layers/softmax/softmax_loops_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::cpu {
namespace {

/// X [outer, length, inner] → Y [the same] along `length`, some of `inner` at a time. If `inner` is small, several
/// positions along `length` are combined into one that is that many times as wide, so that vectors are full; their
/// results are combined at the end.
class SoftmaxSideBySide final : public Executable {
public:
    SoftmaxSideBySide(Softmax const& layer, Dims const& x) : log_(layer.log) {
        int const axis = resolveAxis(layer.axis, x.rank());
        outer_ = x.volume(0, axis);
        length_ = x[axis];
        inner_ = x.volume(axis + 1, x.rank());
        copies_ = std::clamp<int64_t>(kLanes / 2 / inner_, 1, length_);
        lanes_ = std::clamp<int64_t>(kCached / length_ / kLeast * kLeast, kLeast, kLanes);
        lanes_ = copies_ > 1 ? inner_ * copies_ : std::min(lanes_, inner_);
    }

    void run(Pointers const& pointers) override {
        int64_t const width = lanes_ / copies_;
        int64_t const chunks = (inner_ + width - 1) / width;
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        int64_t const grain = std::max<int64_t>(1, kGrain / (length_ * width));
        parallelFor(outer_ * chunks, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const lane = i % chunks * width;
                int64_t const at = i / chunks * length_ * inner_ + lane;
                normalize(x + at, y + at, std::min(width, inner_ - lane) * copies_);
            }
        });
    }

private:
    static constexpr int64_t kLanes = 256;
    static constexpr int64_t kLeast = 64;     // four cache lines
    static constexpr int64_t kCached = 16384; // floats that are read three times
    static constexpr int64_t kGrain = 8192;   // elements that one thread computes in about 5 µs
    static constexpr int64_t kPart = 256;     // rows whose shares are summed separately, so that long sums stay exact
    using Lanes = std::array<float, kLanes>;

    /// Calls use(at, lanes) for the rows from `first` on, `count` of them at most.
    template <class Use> void forEachRow(int64_t first, int64_t count, int64_t lanes, Use const& use) const {
        int64_t const whole = length_ / copies_;
        int64_t const stride = inner_ * copies_;
        for (int64_t row = first; row < std::min(first + count, whole); ++row) use(row * stride, lanes);
        if (int64_t const rest = length_ % copies_; rest > 0 && first + count > whole)
            use(whole * stride, rest * inner_);
    }

    /// Folds the copies of each lane, and sets all of them to `made` of the result.
    template <class Make> void join(Lanes& all, int64_t lanes, Fold fold, Make const& made) const {
        auto const own = static_cast<size_t>(lanes / copies_);
        folds_.rows[static_cast<size_t>(fold)](all.data(), all.data() + own, copies_ - 1, inner_, lanes / copies_);
        for (size_t i = 0; i < own; ++i) all[i] = made(all[i]);
        for (size_t i = own; i < static_cast<size_t>(lanes); ++i) all[i] = all[i - own];
    }

    /// Sums of parts; `add` accumulates the shares of a row.
    template <class Add> void addUp(Lanes& sums, int64_t lanes, Add const& add) const {
        sums.fill(0);
        for (int64_t first = 0; first < length_ / copies_ + 1; first += kPart) {
            Lanes part{};
            forEachRow(first, kPart, lanes, [&](int64_t at, int64_t count) { add(part.data(), at, count); });
            folds_.rows[static_cast<size_t>(Fold::Sum)](sums.data(), part.data(), 1, lanes, lanes);
        }
    }

    void normalize(float const* x, float* y, int64_t lanes) const {
        Lanes base;
        base.fill(neutralOf(Fold::Max));
        auto const greatest = folds_.rows[static_cast<size_t>(Fold::Max)];
        greatest(base.data(), x, length_ / copies_, inner_ * copies_, lanes);
        greatest(base.data(), x + length_ / copies_ * copies_ * inner_, 1, 0, length_ % copies_ * inner_);
        join(base, lanes, Fold::Max, [](float most) { return most; });
        log_ ? takeLogarithms(x, y, base.data(), lanes) : share(x, y, base.data(), lanes);
    }

    void share(float const* x, float* y, float const* base, int64_t lanes) const {
        Lanes sums;
        addUp(sums, lanes,
              [&](float* sum, int64_t at, int64_t count) { loops_.shares(y + at, sum, x + at, base, count); });
        join(sums, lanes, Fold::Sum, [](float sum) { return 1 / sum; });
        forEachRow(0, length_, lanes, [&](int64_t at, int64_t count) { loops_.scale(y + at, sums.data(), count); });
    }

    void takeLogarithms(float const* x, float* y, float const* base, int64_t lanes) const {
        Lanes sums;
        addUp(sums, lanes,
              [&](float* sum, int64_t at, int64_t count) { loops_.sumOfShares(sum, x + at, base, count); });
        join(sums, lanes, Fold::Sum, [](float sum) { return std::log(sum); });
        forEachRow(0, length_, lanes,
                   [&](int64_t at, int64_t count) { loops_.lower(y + at, x + at, base, sums.data(), count); });
    }

    FoldLoops const& folds_ = bestLoops<FoldLoops>();
    SoftmaxLoops const& loops_ = bestLoops<SoftmaxLoops>();
    bool log_;
    int64_t outer_ = 1;
    int64_t length_ = 1;
    int64_t inner_ = 1;
    int64_t copies_ = 1; // positions that are combined into one
    int64_t lanes_ = 1;  // of a piece of work
};

/// Whether each row is contiguous, in every shape that the tensor may have.
bool areRowsApart(Node const& node) {
    Shape const& x = node.input(0)->shape;
    int const axis = resolveAxis(as<Softmax>(*node.layer)->axis, static_cast<int>(x.size()));
    return std::all_of(x.begin() + axis + 1, x.end(), [](DimExpr const& extent) { return extent.constantOr(-1) == 1; });
}

class SideBySide final : public Kernel {
public:
    std::string_view name() const override { return "softmax_side_by_side"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        if (areRowsApart(query.node)) return Offer::refuse("supports no innermost axis");
        return offerFloats(query, [&](DataType type, Offer& offer) {
            constexpr double kNsAnElement = 0.4;
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant const variant{.inputs = {label},
                                  .outputs = {label},
                                  .cost = kNsAnElement * static_cast<double>(query.inputs[0].volume())};
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inFloat) {
            return std::make_unique<SoftmaxSideBySide>(*as<Softmax>(*inFloat.node.layer), inFloat.inputs[0]);
        });
    }
};

/// X [rows, length] → Y [the same] along `length`.
class RunSoftmaxOfRows final : public Executable {
public:
    RunSoftmaxOfRows(Softmax const& layer, Dims const& x)
        : softmax_(layer.log ? bestLoops<SoftmaxLoops>().logarithmsOfRows : bestLoops<SoftmaxLoops>().normalizeRows),
          length_(x[resolveAxis(layer.axis, x.rank())]), rows_(x.volume() / length_) {}

    void run(Pointers const& pointers) override {
        constexpr int64_t kGrain = 16384; // elements that one thread computes in about 5 µs
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        parallelFor(rows_, std::max<int64_t>(1, kGrain / length_), [&](int64_t begin, int64_t end) {
            softmax_(y + begin * length_, x + begin * length_, end - begin, length_);
        });
    }

private:
    void (*softmax_)(float* y, float const* x, int64_t rows, int64_t count);
    int64_t length_, rows_;
};

class SoftmaxOfRows final : public Kernel {
public:
    std::string_view name() const override { return "softmax_rows"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        if (!areRowsApart(query.node)) return Offer::refuse("supports only the innermost axis");
        return offerFloats(query, [&](DataType type, Offer& offer) {
            constexpr double kNsAnElement = 0.3;
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant const variant{.inputs = {label},
                                  .outputs = {label},
                                  .cost = kNsAnElement * static_cast<double>(query.inputs[0].volume())};
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inFloat) {
            return std::make_unique<RunSoftmaxOfRows>(*as<Softmax>(*inFloat.node.layer), inFloat.inputs[0]);
        });
    }
};

constexpr SoftmaxOfRows kOfRows;
constexpr SideBySide kSideBySide;
constexpr Kernel const* kKernels[]{&kOfRows, &kSideBySide};

} // namespace

KernelList softmaxKernels() { return {Softmax::kKind, kKernels}; }

} // namespace tenon::cpu
