// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/sampled_copy.cuh"
#include "backends/host_lists.h"
#include "base/cast_element.h"
#include "graph/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon::cuda {
namespace {

using Coordinates = Resize::Coordinates;

bool crops(Resize const& layer) { return layer.coordinates == Coordinates::TfCropAndResize; }

/// The coordinate in X of element i of a resized axis, in all modes: start + (i + shift) · a · b / divisor + end. Each
/// step is rounded to float as in tapsOf(), so that ties are resolved alike.
struct Origin {
    float shift = 0, a = 1, b = 1, divisor = 1, start = 0, end = 0;

    static Origin of(Resize const& layer, ResizedAxis const& axis) {
        auto const from = static_cast<float>(axis.from);
        auto const to = static_cast<float>(axis.to);
        float const scale = axis.scale;
        bool const isOne = axis.to == 1;
        if (isOne && layer.selector == Resize::Selector::Upper) return fixed(0);
        switch (layer.coordinates) {
        case Coordinates::AlignCorners: return isOne ? fixed(0) : Origin{.a = from - 1, .divisor = to - 1};
        case Coordinates::Asymmetric: return {.divisor = scale};
        case Coordinates::HalfPixel: return {.shift = 0.5F, .divisor = scale, .end = -0.5F};
        case Coordinates::PytorchHalfPixel:
            return isOne ? fixed(0) : Origin{.shift = 0.5F, .divisor = scale, .end = -0.5F};
        case Coordinates::TfHalfPixel: return {.shift = 0.5F, .divisor = scale};
        case Coordinates::HalfPixelSymmetric:
            return {.shift = 0.5F, .divisor = scale, .start = from / 2 * (1 - to / (scale * from)), .end = -0.5F};
        case Coordinates::TfCropAndResize: break;
        }
        if (isOne) return fixed(0.5F * (axis.roiStart + axis.roiEnd) * (from - 1));
        return {
            .a = axis.roiEnd - axis.roiStart, .b = from - 1, .divisor = to - 1, .start = axis.roiStart * (from - 1)};
    }

    __device__ float operator()(uint32_t i) const {
        float const scaled = __fmul_rn(__fmul_rn(__fadd_rn(static_cast<float>(i), shift), a), b);
        return __fadd_rn(__fadd_rn(start, __fdiv_rn(scaled, divisor)), end);
    }

private:
    static Origin fixed(float at) { return {.a = 0, .start = at}; } // of the only element
};

/// The index in X of the nearest element; -1 for the extrapolation value.
struct NearestAxis {
    Origin origin;
    Resize::Rounding rounding = Resize::Rounding::Floor;
    bool crops = false;
    int64_t extent = 1; // of X

    __device__ int64_t from(uint32_t i) const {
        float const at = origin(i);
        if (crops && (at < 0 || at > static_cast<float>(extent - 1))) return -1;
        auto const nearest = static_cast<int64_t>(rounded(at));
        return nearest < 0 ? 0 : nearest >= extent ? extent - 1 : nearest;
    }

private:
    __device__ float rounded(float at) const {
        switch (rounding) {
        case Resize::Rounding::HalfUp: return floorf(__fadd_rn(at, 0.5F));
        case Resize::Rounding::HalfDown: return ceilf(__fadd_rn(at, -0.5F));
        case Resize::Rounding::Floor: return floorf(at);
        case Resize::Rounding::Ceil:
        case Resize::Rounding::CeilIfSmaller: break; // resolved by roundingOn()
        }
        return ceilf(at);
    }
};

/// The weights of elements: the same as tapsOf() for the CPU.
struct Filter {
    bool cubic = false;
    float coefficient = 0; // of a cubic
    bool excludeOutside = false;
    bool antialias = false;

    __device__ float weight(float distance) const {
        float const x = fabsf(distance);
        if (!cubic) return fmaxf(0.0F, 1 - x);
        float const a = coefficient;
        if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
        return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
    }
};

/// A resized axis: an element of Y is the weighted sum of `count` elements of X around its origin.
struct TapAxis {
    Origin origin;
    float shrink = 1; // how much wider than the plain filter, as a factor of distances
    int count = 1;    // 1: the axis is copied unchanged
    int extent = 1;   // of X
    Divider to;       // of Y
    int64_t stride = 0;

    TapAxis() = default;
    TapAxis(Resize const& layer, ResizedAxis const& axis, int64_t stride)
        : origin(Origin::of(layer, axis)), extent(static_cast<int>(axis.from)), to(static_cast<uint32_t>(axis.to)),
          stride(stride) {
        float const plain = layer.mode == Resize::Mode::Linear ? 1 : 2;
        if (layer.antialias) shrink = std::min(axis.scale, 1.0F);
        count = 2 * -static_cast<int>(std::floor(-plain / shrink));
    }
};

/// The elements around one origin.
struct Taps {
    TapAxis const& axis;
    Filter const& filter;
    float at;
    int first;
    float factor = 1;

    __device__ Taps(TapAxis const& axis, Filter const& filter, uint32_t i)
        : axis(axis), filter(filter), at(axis.origin(i)), first(static_cast<int>(floorf(at)) - axis.count / 2 + 1) {
        if (axis.count == 1) first = static_cast<int>(i);
        if (axis.count == 1 || (!filter.excludeOutside && !filter.antialias)) return;
        float sum = 0;
        for (int k = 0; k < axis.count; ++k) sum += weight(k);
        if (sum != 0) factor = 1 / sum;
    }

    __device__ float weight(int k) const {
        if (axis.count == 1) return 1;
        int const index = first + k;
        if (filter.excludeOutside && (index < 0 || index >= axis.extent)) return 0;
        return filter.weight((static_cast<float>(index) - at) * axis.shrink) * factor;
    }
    __device__ int64_t offset(int k) const {
        int const index = first + k;
        return (index < 0 ? 0 : index >= axis.extent ? axis.extent - 1 : index) * axis.stride;
    }
};

/// X [outer, a, middle, b, inner] → Y [outer, a', middle, b', inner], in elements of X.
struct Pass {
    TapAxis a;
    TapAxis b;
    Divider middle;
    int64_t inner = 1;
    int64_t outerStride = 0;
    int64_t middleStride = 0;
    int64_t count = 0; // of Y
    Filter filter;
};

/// `wide` adjacent elements along `inner` at once; `words` words are the whole of it.
template <class X, class Y, int wide>
__global__ void interpolate(X const* __restrict__ x, Y* __restrict__ y, uint32_t count, __grid_constant__ Pass const p,
                            __grid_constant__ Divider const words) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const pixel = words.divide(static_cast<uint32_t>(i));
        uint32_t const word = static_cast<uint32_t>(i) - pixel * words.divisor();
        uint32_t const row = p.b.to.divide(pixel);
        uint32_t const plane = p.middle.divide(row);
        uint32_t const outer = p.a.to.divide(plane);
        Taps const a(p.a, p.filter, plane - outer * p.a.to.divisor());
        Taps const b(p.b, p.filter, pixel - row * p.b.to.divisor());
        int64_t const middle = row - plane * p.middle.divisor();
        X const* const from = x + outer * p.outerStride + middle * p.middleStride + word * wide;
        float sums[wide] = {};
        for (int j = 0; j < p.a.count; ++j) {
            float line[wide] = {};
            for (int k = 0; k < p.b.count; ++k) {
                float const weight = b.weight(k);
                auto const read = *reinterpret_cast<Pack<X, wide> const*>(from + a.offset(j) + b.offset(k));
#pragma unroll
                for (int lane = 0; lane < wide; ++lane) line[lane] += weight * toFloat(read.at[lane]);
            }
            float const weight = a.weight(j);
#pragma unroll
            for (int lane = 0; lane < wide; ++lane) sums[lane] += weight * line[lane];
        }
        Pack<Y, wide> result;
#pragma unroll
        for (int lane = 0; lane < wide; ++lane) result.at[lane] = convertTo<Y>(sums[lane]);
        reinterpret_cast<Pack<Y, wide>*>(y)[i] = result;
    });
}

/// Elements of Y outside of X get the extrapolation value.
template <class T>
__global__ void fillOutside(T* y, __grid_constant__ Sampled<NearestAxis> const sampled, T const value) {
    forEachElement(sampled.count, [&](int64_t i) {
        if (sampled.source(static_cast<uint32_t>(i)) >= 0) return;
        for (int64_t k = 0; k < sampled.pixel; ++k) y[i * sampled.pixel + k] = value;
    });
}

/// The axes that a node resizes, and how, as far as its lists are known.
class Resizing {
public:
    explicit Resizing(PrepareArgs const& args)
        : layer(*as<Resize>(*args.node.layer)), label(args.variant.inputs[0]), x(args.inputs[0]), y(args.outputs[0]),
          lists_(args.node, args.inputs, saysHow) {
        if (lists_.known()) resolve();
    }

    bool known() const { return lists_.known(); }
    bool update(Pointers const& pointers) {
        bool const changed = lists_.update(pointers);
        if (changed) resolve();
        return changed;
    }

    /// The index of the nearest element, for each of Y.
    Sampled<NearestAxis> sampled() const {
        std::vector<SampledAxis<NearestAxis>> inMemory;
        for (int const axis : axesInMemory(label.format, x.rank())) {
            inMemory.push_back({x[axis], y[axis], {}});
            auto const resized = std::ranges::find(axes, axis, &ResizedAxis::axis);
            if (resized == axes.end()) continue;
            inMemory.back().how =
                NearestAxis{Origin::of(layer, *resized), roundingOn(*resized, layer), crops(layer), x[axis]};
        }
        return sampledOf(inMemory);
    }

    Resize const& layer; // owned by the engine's graph
    Label label;
    Dims x, y;
    std::vector<ResizedAxis> axes;

private:
    void resolve() {
        axes.clear();
        if (y.volume() != 0) axes = resizedAxes(layer, listsOf(layer, lists_.tensors()), x, y);
    }

    HostLists lists_;
};

class Nearest final : public Executable {
public:
    explicit Nearest(PrepareArgs const& args) : resizing_(args) {
        if (crops(resizing_.layer)) {
            dispatch(resizing_.label.type, [&]<class T>(TypeTag<T>) {
                T const value = castElement<float, T>(static_cast<float>(resizing_.layer.extrapolation));
                std::memcpy(&fill_.bits, &value, sizeof value);
            });
        }
        if (resizing_.known()) sampled_ = resizing_.sampled();
    }

    void run(Pointers const& pointers) override {
        if (resizing_.update(pointers)) sampled_ = resizing_.sampled();
        launchSampled(sampled_, elementBytes(resizing_.label.type), pointers.inputs[0], pointers.outputs[0], fill_,
                      streamOf(pointers.stream));
    }

private:
    Resizing resizing_;
    Sampled<NearestAxis> sampled_;
    Fill fill_;
};

/// The pass that resizes one or two axes of a tensor of these extents; the first is the outer one in memory.
Pass passOf(Resize const& layer, Dims const& dims, Format const& format, std::span<ResizedAxis const> axes) {
    Dims const strides = stridesIn(format, dims);
    Pass pass;
    pass.filter = {layer.mode == Resize::Mode::Cubic, static_cast<float>(layer.cubicCoeff), layer.excludeOutside,
                   layer.antialias};
    ResizedAxis const& last = axes.back();
    pass.b = TapAxis(layer, last, strides[last.axis]);
    pass.inner = strides[last.axis];
    pass.middleStride = pass.inner * last.from;
    pass.outerStride = pass.middleStride;
    pass.count = dims.volume() / last.from * last.to;
    if (axes.size() == 1) {
        pass.a.to = pass.middle = Divider(1);
        return pass;
    }
    ResizedAxis const& first = axes.front();
    pass.a = TapAxis(layer, first, strides[first.axis]);
    pass.middle = Divider(static_cast<uint32_t>(strides[first.axis] / pass.middleStride));
    pass.outerStride = strides[first.axis] * first.from;
    pass.count = pass.count / first.from * first.to;
    return pass;
}

/// Two axes at once; if there are more, those that shrink most first, through two halves of the workspace.
class Interpolating final : public Executable {
public:
    explicit Interpolating(PrepareArgs const& args)
        : resizing_(args), most_(std::max(args.inputs[0].volume(), args.outputs[0].volume())) {
        if (most_ >= int64_t{1} << 31)
            fail(ErrorCode::Unsupported, "a tensor of ", most_, " elements; expected fewer than 2^31");
        if (resizing_.known()) arrange();
    }

    size_t workspaceBytes() const override {
        bool const isDirect = resizing_.known() ? passes_.size() < 2 : resizing_.x.rank() <= 2;
        return isDirect ? 0 : 2 * static_cast<size_t>(most_) * sizeof(float);
    }

    void run(Pointers const& pointers) override {
        if (resizing_.update(pointers)) arrange();
        if (resizing_.y.volume() == 0) return;
        DataType const type = resizing_.label.type;
        if (passes_.empty())
            backend().copy(pointers.outputs[0], pointers.inputs[0], bytesOf(resizing_.y, resizing_.label),
                           pointers.stream);
        void const* x = pointers.inputs[0];
        for (size_t i = 0; i < passes_.size(); ++i) {
            bool const isLast = i + 1 == passes_.size();
            float* const half = static_cast<float*>(pointers.workspace) + static_cast<int64_t>(i % 2) * most_;
            void* const y = isLast ? pointers.outputs[0] : half;
            DataType const from = i == 0 ? type : DataType::Float32;
            launch(passes_[i], {from, x}, {isLast ? type : DataType::Float32, y}, streamOf(pointers.stream));
            x = y;
        }
        if (crops(resizing_.layer)) fill(pointers);
    }

private:
    template <class T> struct At {
        DataType type;
        T* data;
    };

    void arrange() {
        passes_.clear();
        auto axes = resizing_.axes;
        auto const order = axesInMemory(resizing_.label.format, resizing_.x.rank());
        auto const place = [&](ResizedAxis const& axis) { return std::ranges::find(order, axis.axis); };
        std::ranges::stable_sort(
            axes, [](ResizedAxis const& a, ResizedAxis const& b) { return a.to * b.from < b.to * a.from; });
        Dims dims = resizing_.x;
        for (size_t i = 0; i < axes.size(); i += 2) {
            auto const pair = std::span(axes).subspan(i, std::min<size_t>(2, axes.size() - i));
            std::ranges::sort(pair, {}, place);
            passes_.push_back(passOf(resizing_.layer, dims, resizing_.label.format, pair));
            for (ResizedAxis const& axis : pair) dims[axis.axis] = axis.to;
        }
        if (crops(resizing_.layer)) sampled_ = resizing_.sampled();
    }

    static void launch(Pass const& pass, At<void const> x, At<void> y, cudaStream_t stream) {
        dispatchFloat(x.type, [&]<class X>(TypeTag<X>) {
            dispatchFloat(y.type, [&]<class Y>(TypeTag<Y>) {
                constexpr bool kKnown = std::is_same_v<X, Y> || std::is_same_v<X, float> || std::is_same_v<Y, float>;
                if constexpr (kKnown) start(pass, static_cast<X const*>(x.data), static_cast<Y*>(y.data), stream);
            });
        });
        checkLaunch("resize");
    }

    template <class X, class Y> static void start(Pass const& pass, X const* x, Y* y, cudaStream_t stream) {
        constexpr int kWide = std::is_same_v<X, Y> ? 16 / sizeof(X) : 1; // passes between types are rare
        auto const addresses = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
        bool const isWide = pass.inner % kWide == 0 && addresses % 16 == 0;
        int64_t const lanes = isWide ? kWide : 1;
        auto const count = static_cast<uint32_t>(pass.count / lanes);
        Divider const words(static_cast<uint32_t>(pass.inner / lanes));
        auto const kernel = isWide ? interpolate<X, Y, kWide> : interpolate<X, Y, 1>;
        kernel<<<blocksFor(count), kThreads, 0, stream>>>(x, y, count, pass, words);
    }

    void fill(Pointers const& pointers) const {
        dispatchFloat(resizing_.label.type, [&]<class T>(TypeTag<T>) {
            auto const value = static_cast<float>(resizing_.layer.extrapolation);
            fillOutside<<<blocksFor(sampled_.count), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T*>(pointers.outputs[0]), sampled_, static_cast<T>(value));
        });
        checkLaunch("fill outside");
    }

    Resizing resizing_;
    int64_t most_; // elements between passes: the number first falls, then rises
    std::vector<Pass> passes_;
    Sampled<NearestAxis> sampled_; // elements outside of X
};

/// In each type; linear, and images with channels last.
Offer offerFormats(KernelQuery const& query) {
    return offerMoving(query, {.reads = {1}, .writes = 1},
                       formatsOf(query.node.input(0)->shape.size() >= 3, {Format::nhwc()}));
}

class NearestResize final : public Kernel {
public:
    std::string_view name() const override { return "cuda_nearest"; }

    // any type
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Resize>(*query.node.layer);
        if (layer.mode != Resize::Mode::Nearest) return Offer::refuse("supports nearest elements only");
        return offerFormats(query);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Nearest>(args);
    }
};

class InterpolatingResize final : public Kernel {
public:
    std::string_view name() const override { return "cuda_interpolate"; }

    // float32, float16 and bfloat16, computed in float32
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Resize>(*query.node.layer);
        if (layer.mode == Resize::Mode::Nearest) return Offer::refuse("supports interpolation only");
        DataType const type = query.node.input(0)->type;
        if (!isFloat(type)) return Offer::refuse(text("computes in float32, not in ", type));
        return offerFormats(query);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Interpolating>(args);
    }
};

constexpr NearestResize kNearest;
constexpr InterpolatingResize kInterpolate;
constexpr Kernel const* kKernels[]{&kNearest, &kInterpolate};

} // namespace

KernelList resizeKernels() { return {Resize::kKind, kKernels}; }

} // namespace tenon::cuda
