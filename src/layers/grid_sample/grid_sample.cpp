// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/grid_sample/grid_sample.h"

#include "base/error.h"
#include "graph/elements.h"
#include "layers/grid_sample/grid_taps.h"

#include <array>

namespace tenon {

namespace layers {
LayerEntry gridSampleLayer() { return entryOf<GridSample>(); }
} // namespace layers

std::span<std::string_view const> names(GridSample::Mode) {
    static constexpr std::array<std::string_view, 3> all{"Nearest", "Linear", "Cubic"};
    return all;
}

std::span<std::string_view const> names(GridSample::Padding) {
    static constexpr std::array<std::string_view, 3> all{"Zeros", "Border", "Reflection"};
    return all;
}

namespace {

constexpr int kLeading = 2;                             // N and C
constexpr int kMostSampled = Dims::kMaxRank - kLeading; // axes

class Sampling {
public:
    Sampling(GridSample const& layer, HostTensor const& x)
        : layer_(layer), x_(x), strides_(rowMajorStrides(x.dims)), rank_(x.dims.rank() - kLeading) {}

    /// Row of X: a channel of a batch item. `point`: the index of the point's coordinates.
    void sample(int64_t row, float const* point, HostTensor const& y, int64_t to) {
        for (int axis = 0; axis < rank_; ++axis) {
            GridAxis const line{x_.dims[kLeading + axis], strides_[kLeading + axis]};
            taps_[static_cast<size_t>(axis)] =
                line.taps(layer_.mode, layer_.padding, layer_.alignCorners, point[rank_ - 1 - axis]);
        }
        int64_t const base = row * x_.dims.volume(kLeading, x_.dims.rank());
        if (layer_.mode == GridSample::Mode::Nearest) return copyNearest(base, y, to);
        dispatch(x_.type, [&]<class T>(TypeTag<T>) {
            static_cast<T*>(y.data)[to] = T(sum(static_cast<T const*>(x_.data) + base, 0, 0));
        });
    }

private:
    template <class T> float sum(T const* x, int axis, int64_t offset) const {
        if (axis == rank_) return static_cast<float>(x[offset]);
        float result = 0;
        GridTaps const& taps = taps_[static_cast<size_t>(axis)];
        for (int tap = 0; tap < tapsOf(layer_.mode); ++tap) {
            if (taps.at[tap] >= 0) result += taps.weight[tap] * sum(x, axis + 1, offset + taps.at[tap]);
        }
        return result;
    }

    void copyNearest(int64_t from, HostTensor const& y, int64_t to) const {
        bool isInside = true;
        for (int axis = 0; axis < rank_; ++axis) {
            int64_t const offset = taps_[static_cast<size_t>(axis)].at[0];
            isInside = isInside && offset >= 0;
            from += offset;
        }
        constexpr int64_t kZero = 0;
        HostTensor const zero{x_.type, {}, const_cast<int64_t*>(&kZero)};
        isInside ? copyElement(x_, from, y, to) : copyElement(zero, 0, y, to);
    }

    GridSample const& layer_;
    HostTensor const& x_;
    Dims strides_;
    int rank_;
    std::array<GridTaps, kMostSampled> taps_;
};

} // namespace

// X [N,C,D1,…,Dk], grid [N,E1,…,Em,k] → Y [N,C,E1,…,Em]
std::vector<Result> GridSample::infer(Operands const& in) const {
    in.expectCount(2, 2).expectRank(0, kLeading + 1, Dims::kMaxRank).expectRank(1, 2, Dims::kMaxRank).expectFloat(1);
    if (mode != Mode::Nearest) in.expectFloat(0);
    elementBytes(in[0].type);
    Shape const& x = in[0].shape;
    Shape const& grid = in[1].shape;
    if (grid.back().constantOr(in.rank(0) - kLeading) != in.rank(0) - kLeading)
        fail(ErrorCode::InvalidArgument, "grid ", grid, " has points of ", grid.back(), " coordinates; X ", x,
             " requires ", in.rank(0) - kLeading);
    if (grid[0].constantOr(x[0].constantOr(0)) != x[0].constantOr(grid[0].constantOr(0)))
        fail(ErrorCode::InvalidArgument, "X ", x, " and grid ", grid, " differ in their number of batch items");
    Shape y{x[0], x[1]};
    y.insert(y.end(), grid.begin() + 1, grid.end() - 1);
    return {{in[0].type, y}};
}

void GridSample::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& grid = in[1].dims;
    int64_t const points = grid.volume(1, grid.rank() - 1);
    int64_t const channels = in[0].dims[1];
    int64_t const length = grid[grid.rank() - 1];
    auto const numbers = Literal::borrowed(in[1].type, grid, in[1].data, nullptr).toFloat();
    Sampling sampling(*this, in[0]);
    for (int64_t to = 0; to < out[0].dims.volume(); ++to) {
        int64_t const row = to / points;
        int64_t const point = row / channels * points + to % points;
        sampling.sample(row, numbers.data() + point * length, out[0], to);
    }
}

} // namespace tenon
