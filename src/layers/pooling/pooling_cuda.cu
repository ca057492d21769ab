// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/pooling.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/scales.cuh"

#include <limits>

namespace tenon::cuda {
namespace {

constexpr int kAxes = 3; // of windows; if there are fewer, the first are 1
constexpr int64_t kMostElements = int64_t{1} << 30;

// The state of a window. All types are compared and added up as float32.

struct Most {
    float most; // initially the lowest number of the type

    __device__ void add(float x, int64_t) { most = x > most || x != x ? x : most; } // NaN is propagated
    __device__ float result(float) const { return most; }
};

struct MostAndPlace {
    float most;
    int64_t place = -1;

    __device__ void add(float x, int64_t at) {
        if (place < 0 || x > most || x != x) most = x, place = at;
    }
    __device__ float result(float) const { return most; }
};

struct Mean {
    float sum = 0;

    __device__ void add(float x, int64_t) { sum += x; }
    __device__ float result(float count) const { return count == 0 ? 0 : sum / count; }
};

struct Blend {
    float averagePart;
    Most most;
    Mean mean;

    __device__ void add(float x, int64_t at) {
        most.add(x, at);
        mean.add(x, at);
    }
    __device__ float result(float count) const {
        return (1 - averagePart) * most.most + averagePart * mean.result(count);
    }
};

struct Norm {
    float p;
    float sum = 0;

    __device__ void add(float x, int64_t) { sum += p == 2 ? x * x : (p == 1 ? fabsf(x) : powf(fabsf(x), p)); }
    __device__ float result(float) const { return p == 2 ? sqrtf(sum) : (p == 1 ? sum : powf(sum, 1 / p)); }
};

/// X [planes,in…,lanes] → Y [planes,out…,lanes]: lanes are channels if they are last, in packs of a thread.
struct PoolSpace {
    int64_t items = 0; // packs of Y
    Divider lanes;     // in packs
    std::array<Divider, kAxes> out;
    std::array<FixedSlide, kAxes> slides;
    std::array<int64_t, kAxes> placeStrides{}; // of the elements of a plane, for indices
    int64_t area = 1;                          // elements of a plane
    int64_t channels = 1;                      // of the lanes, in elements, without padding
    bool countsPadding = false;
};

/// The elements that one window covers.
struct Box {
    std::array<Covered, kAxes> along;
    int64_t plane;
    int64_t lane;

    __device__ Box(PoolSpace const& s, uint32_t item) {
        uint32_t rest = s.lanes.divide(item);
        lane = item - rest * s.lanes.divisor();
        for (size_t axis = kAxes; axis-- > 0;) {
            uint32_t const next = s.out[axis].divide(rest);
            along[axis] = coveredBy(s.slides[axis], rest - next * s.out[axis].divisor());
            rest = next;
        }
        plane = rest;
    }
    /// The divisor of an average.
    __device__ float count(bool withPadding) const {
        int64_t all = 1;
        for (Covered const& covered : along) all *= withPadding ? covered.counted : covered.count;
        return static_cast<float>(all);
    }
};

/// The labels for pooling X and Y if they are stored as integers: real values.
struct PoolNumbers {
    Scales in, out;

    PoolNumbers(Label const& x, Label const& y) : in(x, real(x)), out(real(y), y) {}

private:
    static Label real(Label const& label) {
        return label.scale == 0 ? label : Label{DataType::Float32, label.format, label.device};
    }
};

/// The integers without their scale.
Label plain(Label const& label) { return {label.type, label.format, label.device}; }

/// `places` receives the indices of the maxima in X.
template <class X, class Y, int width, class Seen>
__global__ void poolWindows(Pack<X, width> const* x, Pack<Y, width>* y, int64_t* places,
                            __grid_constant__ PoolSpace const s, Seen const start,
                            __grid_constant__ PoolNumbers const numbers) {
    forEachElement(s.items, [&](int64_t item) {
        Box const box(s, static_cast<uint32_t>(item));
        auto const& [depth, height, line] = box.along;
        Seen seen[width];
        for (Seen& one : seen) one = start;
        int64_t d = depth.first;
        int64_t h = height.first;
        for (int64_t i = depth.count * height.count; i > 0; --i) {
            int64_t const row = ((box.plane * s.slides[0].in + d) * s.slides[1].in + h) * s.slides[2].in;
            int64_t const place = d * s.placeStrides[0] + h * s.placeStrides[1];
            for (int64_t tap = 0; tap < line.count; ++tap) {
                int64_t const w = line.first + tap * s.slides[2].dilation;
                Pack<X, width> const pack = x[(row + w) * s.lanes.divisor() + box.lane];
                for (int j = 0; j < width; ++j)
                    seen[j].add(numbers.in.convert<float>(pack.at[j]), place + w * s.placeStrides[2]);
            }
            h += s.slides[1].dilation;
            bool const isLast = h == height.first + height.count * s.slides[1].dilation;
            if (isLast) h = height.first, d += s.slides[0].dilation;
        }
        Pack<Y, width> pack;
        for (int j = 0; j < width; ++j) {
            bool const isPadding = box.lane * width + j >= s.channels;
            float const result = seen[j].result(box.count(s.countsPadding));
            pack.at[j] = isPadding ? convertTo<Y>(0.0F) : numbers.out.convert<Y>(result);
        }
        y[item] = pack;
        if constexpr (std::is_same_v<Seen, MostAndPlace>)
            places[item] = box.plane * s.area + max(seen[0].place, int64_t{0});
    });
}

FixedSlide whole(int64_t extent) { return {extent, 1, 1, 1, 0, 0, extent}; }

class RunPooling final : public Executable {
public:
    explicit RunPooling(PrepareArgs const& args)
        : layer_(*as<Pooling>(*args.node.layer)), x_(args.variant.inputs[0]), y_(args.variant.outputs[0]),
          numbers_(layer_.type == PoolingType::Max ? PoolNumbers(plain(x_), plain(y_)) : PoolNumbers(x_, y_)) {
        Dims const& x = args.inputs[0];
        counted(std::max(x.volume(), args.outputs[0].volume()), "elements", kMostElements);
        Format const& format = x_.format;
        int64_t lanes = 1;
        if (!format.isLinear()) lanes = (x[1] + format.block - 1) / format.block * format.block;
        if (!format.isLinear()) space_.channels = x[1];
        // elements of the widest load
        int64_t const wide = 16 / static_cast<int64_t>(std::max(bytesOf(x_.type, 1), bytesOf(y_.type, 1)));
        bool const common = layer_.type == PoolingType::Max || layer_.type == PoolingType::Average;
        takeSlides(fixed(slidesOf(layer_, toShape(x))));
        int64_t const planes = format.isLinear() ? x[0] * x[1] : x[0];
        isWide_ = common && lanes % wide == 0;
        if (isWide_) lanes /= wide;
        space_.items = planes * args.outputs[0].volume(2, x.rank()) * lanes;
        space_.lanes = Divider(static_cast<uint32_t>(lanes));
        space_.countsPadding = !layer_.averageCountExcludesPadding;
    }

    void run(Pointers const& pointers) override {
        if (space_.items == 0) return;
        if (layer_.type == PoolingType::Average)
            runMean(pointers);
        else if (x_.type == DataType::Int8)
            runMost<int8_t>(std::numeric_limits<int8_t>::lowest(), pointers);
        else if (x_.type == DataType::UInt8)
            runMost<uint8_t>(0, pointers);
        else
            dispatchFloat(x_.type, [&]<class T>(TypeTag<T>) { runFloats<T>(pointers); });
        checkLaunch("pooling");
    }

private:
    void takeSlides(std::vector<FixedSlide> const& slides) {
        size_t const missing = kAxes - slides.size();
        int64_t passed = 1;
        for (size_t i = kAxes; i-- > 0;) {
            space_.slides[i] = i < missing ? whole(1) : slides[i - missing];
            space_.out[i] = Divider(static_cast<uint32_t>(std::max<int64_t>(1, space_.slides[i].out)));
            space_.placeStrides[i] = space_.area;
            space_.area *= space_.slides[i].in;
        }
        for (size_t i = 0; layer_.columnMajorIndices && i < kAxes; ++i) {
            space_.placeStrides[i] = passed;
            passed *= space_.slides[i].in;
        }
    }

    template <class T> void runMost(float least, Pointers const& pointers) const {
        if (layer_.indices) return launch<T, T, 1>(MostAndPlace{least}, pointers);
        isWide_ ? launch<T, T, 16 / sizeof(T)>(Most{least}, pointers) : launch<T, T, 1>(Most{least}, pointers);
    }

    void runMean(Pointers const& pointers) const {
        dispatchKept(x_.type, [&]<class X>(TypeTag<X>) {
            dispatchKept(y_.type, [&]<class Y>(TypeTag<Y>) {
                constexpr bool kIsOffered =
                    std::is_same_v<X, Y> || std::is_same_v<X, int8_t> || std::is_same_v<Y, int8_t>;
                constexpr int kWide = 16 / std::max(sizeof(X), sizeof(Y));
                if constexpr (kIsOffered)
                    isWide_ ? launch<X, Y, kWide>(Mean{}, pointers) : launch<X, Y, 1>(Mean{}, pointers);
            });
        });
    }

    template <class T> void runFloats(Pointers const& pointers) const {
        constexpr float kLeast = -std::numeric_limits<float>::infinity();
        switch (layer_.type) {
        case PoolingType::Max: return runMost<T>(kLeast, pointers);
        case PoolingType::Average: return; // runMean()
        case PoolingType::MaxAverageBlend:
            return launch<T, T, 1>(Blend{static_cast<float>(layer_.blendFactor), Most{kLeast}, {}}, pointers);
        case PoolingType::Lp: return launch<T, T, 1>(Norm{static_cast<float>(layer_.p)}, pointers);
        }
    }

    template <class X, class Y, int width, class Seen> void launch(Seen const& start, Pointers const& pointers) const {
        auto* const places = layer_.indices ? static_cast<int64_t*>(pointers.outputs[1]) : nullptr;
        poolWindows<<<blocksFor(space_.items), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<Pack<X, width> const*>(pointers.inputs[0]), static_cast<Pack<Y, width>*>(pointers.outputs[0]),
            places, space_, start, numbers_);
    }

    Pooling const& layer_; // owned by the engine's graph
    Label x_, y_;
    PoolNumbers numbers_;
    bool isWide_ = false;
    PoolSpace space_;
};

class CudaPooling final : public Kernel {
public:
    std::string_view name() const override { return "cuda_pooling"; }

    // linear and channels last; with indices of maxima, linear only. Averages also from and to int8
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Pooling>(*query.node.layer);
        Dims const& x = query.inputs[0];
        if (x.rank() > 2 + kAxes) return Offer::refuse(text("supports 1 to 3 spatial axes, not ", x.rank() - 2));
        if (std::max(x.volume(), query.outputs[0].volume()) > kMostElements)
            return Offer::refuse("supports tensors of at most 2^30 elements");
        return alsoInInt8(offerTypes(query, *query.node.input(0), [&](DataType type, Offer& offer) {
            for (Format const& format : {Format::nhwc(isFloat(type) ? 8 : 16), Format::nhwc(), Format::linear()}) {
                if (layer.indices && !format.isLinear()) continue;
                Label const label{type, format, kCuda};
                Variant variant = variantOf(query, layer, label, label);
                if (layer.indices) variant.outputs.push_back({DataType::Int64, Format::linear(), kCuda});
                offer.variants.push_back(variant);
            }
            if (layer.type == PoolingType::Average) offerIntegers(query, layer, type, offer);
        }));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        Format const& format = args.variant.inputs[0].format;
        if (std::max(paddedVolume(args.inputs[0], format), paddedVolume(args.outputs[0], format)) > kMostElements)
            fail(ErrorCode::Unsupported, args.node, ": input 0 ", args.inputs[0],
                 " or the result has more than 2^30 elements, the maximum of the kernel");
        return std::make_unique<RunPooling>(args);
    }

private:
    /// Averages of tensors that may be stored as int8, on at least one side.
    static void offerIntegers(KernelQuery const& query, Pooling const& layer, DataType type, Offer& offer) {
        for (Format const& format : {Format::nhwc(16), Format::nhwc(), Format::linear()}) {
            Label const real{type, format, kCuda};
            Tensor const& x = *query.node.input(0);
            Tensor const& y = *query.node.output();
            bool const reads = query.mayBeInt8(x);
            bool const writes = query.mayBeInt8(y);
            if (reads) offer.variants.push_back(variantOf(query, layer, int8Label(x, format), real));
            if (writes) offer.variants.push_back(variantOf(query, layer, real, int8Label(y, format)));
            if (reads && writes)
                offer.variants.push_back(variantOf(query, layer, int8Label(x, format), int8Label(y, format)));
        }
    }

    static Variant variantOf(KernelQuery const& query, Pooling const& layer, Label const& x, Label const& y) {
        Variant variant{.inputs = {x}, .outputs = {y}};
        auto operations = static_cast<double>(query.outputs[0].volume());
        for (int64_t const size : layer.windowSize) operations *= static_cast<double>(size);
        bool const lanes = !x.format.isLinear() && query.inputs[0][1] % 8 == 0;
        double const speed = (lanes ? 0.045 : 0.015) * costs().float32; // a tap costs more than an operation
        auto const bytes = static_cast<double>(bytesOf(query.inputs[0], x) + bytesOf(query.outputs[0], y));
        variant.cost = kernelCost(bytes, operations, speed);
        return variant;
    }
};

constexpr CudaPooling kPooling;
constexpr Kernel const* kKernels[]{&kPooling};

} // namespace

KernelList poolingKernels() { return {Pooling::kKind, kKernels}; }

} // namespace tenon::cuda
