// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reformat/reformat.h"

#include "backends/cuda/copy_bytes.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/scales.cuh"
#include "backends/cuda/strided_copy.h"
#include "layers/reformat/image_reformat_cuda.h"

namespace tenon::cuda {
namespace {

/// The maximum number of elements of one launch.
constexpr int64_t kMostElements = (int64_t{1} << 31) - 1;

/// A tensor [outer, channels, pixels] in one of Tenon's formats, for index computations in a kernel. All in elements.
struct Source {
    uint32_t realChannels;
    uint32_t channels; // padding included
    uint32_t pixels;
    Divider block; // contiguous channels
    bool channelsLast;

    Source(Dims const& dims, Format const& format, int axis)
        : realChannels(static_cast<uint32_t>(dims[axis])), channels(realChannels),
          pixels(static_cast<uint32_t>(dims.volume(axis + 1, dims.rank()))), block(static_cast<uint32_t>(format.block)),
          channelsLast(format.channelsLast) {
        channels = (channels + block.divisor() - 1) / block.divisor() * block.divisor();
    }

    __device__ int64_t offset(int64_t outer, uint32_t channel, uint32_t pixel) const {
        if (channelsLast) return (outer * pixels + pixel) * channels + channel;
        uint32_t const group = block.divide(channel);
        uint32_t const lane = channel - group * block.divisor();
        return (outer * channels + group * block.divisor()) * pixels + int64_t{pixel} * block.divisor() + lane;
    }
};

/// The target as groups of contiguous channels: [outer, groups, pixels, run], padding included.
struct Target {
    Divider run;
    Divider pixels;
    Divider groups;

    Target(Dims const& dims, Format const& format, int axis)
        : Target(Source(dims, format, axis), format.channelsLast) {}

    int64_t volumeOfOne() const { return int64_t{run.divisor()} * pixels.divisor() * groups.divisor(); }

private:
    Target(Source const& all, bool channelsLast)
        : run(channelsLast ? all.channels : all.block.divisor()), pixels(all.pixels),
          groups(channelsLast ? 1 : all.channels / all.block.divisor()) {}
};

/// All elements of the target, including padding, which is zero; adjacent threads write adjacent elements.
template <class X, class Y>
__global__ void reformatElements(X const* __restrict__ x, Y* __restrict__ y, uint32_t count,
                                 __grid_constant__ Source const from, __grid_constant__ Target const to,
                                 __grid_constant__ Scales const scales) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const place = to.run.divide(static_cast<uint32_t>(i)); // of contiguous channels
        uint32_t const lane = static_cast<uint32_t>(i) - place * to.run.divisor();
        uint32_t const row = to.pixels.divide(place);
        uint32_t const pixel = place - row * to.pixels.divisor();
        uint32_t const outer = to.groups.divide(row);
        uint32_t const channel = (row - outer * to.groups.divisor()) * to.run.divisor() + lane;
        y[i] =
            channel < from.realChannels ? scales.convert<Y>(x[from.offset(outer, channel, pixel)]) : convertTo<Y>(0.0F);
    });
}

/// Same order of elements, padding included (zero in every type); `wide` at once if both sides are aligned to it.
template <class X, class Y, int wide>
__global__ void convertElements(X const* __restrict__ x, Y* __restrict__ y, int64_t count, bool isAligned,
                                __grid_constant__ Scales const scales) {
    forEachElement((count + wide - 1) / wide, [&](int64_t i) {
        int64_t const rest = count - i * wide;
        if (!isAligned || rest < wide) {
            for (int64_t k = 0; k < wide && k < rest; ++k) y[i * wide + k] = scales.convert<Y>(x[i * wide + k]);
            return;
        }
        auto const read = reinterpret_cast<Pack<X, wide> const*>(x)[i];
        Pack<Y, wide> written;
#pragma unroll
        for (int k = 0; k < wide; ++k) written.at[k] = scales.convert<Y>(read.at[k]);
        reinterpret_cast<Pack<Y, wide>*>(y)[i] = written;
    });
}

/// Another type in the same order.
class RunConversion final : public Executable {
public:
    RunConversion(Dims const& dims, Label const& from, Label const& to)
        : from_(from.type), to_(to.type), count_(paddedVolume(dims, to.format)), scales_(from, to) {}

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchElement(from_, [&]<class X>(TypeTag<X>) {
            dispatchElement(to_, [&]<class Y>(TypeTag<Y>) {
                launch(static_cast<X const*>(pointers.inputs[0]), static_cast<Y*>(pointers.outputs[0]),
                       streamOf(pointers.stream));
            });
        });
        checkLaunch("conversion");
    }

private:
    template <class X, class Y> void launch(X const* x, Y* y, cudaStream_t stream) const {
        constexpr int kWide = 16 / std::max(sizeof(X), sizeof(Y));
        auto const addresses = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
        convertElements<X, Y, kWide>
            <<<blocksFor(count_, kThreads * kWide), kThreads, 0, stream>>>(x, y, count_, addresses % 16 == 0, scales_);
    }

    DataType from_;
    DataType to_;
    int64_t count_; // padding included
    Scales scales_;
};

/// Between any two formats with the same channel axis.
class RunReformat final : public Executable {
public:
    RunReformat(Dims const& dims, Label const& from, Label const& to, int axis)
        : fromType_(from.type), toType_(to.type), from_(dims, from.format, axis), to_(dims, to.format, axis),
          outer_(dims.volume(0, axis)), scales_(from, to) {
        if (to_.volumeOfOne() > kMostElements || from_.channels * int64_t{from_.pixels} > kMostElements)
            fail(ErrorCode::Unsupported, dims, " has 2^31 or more elements from its channels on");
    }

    void run(Pointers const& pointers) override {
        dispatchElement(fromType_, [&]<class X>(TypeTag<X>) {
            dispatchElement(toType_, [&]<class Y>(TypeTag<Y>) {
                launch(static_cast<X const*>(pointers.inputs[0]), static_cast<Y*>(pointers.outputs[0]),
                       streamOf(pointers.stream));
            });
        });
        checkLaunch("reformat");
    }

private:
    template <class X, class Y> void launch(X const* x, Y* y, cudaStream_t stream) const {
        int64_t const one = to_.volumeOfOne();
        int64_t const atOnce = kMostElements / one;
        for (int64_t outer = 0; outer < outer_; outer += atOnce) {
            auto const count = static_cast<uint32_t>(std::min(atOnce, outer_ - outer) * one);
            reformatElements<<<blocksFor(count), kThreads, 0, stream>>>(x + outer * from_.channels * from_.pixels,
                                                                        y + outer * one, count, from_, to_, scales_);
        }
    }

    DataType fromType_;
    DataType toType_;
    Source from_;
    Target to_;
    int64_t outer_;
    Scales scales_;
};

/// For empty tensors.
class RunNothing final : public Executable {
public:
    void run(Pointers const&) override {}
};

/// Linear to channels last and back in one type: a transposition.
class RunTranspose final : public Executable {
public:
    explicit RunTranspose(StridedCopy const& copy) : copier_(copy) {}
    void run(Pointers const& pointers) override {
        copier_.launch(pointers.inputs[0], pointers.outputs[0], pointers.stream);
    }

private:
    StridedCopier copier_;
};

/// Padding is zero in every label, which would be another value in a label with a zero point.
bool mayConvertPadding(Dims const& dims, Label const& from, Label const& to) {
    return paddedVolume(dims, from.format) == dims.volume() || (from.zero == 0 && to.zero == 0);
}

class CudaReformat final : public Kernel {
public:
    std::string_view name() const override { return "cuda_reformat"; }
    bool takesEmpty() const override { return true; }

    // between the labels that the tensors already have
    Offer offer(KernelQuery const& query) const override {
        Label const& from = query.node.input(0)->label;
        Label const& to = query.node.output()->label;
        bool const same = sameBytes(from, to, query.node.input(0)->shape);
        if (from.device == Device::Cpu && to.device == Device::Cpu)
            return Offer::refuse("does not support copies within host memory");
        if (from.device != to.device && !same) return Offer::refuse("does not convert between devices");
        if (!same && (bitsOf(from.type) < 8 || !isComputed(from.type) || !isComputed(to.type)))
            return Offer::refuse(text("does not convert ", from.type, " to ", to.type));
        bool const oneAxis = from.format.isLinear() || to.format.isLinear() || from.format.axis == to.format.axis;
        if (!oneAxis) return Offer::refuse("the formats have different channel axes");
        Variant variant{.inputs = {from}, .outputs = {to}};
        variant.view = same && from.device == to.device;
        variant.cost = backend().reformatCost(query.inputs[0], from, to);
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        Label const& from = args.variant.inputs[0];
        Label const& to = args.variant.outputs[0];
        Dims const& dims = args.inputs[0];
        if (sameBytes(from, to, toShape(dims))) return std::make_unique<CopyBytes>(bytesOf(dims, from));
        if (from.format == to.format && mayConvertPadding(dims, from, to))
            return std::make_unique<RunConversion>(dims, from, to);
        if (dims.volume() == 0) return std::make_unique<RunNothing>();
        int const axis = from.format.isLinear() ? to.format.axis : from.format.axis;
        bool const isMove = sameElements(from, to);
        if (isMove && from.format.block == 1 && to.format.block == 1 && dims[axis] >= kLeastTurned)
            return std::make_unique<RunTranspose>(
                StridedCopy{from.type, dims, stridesIn(from.format, dims), stridesIn(to.format, dims)});
        if (isOfImages(from, to) && paddedVolume(dims, to.format) <= kMostElements)
            return makeImageReformat(dims, from, to);
        return std::make_unique<RunReformat>(dims, from, to, axis);
    }

private:
    static constexpr int64_t kLeastTurned = 16; // channels, for transposed tiles; below, one thread per pixel
};

constexpr CudaReformat kReformat;
constexpr Kernel const* kKernels[]{&kReformat};

} // namespace

KernelList reformatKernels() { return {Reformat::kKind, kKernels}; }

} // namespace tenon::cuda
