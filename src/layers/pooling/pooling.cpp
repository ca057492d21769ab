// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/pooling.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {

namespace layers {
LayerEntry poolingLayer() { return entryOf<Pooling>(); }
} // namespace layers

namespace {

constexpr std::string_view kTypes[]{"Max", "Average", "MaxAverageBlend", "Lp"};

/// The state of a window.
struct Seen {
    double most = -INFINITY;
    int64_t place = 0; // of the maximum
    double sum = 0;
    int64_t count = 0;

    void add(Pooling const& layer, double x, int64_t at) {
        bool const more = count == 0 || x > most || std::isnan(x);
        if (more) most = x, place = at;
        sum += layer.type == PoolingType::Lp ? std::pow(std::abs(x), layer.p) : x;
        ++count;
    }
};

double resultOf(Pooling const& layer, Seen const& seen, int64_t counted) {
    auto const count = static_cast<double>(layer.averageCountExcludesPadding ? seen.count : counted);
    double const average = count == 0 ? 0 : seen.sum / count;
    switch (layer.type) {
    case PoolingType::Max: return seen.most;
    case PoolingType::Average: return average;
    case PoolingType::MaxAverageBlend: return (1 - layer.blendFactor) * seen.most + layer.blendFactor * average;
    case PoolingType::Lp: return std::pow(seen.sum, 1 / layer.p);
    }
    return 0;
}

/// The maximum over an empty window is the lowest number of the type.
template <class T> T fitting(double value) {
    if constexpr (std::is_integral_v<T>) value = std::max<double>(value, std::numeric_limits<T>::lowest());
    return static_cast<T>(static_cast<float>(value));
}

int64_t flatIndex(Dims const& index, Dims const& dims, bool columnMajor) {
    int64_t flat = 0;
    for (int i = 0; i < dims.rank(); ++i) {
        int const axis = columnMajor ? dims.rank() - 1 - i : i;
        flat = flat * dims[axis] + index[axis];
    }
    return flat;
}

/// One window at `place` over one channel, given by its elements.
template <class T>
std::pair<double, int64_t> pool(Pooling const& layer, std::span<T const> x, std::span<FixedSlide const> slides,
                                Dims const& place) {
    Dims extents;
    Dims counts;
    std::vector<Covered> covered;
    int64_t counted = 1;
    for (size_t i = 0; i < slides.size(); ++i) {
        covered.push_back(coveredBy(slides[i], place[static_cast<int>(i)]));
        counts.push(covered[i].count);
        extents.push(slides[i].in);
        counted *= covered[i].counted;
    }
    Seen seen;
    Dims tap = Dims::filled(counts.rank(), 0);
    Dims at = tap;
    for (int64_t i = 0; i < counts.volume(); ++i, nextIndex(tap, counts)) {
        for (int axis = 0; axis < tap.rank(); ++axis) {
            auto const d = static_cast<size_t>(axis);
            at[axis] = covered[d].first + tap[axis] * slides[d].dilation;
        }
        auto const element = static_cast<double>(x[static_cast<size_t>(flatIndex(at, extents, false))]);
        int64_t const index = flatIndex(at, extents, layer.columnMajorIndices);
        seen.add(layer, element, index);
    }
    return {resultOf(layer, seen, counted), seen.place};
}

/// Kernels count the elements of a window in 31 bits.
bool countsIn31Bits(std::vector<int64_t> const& windowSize) {
    int64_t volume = 1;
    return std::ranges::all_of(windowSize, [&](int64_t size) {
        return !__builtin_mul_overflow(volume, size, &volume) && volume <= INT32_MAX;
    });
}

/// Every window must cover at least one element.
void checkCovers(Shape const& x, Shape const& y) {
    if (!isConstant(x) || !isConstant(y) || toDims(x).volume() != 0 || toDims(y).volume() == 0) return;
    fail(ErrorCode::InvalidArgument, "input 0 ", x, " is empty, but its padding gives windows for ", y,
         ", which have no elements");
}

} // namespace

std::span<std::string_view const> names(PoolingType) { return kTypes; }

std::vector<Slide> slidesOf(Pooling const& layer, Shape const& x) {
    std::vector<DimExpr> const size(layer.windowSize.begin(), layer.windowSize.end());
    return layer.window.over(spatial(x), size);
}

// X [N,C,in…] → Y [N,C,out…], indices [N,C,out…]
std::vector<Result> Pooling::infer(Operands const& in) const {
    in.expectCount(1, 1).expectRank(0, 3, Dims::kMaxRank);
    bool const bytes = in[0].type == DataType::Int8 || in[0].type == DataType::UInt8;
    if (!bytes || type != PoolingType::Max) in.expectFloat(0);
    size_t const axes = in[0].shape.size() - 2;
    window.check(axes);
    if (windowSize.size() != axes || std::ranges::any_of(windowSize, [](int64_t size) { return size < 1; }))
        fail(ErrorCode::InvalidArgument, "window size is [", joined(windowSize), "]; expected ", axes,
             " numbers of 1 or more for input 0 ", in[0].shape);
    if (!countsIn31Bits(windowSize))
        fail(ErrorCode::Unsupported, "a window of [", joined(windowSize), "] elements; expected at most ", INT32_MAX);
    if (indices && type != PoolingType::Max) fail(ErrorCode::InvalidArgument, "only Max pooling has indices");
    if (type == PoolingType::Lp && p <= 0) fail(ErrorCode::InvalidArgument, "p is ", p, "; expected more than 0");
    Shape shape{in[0].shape[0], in[0].shape[1]};
    for (Slide const& slide : slidesOf(*this, in[0].shape)) shape.push_back(slide.out);
    checkCovers(in[0].shape, shape);
    std::vector<Result> results{{in[0].type, shape}};
    if (indices) results.push_back({DataType::Int64, shape});
    return results;
}

void Pooling::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = in[0].dims;
    auto const slides = fixed(slidesOf(*this, toShape(dims)));
    Dims const places(out[0].dims.span().subspan(2));
    auto const area = static_cast<size_t>(dims.volume(2, dims.rank()));
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        size_t y = 0;
        for (int64_t plane = 0; plane < dims[0] * dims[1]; ++plane) {
            std::span<T const> const x = in[0].as<T>().subspan(static_cast<size_t>(plane) * area, area);
            Dims place = Dims::filled(places.rank(), 0);
            for (int64_t i = 0; i < places.volume(); ++i, ++y, nextIndex(place, places)) {
                auto const [value, index] = pool(*this, x, slides, place);
                out[0].as<T>()[y] = fitting<T>(value);
                if (indices) out[1].as<int64_t>()[y] = plane * static_cast<int64_t>(area) + index;
            }
        }
    });
}

MovedInputs Pooling::moved(Operands const& /*in*/) const {
    return {.count = type == PoolingType::Max && !indices ? 1 : 0};
}

} // namespace tenon
