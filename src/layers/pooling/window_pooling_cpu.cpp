// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/window_pooling_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/pooling/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 4096; // elements that one thread reads in about 10 µs

// The state of a window; `count` is the divisor of an average.

template <class T> struct Most {
    explicit Most(Pooling const&) {}

    T most =
        std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    int64_t place = -1;

    void add(T x, int64_t at) {
        if (place < 0 || x > most || x != x) most = x, place = at; // NaN is propagated
    }
    T result(int64_t) const { return most; }
};

struct Blend {
    explicit Blend(Pooling const& layer)
        : averagePart(layer.type == PoolingType::Average ? 1 : static_cast<float>(layer.blendFactor)) {}

    float averagePart;
    Most<float> most{Pooling()};
    double sum = 0;

    void add(float x, int64_t at) {
        most.add(x, at);
        sum += static_cast<double>(x);
    }
    float result(int64_t count) const {
        float const average = count == 0 ? 0 : static_cast<float>(sum / static_cast<double>(count));
        return averagePart == 1 ? average : (1 - averagePart) * most.most + averagePart * average;
    }
};

struct Norm {
    explicit Norm(Pooling const& layer) : p(layer.p) {}

    double p;
    double sum = 0;

    void add(float x, int64_t) {
        double const size = std::abs(static_cast<double>(x));
        sum += p == 2 ? size * size : p == 1 ? size : std::pow(size, p);
    }
    float result(int64_t) const { return static_cast<float>(p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p)); }
};

/// X [planes,in…] → Y [planes,out…], a row of Y along the last axis at a time.
template <class T, class Seen> class WindowExecutable final : public Executable {
public:
    explicit WindowExecutable(PrepareArgs const& args)
        : layer_(*as<Pooling>(*args.node.layer)), planes_(args.inputs[0].volume(0, 2)) {
        for (FixedSlide const& slide : fixed(slidesOf(layer_, toShape(args.inputs[0])))) {
            in_.push(slide.in);
            out_.push(slide.out);
            dilations_.push(slide.dilation);
            taps_ *= slide.size;
            auto& covered = covered_.emplace_back();
            for (int64_t place = 0; place < slide.out; ++place) covered.push_back(coveredBy(slide, place));
        }
        strides_ = rowMajorStrides(in_);
        indexStrides_ = strides_;
        for (int axis = 0; layer_.columnMajorIndices && axis < in_.rank(); ++axis)
            indexStrides_[axis] = in_.volume(0, axis);
    }

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        auto* indices = layer_.indices ? static_cast<int64_t*>(pointers.outputs[1]) : nullptr;
        int const last = out_.rank() - 1;
        int64_t const rows = out_.volume(0, last);
        int64_t const perRow = std::max<int64_t>(1, out_[last] * taps_);
        parallelFor(planes_ * rows, (kGrain + perRow - 1) / perRow, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                int64_t const plane = row / rows * in_.volume();
                Outputs const to{y + row * out_[last], indices ? indices + row * out_[last] : nullptr};
                poolRow(x + plane, plane, row % rows, to);
            }
        });
    }

private:
    struct Outputs {
        T* y;
        int64_t* indices;
    };
    /// The elements that a window covers, along each axis.
    struct Box {
        Dims first, counts;
        int64_t counted = 1; // with the padding
    };

    void poolRow(T const* x, int64_t plane, int64_t row, Outputs const& to) const {
        int const last = out_.rank() - 1;
        Dims place = Dims::filled(out_.rank(), 0);
        for (int axis = last - 1; axis >= 0; row /= out_[axis--]) place[axis] = row % out_[axis];
        for (; place[last] < out_[last]; ++place[last]) {
            Box const box = boxAt(place);
            Seen seen(layer_);
            int64_t const index = pool(x, box, seen);
            to.y[place[last]] = seen.result(layer_.averageCountExcludesPadding ? box.counts.volume() : box.counted);
            if (to.indices) to.indices[place[last]] = plane + std::max<int64_t>(0, index);
        }
    }

    Box boxAt(Dims const& place) const {
        Box box;
        for (int axis = 0; axis < place.rank(); ++axis) {
            Covered const& covered = covered_[static_cast<size_t>(axis)][static_cast<size_t>(place[axis])];
            box.first.push(covered.first);
            box.counts.push(covered.count);
            box.counted *= covered.counted;
        }
        return box;
    }

    /// Returns the index of the maximum, if requested.
    int64_t pool(T const* x, Box const& box, Seen& seen) const {
        int const last = in_.rank() - 1;
        int64_t const lines = box.counts.volume(0, last);
        Dims tap = Dims::filled(in_.rank(), 0);
        for (int64_t line = 0; line < lines; ++line) {
            int64_t from = box.first[last];
            int64_t index = from * indexStrides_[last];
            for (int axis = 0; axis < last; ++axis) {
                int64_t const at = box.first[axis] + tap[axis] * dilations_[axis];
                from += at * strides_[axis];
                index += at * indexStrides_[axis];
            }
            for (int64_t i = 0; i < box.counts[last]; ++i)
                seen.add(x[from + i * dilations_[last]], index + i * dilations_[last] * indexStrides_[last]);
            for (int axis = last - 1; axis >= 0 && ++tap[axis] == box.counts[axis]; --axis) tap[axis] = 0;
        }
        if constexpr (std::is_same_v<Seen, Most<T>>)
            return seen.place;
        else
            return 0;
    }

    Pooling const& layer_; // owned by the engine's graph
    int64_t planes_;
    int64_t taps_ = 1;
    Dims in_, out_, dilations_, strides_, indexStrides_;
    std::vector<std::vector<Covered>> covered_;
};

std::unique_ptr<Executable> prepareFloat(PrepareArgs const& args) {
    switch (as<Pooling>(*args.node.layer)->type) {
    case PoolingType::Max: return std::make_unique<WindowExecutable<float, Most<float>>>(args);
    case PoolingType::Lp: return std::make_unique<WindowExecutable<float, Norm>>(args);
    case PoolingType::Average:
    case PoolingType::MaxAverageBlend: break;
    }
    return std::make_unique<WindowExecutable<float, Blend>>(args);
}

class WindowPooling final : public Kernel {
public:
    std::string_view name() const override { return "windows"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Pooling>(*query.node.layer);
        double taps = static_cast<double>(query.outputs[0].volume());
        for (int64_t const size : layer.windowSize) taps *= static_cast<double>(size);
        return offerTypes(query, *query.node.input(0), [&](DataType type, Offer& offer) {
            Label const label{isFloat(type) ? DataType::Float32 : type, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {label}, .outputs = {label}, .cost = 300 + 4 * taps};
            if (layer.indices) variant.outputs.push_back({DataType::Int64, Format::linear(), Device::Cpu});
            offer.variants.push_back(isFloat(type) ? storedAs(type, query, variant) : variant);
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        DataType const type = args.variant.inputs[0].type;
        if (type == DataType::Int8) return std::make_unique<WindowExecutable<int8_t, Most<int8_t>>>(args);
        if (type == DataType::UInt8) return std::make_unique<WindowExecutable<uint8_t, Most<uint8_t>>>(args);
        return throughFloat(args, prepareFloat);
    }
};

} // namespace

Kernel const& windowPooling() {
    static constexpr WindowPooling kernel;
    return kernel;
}

} // namespace tenon::cpu
