// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/direct_convolution_cuda.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// The position in X under tap `tap` for output `at`; false if it is outside.
__device__ __forceinline__ bool reaches(DirectAxis const& axis, int at, int tap, bool backwards, int& position) {
    if (!backwards) {
        position = at * axis.stride + tap * axis.dilation - axis.pre;
        return position >= 0 && position < axis.in;
    }
    int const from = at + axis.pre - tap * axis.dilation;
    position = from / axis.stride;
    return from >= 0 && from % axis.stride == 0 && position < axis.in;
}

/// The sum over a group's channels at one position of X and one tap.
template <class T> __device__ float sumChannels(T const* x, T const* w, DirectPlan const& plan) {
    int64_t const wStep = plan.backwards ? plan.wOuter : plan.wInner;
    float sum = 0;
    for (int c = 0; c < plan.inPerGroup; ++c) sum += toFloat(x[c * plan.xChannel]) * toFloat(w[c * wStep]);
    return sum;
}

template <class T>
__device__ float sumTaps(T const* x, T const* w, int const (&at)[DirectPlan::kAxes], DirectPlan const& plan) {
    DirectAxis const& a = plan.axes[0];
    DirectAxis const& b = plan.axes[1];
    DirectAxis const& c = plan.axes[2];
    float sum = 0;
    for (int tap = 0; tap < a.size * b.size * c.size; ++tap) {
        int const taps[]{tap / c.size / b.size, tap / c.size % b.size, tap % c.size};
        int place[DirectPlan::kAxes];
        bool inside = reaches(a, at[0], taps[0], plan.backwards, place[0]);
        inside = inside && reaches(b, at[1], taps[1], plan.backwards, place[1]);
        inside = inside && reaches(c, at[2], taps[2], plan.backwards, place[2]);
        if (!inside) continue;
        int64_t const xAt = place[0] * a.xStep + place[1] * b.xStep + place[2] * c.xStep;
        int64_t const wAt = taps[0] * a.wStep + taps[1] * b.wStep + taps[2] * c.wStep;
        sum += sumChannels(x + xAt, w + wAt, plan);
    }
    return sum;
}

/// X [N,C,in…], W [outer,inner,window…] → Y [N,K,out…], one thread per element.
template <class T>
__global__ void convolveDirectly(T const* x, T const* w, T* y, int64_t count, __grid_constant__ DirectPlan const plan) {
    forEachElement(count, [&](int64_t i) {
        int at[DirectPlan::kAxes];
        int const k = static_cast<int>(i % plan.outStored);
        int64_t rest = i / plan.outStored;
        for (int axis = DirectPlan::kAxes - 1; axis >= 0; --axis) {
            at[axis] = static_cast<int>(rest % plan.axes[axis].out);
            rest /= plan.axes[axis].out;
        }
        int64_t const group = k / plan.outPerGroup;
        int64_t const xAt = rest * plan.xBatch + group * plan.inPerGroup * plan.xChannel;
        int64_t const wAt = plan.backwards ? group * plan.inPerGroup * plan.wOuter + k % plan.outPerGroup * plan.wInner
                                           : k * plan.wOuter;
        int64_t yAt = rest * plan.yBatch + k * plan.yChannel;
        for (int axis = 0; axis < DirectPlan::kAxes; ++axis) yAt += at[axis] * plan.axes[axis].yStep;
        y[yAt] = convertTo<T>(k < plan.outChannels ? sumTaps(x + xAt, w + wAt, at, plan) : 0.0F);
    });
}

/// The stride along each axis of [N,C,…] in this format.
Dims stridesOf(Dims const& dims, Format const& format) {
    Dims strides = Dims::filled(dims.rank(), 0);
    for (int axis = 0; axis < dims.rank(); ++axis) {
        Dims step = Dims::filled(dims.rank(), 0);
        step[axis] = 1;
        strides[axis] = offsetOf(step, dims, format);
    }
    return strides;
}

class RunDirect final : public Executable {
public:
    RunDirect(PrepareArgs const& args, ConvolutionShape const& shape)
        : convolution_(args, shape, rowMajorStrides(args.inputs[1])),
          hasBias_(args.node.input(ConvolutionShape::kBias) != nullptr),
          epilogue_(args, shape.epilogue, 0, hasBias_ ? ConvolutionShape::kBias : -1) {}

    void run(Pointers const& pointers) override {
        convolution_.launch(pointers.inputs[0], pointers.inputs[1], pointers.outputs[0], pointers.stream);
        epilogue_.launch(pointers, hasBias_ ? pointers.inputs[ConvolutionShape::kBias] : nullptr);
    }

private:
    DirectConvolution convolution_;
    bool hasBias_;
    EpilogueRun epilogue_;
};

} // namespace

DirectConvolution::DirectConvolution(PrepareArgs const& args, ConvolutionShape const& shape, Dims const& weightStrides)
    : plan_{}, type_(args.variant.inputs[0].type),
      count_(counted(paddedVolume(args.outputs[0], args.variant.outputs[0].format))) {
    Dims const& w = args.inputs[1];
    Dims const x = stridesOf(args.inputs[0], args.variant.inputs[0].format);
    Dims const y = stridesOf(args.outputs[0], args.variant.outputs[0].format);
    int const channels = static_cast<int>(args.outputs[0][1]);
    int const block = args.variant.outputs[0].format.block;
    size_t const skipped = DirectPlan::kAxes - shape.slides.size();
    for (size_t i = 0; i < shape.slides.size(); ++i) {
        FixedSlide const& slide = shape.slides[i];
        int const axis = static_cast<int>(i) + 2;
        plan_.axes[skipped + i] = {static_cast<int>(slide.in),
                                   static_cast<int>(slide.size),
                                   static_cast<int>(slide.stride),
                                   static_cast<int>(slide.dilation),
                                   static_cast<int>(slide.pre),
                                   static_cast<int>(slide.out),
                                   x[axis],
                                   weightStrides[axis],
                                   y[axis]};
    }
    plan_.xBatch = x[0], plan_.xChannel = x[1];
    plan_.yBatch = y[0], plan_.yChannel = y[1];
    plan_.wOuter = weightStrides[0], plan_.wInner = weightStrides[1];
    plan_.inPerGroup = static_cast<int>(args.inputs[0][1] / shape.groups);
    plan_.outPerGroup = static_cast<int>((shape.backwards ? w[1] * shape.groups : w[0]) / shape.groups);
    plan_.outChannels = channels;
    plan_.outStored = (channels + block - 1) / block * block;
    plan_.backwards = shape.backwards;
}

void DirectConvolution::launch(void const* x, void const* w, void* y, void* stream) const {
    if (count_ == 0) return;
    dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
        convolveDirectly<<<blocksFor(count_), kThreads, 0, streamOf(stream)>>>(
            static_cast<T const*>(x), static_cast<T const*>(w), static_cast<T*>(y), count_, plan_);
    });
    checkLaunch("direct convolution");
}

namespace {

Offer offerDirectConvolution(KernelQuery const& query, ConvolutionShape const& shape) {
    size_t const axes = shape.slides.size();
    if (axes > DirectPlan::kAxes) return Offer::refuse(text("supports 1 to 3 spatial axes, not ", axes));
    if (query.outputs[0].volume() >= int64_t{1} << 31)
        return Offer::refuse("supports results of fewer than 2^31 elements");
    double const speed = 0.0045 * costs().float32; // every product is read from memory
    return offerFloats(query, [&](DataType type, Offer& offer) {
        Label const label{type, Format::linear(), kCuda};
        Variant variant = convolutionVariant(query, label, label);
        for (uint32_t input = 0; input < variant.inputs.size(); ++input) variant.inputs[input].type = type;
        variant.packed = 0;
        auto const bytes = static_cast<double>(bytesOf(query.outputs[0], label));
        variant.cost = kernelCost(bytes, shape.operations(query.inputs, query.outputs), speed) + kernelCost(bytes);
        offer.variants.push_back(std::move(variant));
    });
}

class CudaDirectConvolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_direct_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerDirectConvolution(query, ConvolutionShape(query.node, query.inputs));
    }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunDirect>(args, ConvolutionShape(args.node, args.inputs));
    }
};

constexpr CudaDirectConvolution kKernel;

} // namespace

Kernel const& directConvolution() { return kKernel; }

} // namespace tenon::cuda
