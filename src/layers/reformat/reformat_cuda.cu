// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reformat/reformat.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/strided_copy.h"

namespace tenon::cuda {
namespace {

/// A tensor [outer, channels, pixels] in one of our formats, as a kernel finds its way in it. All in elements.
struct Side {
    int64_t channels; // padding included
    int64_t pixels;
    int64_t block; // channels that lie together; 0: the format is linear
    bool channelsLast;

    Side(Dims const& dims, Format const& format, int axis)
        : channels(dims[axis]), pixels(dims.volume(axis + 1, dims.rank())), block(format.isLinear() ? 0 : format.block),
          channelsLast(format.channelsLast) {
        if (block > 1) channels = (channels + block - 1) / block * block;
    }

    __device__ int64_t offset(int64_t outer, int64_t channel, int64_t pixel) const {
        if (block == 0) return (outer * channels + channel) * pixels + pixel;
        if (channelsLast) return (outer * pixels + pixel) * channels + channel;
        return (outer * channels + channel / block * block) * pixels + pixel * block + channel % block;
    }
};

/// All elements of the target, padding included, which is zero; neighbours in the target are neighbouring threads.
template <class X, class Y>
__global__ void reformatElements(X const* x, Y* y, int64_t count, int64_t realChannels, Side const from,
                                 Side const to) {
    int64_t const run = to.block == 0 ? 1 : (to.channelsLast ? to.channels : to.block);
    forEachElement(count, [&](int64_t i) {
        int64_t const group = i / run; // of channels that lie together
        int64_t const pixel = group % to.pixels;
        int64_t const groups = to.channels / run;
        int64_t const channel = group / to.pixels % groups * run + i % run;
        int64_t const outer = group / to.pixels / groups;
        y[to.offset(outer, channel, pixel)] =
            channel < realChannels ? convertTo<Y>(x[from.offset(outer, channel, pixel)]) : convertTo<Y>(0.0F);
    });
}

/// Same order of elements, padding included (zero in every type).
template <class X, class Y> __global__ void convertElements(X const* x, Y* y, int64_t count) {
    forEachElement(count, [&](int64_t i) { y[i] = convertTo<Y>(x[i]); });
}

class RunReformat final : public Executable {
public:
    RunReformat(Dims const& dims, Label const& from, Label const& to)
        : fromType_(from.type), toType_(to.type), isSameOrder_(from.format == to.format),
          count_(paddedVolume(dims, to.format)), axis_(from.format.isLinear() ? to.format.axis : from.format.axis),
          from_(isSameOrder_ ? Side({1, 1}, {}, 1) : Side(dims, from.format, axis_)),
          to_(isSameOrder_ ? from_ : Side(dims, to.format, axis_)), channels_(isSameOrder_ ? 0 : dims[axis_]) {}

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
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
        if (isSameOrder_)
            convertElements<<<blocksFor(count_), kThreads, 0, stream>>>(x, y, count_);
        else
            reformatElements<<<blocksFor(count_), kThreads, 0, stream>>>(x, y, count_, channels_, from_, to_);
    }

    DataType fromType_;
    DataType toType_;
    bool isSameOrder_;
    int64_t count_; // of the target, padding included
    int axis_;
    Side from_;
    Side to_;
    int64_t channels_;
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

/// Strides of [outer, channels, pixels].
Dims stridesOf(Format const& format, int64_t channels, int64_t pixels) {
    if (format.isLinear()) return {channels * pixels, pixels, 1};
    return {channels * pixels, 1, channels};
}

class RunCopy final : public Executable {
public:
    explicit RunCopy(size_t bytes) : bytes_(bytes) {}
    void run(Pointers const& pointers) override {
        backend().copy(pointers.outputs[0], pointers.inputs[0], bytes_, pointers.stream);
    }

private:
    size_t bytes_;
};

class CudaReformat final : public Kernel {
public:
    std::string_view name() const override { return "cuda_reformat"; }

    // between the labels that the tensors already have
    Offer offer(KernelQuery const& query) const override {
        Label const& from = query.node.input(0)->label;
        Label const& to = query.node.output()->label;
        bool const same = from.type == to.type && from.format == to.format;
        if (from.device == Device::Cpu && to.device == Device::Cpu) return Offer::refuse("copies in host memory only");
        if (from.device != to.device && !same) return Offer::refuse("copies between devices bytes as they are");
        if (!same && (bitsOf(from.type) < 8 || !isComputed(from.type) || !isComputed(to.type)))
            return Offer::refuse(text("does not convert ", from.type, " to ", to.type));
        bool const oneAxis = from.format.isLinear() || to.format.isLinear() || from.format.axis == to.format.axis;
        if (!oneAxis) return Offer::refuse("the formats have different channel axes");
        Variant variant{.inputs = {from}, .outputs = {to}};
        variant.cost = backend().reformatCost(query.inputs[0], from, to);
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        Label const& from = args.variant.inputs[0];
        Label const& to = args.variant.outputs[0];
        Dims const& dims = args.inputs[0];
        if (from.type == to.type && from.format == to.format) return std::make_unique<RunCopy>(bytesOf(dims, from));
        bool const isTransposition = from.type == to.type && from.format.block == 1 && to.format.block == 1;
        if (isTransposition && dims.volume() != 0 && dims.volume() < int64_t{1} << 31) {
            int const axis = from.format.isLinear() ? to.format.axis : from.format.axis;
            int64_t const pixels = dims.volume(axis + 1, dims.rank());
            return std::make_unique<RunTranspose>(StridedCopy{from.type,
                                                              {dims.volume(0, axis), dims[axis], pixels},
                                                              stridesOf(from.format, dims[axis], pixels),
                                                              stridesOf(to.format, dims[axis], pixels)});
        }
        return std::make_unique<RunReformat>(dims, from, to);
    }
};

constexpr CudaReformat kReformat;
constexpr Kernel const* kKernels[]{&kReformat};

} // namespace

KernelList reformatKernels() { return {Reformat::kKind, kKernels}; }

} // namespace tenon::cuda
