// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/pooling.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/quantize_loops.h"
#include "backends/cpu/through_float.h"
#include "backends/cpu/window_loops.h"
#include "base/ceil_div.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/pooling/window_pooling_cpu.h"

#include <algorithm>
#include <array>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 16384; // elements that one thread reads in about 10 µs

/// X in memory is [planes,in…,lanes]: the channels of a block, all channels, or one.
struct Lying {
    int64_t planes;
    int64_t lanes;

    Lying(Dims const& x, Format const& format)
        : planes(format.channelsLast ? x[0] : x[0] * ((x[1] + format.block - 1) / format.block)),
          lanes(format.channelsLast ? x[1] : format.block) {}
};

/// Depth, height and width; missing leading axes have extent 1.
std::array<FixedSlide, 3> threeAxes(std::vector<FixedSlide> const& slides) {
    FixedSlide const one{1, 1, 1, 1, 0, 0, 1};
    std::array<FixedSlide, 3> three{one, one, one};
    std::ranges::copy(slides, three.end() - static_cast<std::ptrdiff_t>(slides.size()));
    return three;
}

/// The elements that the windows cover along each axis.
std::array<std::vector<Covered>, 3> coveredBy(std::array<FixedSlide, 3> const& slides) {
    std::array<std::vector<Covered>, 3> covered;
    for (size_t axis = 0; axis < 3; ++axis) {
        for (int64_t place = 0; place < slides[axis].out; ++place)
            covered[axis].push_back(tenon::coveredBy(slides[axis], place));
    }
    return covered;
}

/// into[l] = fold of into[l] and x[r * stride + l] over all rows r, for l in [0, lanes); and its initial value.
template <class T> struct FoldOf {
    void (*rows)(T* into, T const* x, int64_t rows, int64_t stride, int64_t lanes);
    T neutral;
};

FoldOf<float> foldOf(PoolingType type) {
    Fold const fold = type == PoolingType::Average ? Fold::Sum : Fold::Max;
    return {bestLoops<FoldLoops>().rows[static_cast<size_t>(fold)], neutralOf(fold)};
}

template <class T> class PoolingExecutable final : public Executable {
public:
    PoolingExecutable(PrepareArgs const& args, Pooling const& layer, FoldOf<T> const& fold)
        : average_(layer.type == PoolingType::Average), countsPadding_(!layer.averageCountExcludesPadding),
          lying_(args.inputs[0], args.variant.inputs[0].format),
          slides_(threeAxes(fixed(slidesOf(layer, toShape(args.inputs[0]))))), fold_(fold) {}

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        auto const& [depth, height, width] = slides_;
        int64_t const inPlane = depth.in * height.in * width.in * lying_.lanes;
        int64_t const outRow = width.out * lying_.lanes;
        int64_t const perRow = std::max<int64_t>(1, outRow * depth.size * height.size * width.size);
        int64_t const rowsOfPlane = depth.out * height.out;
        parallelFor(lying_.planes * rowsOfPlane, (kGrain + perRow - 1) / perRow, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                auto const d = static_cast<size_t>(row % rowsOfPlane / slides_[1].out);
                auto const h = static_cast<size_t>(row % slides_[1].out);
                poolRow(x + row / rowsOfPlane * inPlane, covered_[0][d], covered_[1][h], y + row * outRow);
            }
        });
    }

private:
    /// One row of Y, from the part of a plane of X that its windows cover in depth and height.
    void poolRow(T const* plane, Covered const& depth, Covered const& height, T* y) const {
        int64_t const lanes = lying_.lanes;
        int64_t const widthIn = slides_[2].in * lanes;
        for (Covered const& width : covered_[2]) {
            std::fill_n(y, lanes, fold_.neutral);
            for (int64_t i = 0; i < depth.count * height.count; ++i) {
                int64_t const d = depth.first + i / height.count * slides_[0].dilation;
                int64_t const h = height.first + i % height.count * slides_[1].dilation;
                T const* const row = plane + (d * slides_[1].in + h) * widthIn + width.first * lanes;
                fold_.rows(y, row, width.count, slides_[2].dilation * lanes, lanes);
            }
            if constexpr (std::is_same_v<T, float>) {
                if (average_) divide(y, depth, height, width);
            }
            y += lanes;
        }
    }

    void divide(float* y, Covered const& depth, Covered const& height, Covered const& width) const {
        int64_t const counted = depth.counted * height.counted * width.counted;
        int64_t const count = countsPadding_ ? counted : depth.count * height.count * width.count;
        auto const divisor = static_cast<float>(count);
        for (int64_t l = 0; l < lying_.lanes; ++l) y[l] = count == 0 ? 0 : y[l] / divisor;
    }

    bool average_;
    bool countsPadding_;
    Lying lying_;
    std::array<FixedSlide, 3> slides_;
    std::array<std::vector<Covered>, 3> covered_ = coveredBy(slides_);
    FoldOf<T> fold_;
};

using Pool = void (*)(WindowRow const&);
Pool poolOf(PoolingType type, DataType of) {
    auto const& loops = bestLoops<WindowLoops>();
    if (type == PoolingType::Max) return of == DataType::BFloat16 ? loops.bfloat16Greatest : loops.greatest;
    return of == DataType::BFloat16 ? loops.bfloat16Sums : loops.sums;
}

/// For float32 with contiguous channels, a block of them at a time: [planes,in…,lanes] in memory. For bfloat16 if
/// windows cover one plane, since sums of several are stored in Y.
class BlockPooling final : public Executable {
public:
    BlockPooling(PrepareArgs const& args, Pooling const& layer)
        : lying_(args.inputs[0], args.variant.inputs[0].format),
          slides_(threeAxes(fixed(slidesOf(layer, toShape(args.inputs[0]))))),
          bytes_(bitsOf(args.variant.outputs[0].type) / 8), pool_(poolOf(layer.type, args.variant.outputs[0].type)) {
        if (layer.type != PoolingType::Average) return;
        countOf_ = layer.averageCountExcludesPadding ? &Covered::count : &Covered::counted;
        for (Covered const& width : covered_[2]) counts_.push_back(atLeastOne(width));
    }

    void run(Pointers const& pointers) override {
        auto const* const x = static_cast<std::byte const*>(pointers.inputs[0]);
        auto* const y = static_cast<std::byte*>(pointers.outputs[0]);
        auto const& [depth, height, width] = slides_;
        int64_t const perRow = width.out * lying_.lanes * depth.size * height.size * width.size;
        int64_t const rowsOfPlane = depth.out * height.out;
        parallelFor(lying_.planes * rowsOfPlane, ceilDiv(kGrain, perRow), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                int64_t const plane = row / rowsOfPlane * slides_[0].in * slides_[1].in * slides_[2].in;
                int64_t const place = lying_.lanes * bytes_;
                poolRow(x + plane * place, row % rowsOfPlane, y + row * slides_[2].out * place);
            }
        });
    }

private:
    static constexpr int64_t kGrain = 1 << 19; // elements that one thread processes in about 20 µs

    /// Windows with padding only are averages of no elements: 0.
    float atLeastOne(Covered const& covered) const {
        return static_cast<float>(std::max<int64_t>(covered.*countOf_, 1));
    }

    void poolRow(std::byte const* plane, int64_t row, std::byte* y) const {
        Covered const& depth = covered_[0][static_cast<size_t>(row / slides_[1].out)];
        Covered const& height = covered_[1][static_cast<size_t>(row % slides_[1].out)];
        int64_t const rowOfX = slides_[2].in * lying_.lanes;
        int64_t const block = channelBlock();
        WindowRow window{.block = block,
                         .row = slides_[1].dilation * rowOfX,
                         .place = lying_.lanes,
                         .places = slides_[2].in,
                         .windowRows = height.count,
                         .windowPlaces = slides_[2].size,
                         .endRow = height.count,
                         .stride = slides_[2].stride,
                         .dilation = slides_[2].dilation,
                         .pre = slides_[2].pre,
                         .narrows = bytes_ != sizeof(float),
                         .yPlace = lying_.lanes,
                         .results = slides_[2].out};
        int64_t const planes = std::max<int64_t>(depth.count, 1); // an empty range has no rows
        if (depth.count == 0) window.endRow = 0;
        for (int64_t lane = 0; lane < lying_.lanes; lane += block) {
            window.channels = std::min(block, lying_.lanes - lane);
            window.y = y + lane * bytes_;
            for (int64_t i = 0; i < planes; ++i) {
                int64_t const first = (depth.first + i * slides_[0].dilation) * slides_[1].in + height.first;
                window.x = plane + (first * rowOfX + lane) * bytes_;
                window.adds = i != 0;
                bool const divides = !counts_.empty() && i + 1 == planes;
                window.counts = divides ? counts_.data() : nullptr;
                if (divides) window.rowCount = atLeastOne(depth) * atLeastOne(height);
                pool_(window);
            }
        }
    }

    Lying lying_;
    std::array<FixedSlide, 3> slides_;
    std::array<std::vector<Covered>, 3> covered_ = coveredBy(slides_);
    int64_t bytes_; // per element
    Pool pool_;
    int64_t Covered::*countOf_ = nullptr;
    std::vector<float> counts_; // of an average, along its rows
};

class FoldPooling final : public Kernel {
public:
    std::string_view name() const override { return "folds"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Pooling>(*query.node.layer);
        Dims const& x = query.inputs[0];
        if (layer.type != PoolingType::Max && layer.type != PoolingType::Average)
            return Offer::refuse("supports maxima and averages only");
        if (layer.indices) return Offer::refuse("does not support indices of the maxima");
        if (x.rank() > 5) return Offer::refuse(text("supports 1 to 3 spatial axes, not ", x.rank() - 2));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            for (Format const& format : {Format::blocked(channelBlock()), Format::nhwc(), Format::linear()}) {
                bool const isKept = type == DataType::BFloat16 && keepsBFloat16(layer) && !format.isLinear();
                DataType const compute = isKept ? type : DataType::Float32;
                Label const label{compute, format, Device::Cpu};
                Variant variant{
                    .inputs = {label}, .outputs = {label}, .cost = costOf(query, layer, label), .compute = compute};
                offer.variants.push_back(storedAs(type, query, variant));
            }
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) -> std::unique_ptr<Executable> {
            auto const& layer = *as<Pooling>(*inner.node.layer);
            if (!inner.variant.inputs[0].format.isLinear()) return std::make_unique<BlockPooling>(inner, layer);
            return std::make_unique<PoolingExecutable<float>>(inner, layer, foldOf(layer.type));
        });
    }

private:
    /// Whether bfloat16 windows give bfloat16 without a copy in float32.
    static bool keepsBFloat16(Pooling const& layer) {
        bool const isOfOnePlane = layer.windowSize.size() < 3 || layer.windowSize[0] == 1;
        return multipliesPairs() && isOfOnePlane;
    }

    static double costOf(KernelQuery const& query, Pooling const& layer, Label const& label) {
        double taps = 1;
        for (int64_t const size : layer.windowSize) taps *= static_cast<double>(size);
        auto const outputs = static_cast<double>(paddedVolume(query.outputs[0], label.format));
        double const perTap = label.format.isLinear() ? 2 : 0.03; // nanoseconds; scalars or vectors
        double const bytes = static_cast<double>(bytesOf(query.inputs[0], label));
        return 300 + outputs * taps * perTap + 0.2 * memoryCost(bytes);
    }
};

constexpr FoldPooling kFoldPooling;

/// Maxima of 8-bit integers with channels last.
class BytePooling final : public Kernel {
public:
    std::string_view name() const override { return "byte_folds"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Pooling>(*query.node.layer);
        Tensor const& x = *query.node.input(0);
        if (layer.indices) return Offer::refuse("does not support indices of the maxima");
        if (query.inputs[0].rank() > 5)
            return Offer::refuse(text("supports 1 to 3 spatial axes, not ", query.inputs[0].rank() - 2));
        Offer offer = offerTypes(query, x, [&](DataType type, Offer& to) {
            bool const isByte = type == DataType::Int8 || type == DataType::UInt8;
            if (isByte) to.variants.push_back(variantOf(query, layer, type));
        });
        if (offer.variants.empty()) offer.refusal = text("supports int8 and uint8, not ", x.type);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& layer = *as<Pooling>(*args.node.layer);
        auto const& loops = bestLoops<QuantizeLoops>();
        if (args.variant.inputs[0].type == DataType::Int8)
            return std::make_unique<PoolingExecutable<int8_t>>(args, layer, FoldOf<int8_t>{loops.mostInt8, -128});
        return std::make_unique<PoolingExecutable<uint8_t>>(args, layer, FoldOf<uint8_t>{loops.mostUInt8, 0});
    }

private:
    static Variant variantOf(KernelQuery const& query, Pooling const& layer, DataType type) {
        Label const label{type, Format::nhwc(), Device::Cpu};
        double taps = 1;
        for (int64_t const size : layer.windowSize) taps *= static_cast<double>(size);
        double const bytes = static_cast<double>(query.inputs[0].volume());
        double const cost =
            300 + static_cast<double>(query.outputs[0].volume()) * taps * 0.03 + 0.2 * memoryCost(bytes);
        return {.inputs = {label}, .outputs = {label}, .cost = cost};
    }
};

constexpr BytePooling kBytePooling;

} // namespace

KernelList poolingKernels() {
    static Kernel const* const all[]{&kFoldPooling, &kBytePooling, &windowPooling()};
    return {Pooling::kKind, all};
}

} // namespace tenon::cpu
