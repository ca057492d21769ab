// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/patch_deconvolution_cuda.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/launch.h"
#include "backends/packed.h"
#include "layers/convolution/weight_layout_cuda.h"
#include "layers/deconvolution/deconvolution.h"

namespace tenon::cuda {
namespace {

/// How a thread finds its index: pixels of X vary fastest, so that a warp reads one weight for all its threads.
struct PatchPlan {
    Divider pixels;  // of all images of X
    Divider vectors; // of output channels
    Divider patchWidth;
    Divider width; // of X
    uint32_t patchHeight = 1;
    int channels = 0; // of X, padded
};

template <class T> constexpr int kWide = 16 / sizeof(T); // channels that are read at once

template <class T, int lanes>
__device__ __forceinline__ void addChannels(T const* x, T const* w, int channels, int step, float (&sums)[lanes]) {
    for (int c = 0; c < channels; c += kWide<T>) {
        auto const in = *reinterpret_cast<Pack<T, kWide<T>> const*>(x + c);
#pragma unroll
        for (int k = 0; k < kWide<T>; ++k) {
            auto const factors = *reinterpret_cast<Pack<T, lanes> const*>(w + (c + k) * step);
#pragma unroll
            for (int v = 0; v < lanes; ++v) sums[v] += toFloat(in.at[k]) * toFloat(factors.at[v]);
        }
    }
}

/// X [N,H,W,C], W [h,w,C,K] → Y [N,H·h,W·w,K]. A thread computes `lanes` channels of one pixel of Y.
template <class T, int lanes>
__global__ void patches(T const* __restrict__ x, T const* __restrict__ w, T* __restrict__ y, int64_t count,
                        __grid_constant__ PatchPlan const plan, __grid_constant__ EpilogueProgram const epilogue) {
    forEachElement(count, [&](int64_t i) {
        uint32_t const part = plan.pixels.divide(static_cast<uint32_t>(i)); // of the patch
        uint32_t const pixel = static_cast<uint32_t>(i) - part * plan.pixels.divisor();
        uint32_t const position = plan.vectors.divide(part);
        uint32_t const channel = (part - position * plan.vectors.divisor()) * lanes;
        int const outputs = static_cast<int>(plan.vectors.divisor()) * lanes;
        float sums[lanes] = {};
        addChannels(x + int64_t{pixel} * plan.channels, w + int64_t{position} * plan.channels * outputs + channel,
                    plan.channels, outputs, sums);
        uint32_t const row = plan.width.divide(pixel); // of all images
        uint32_t const down = plan.patchWidth.divide(position);
        uint32_t const outRow = row * plan.patchHeight + down;
        uint32_t const outColumn = (pixel - row * plan.width.divisor()) * plan.patchWidth.divisor() + position -
                                   down * plan.patchWidth.divisor();
        uint32_t const first =
            (outRow * plan.width.divisor() * plan.patchWidth.divisor() + outColumn) * outputs + channel;
        applyEpilogue<T>(epilogue, first, sums);
        Pack<T, lanes> pack;
#pragma unroll
        for (int v = 0; v < lanes; ++v) pack.at[v] = convertTo<T>(sums[v]);
        *reinterpret_cast<Pack<T, lanes>*>(y + first) = pack;
    });
}

// ---- layout

constexpr int kTogether = 8; // channels

/// One channel has the same order in every format, and all kernels support linear.
Format formatOf(Dims const& dims) {
    if (dims[1] == 1) return Format::linear();
    return dims[1] % kTogether == 0 ? Format::nhwc() : Format::nhwc(kTogether);
}

Format inputFormatOf(Dims const& x) { return x[1] % kTogether == 0 ? Format::nhwc() : Format::nhwc(kTogether); }

struct PatchPacking {
    int64_t positions, inputs, outputs; // channels padded
    size_t biasAt, bytes;

    explicit PatchPacking(PrepareArgs const& args)
        : positions(args.inputs[kWeights].volume(2, args.inputs[kWeights].rank())),
          inputs(padded(args.inputs[kX][1], args.variant.inputs[kX].format)),
          outputs(padded(args.outputs[0][1], args.variant.outputs[0].format)),
          biasAt(aligned(bytesOf(args.variant.inputs[kX].type, positions * inputs * outputs))),
          bytes(biasAt + aligned(bytesOf(args.variant.inputs[kX].type, outputs))) {}
};

class RunPatches final : public Executable {
public:
    explicit RunPatches(PrepareArgs const& args)
        : type_(args.variant.inputs[kX].type), packing_(args), packed_(static_cast<char const*>(args.packedData)),
          epilogue_(args, as<Deconvolution>(*args.node.layer)->epilogue, 0, hasBias(args.node) ? kBias : -1),
          isOneChannel_(packing_.outputs == 1) {
        expectPacked(args, packing_.bytes);
        counted(paddedVolume(args.inputs[kX], args.variant.inputs[kX].format));
        counted(paddedVolume(args.outputs[0], args.variant.outputs[0].format));
        std::vector<FixedSlide> const slides = ConvolutionShape(args.node, args.inputs).slides;
        FixedSlide const& width = slides.back();
        int64_t const height = slides.size() == 2 ? slides[0].in : 1;
        int64_t const pixels = args.inputs[kX][0] * height * width.in;
        int64_t const vectors = isOneChannel_ ? 1 : packing_.outputs * bitsOf(type_) / 128;
        plan_.pixels = Divider(static_cast<uint32_t>(pixels));
        plan_.vectors = Divider(static_cast<uint32_t>(vectors));
        plan_.patchWidth = Divider(static_cast<uint32_t>(width.stride));
        plan_.width = Divider(static_cast<uint32_t>(width.in));
        plan_.patchHeight = slides.size() == 2 ? static_cast<uint32_t>(slides[0].stride) : 1;
        plan_.channels = static_cast<int>(packing_.inputs);
        count_ = pixels * vectors * packing_.positions;
    }

    void run(Pointers const& pointers) override {
        EpilogueProgram const program = epilogue_.program(pointers, packed_ + packing_.biasAt);
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            auto const kernel = isOneChannel_ ? patches<T, 1> : patches<T, kWide<T>>;
            kernel<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[kX]), reinterpret_cast<T const*>(packed_),
                static_cast<T*>(pointers.outputs[0]), count_, plan_, program);
        });
        checkLaunch("deconvolution by patches");
    }

private:
    DataType type_;
    PatchPacking packing_;
    char const* packed_;
    EpilogueRun epilogue_;
    bool isOneChannel_;
    PatchPlan plan_;
    int64_t count_ = 0; // of vectors of Y
};

std::string refusal(KernelQuery const& query) {
    ConvolutionShape const shape(query.node, query.inputs);
    if (!shape.backwards) return "supports deconvolutions only";
    Dims const& x = query.inputs[kX];
    Dims const& y = query.outputs[0];
    constexpr int64_t kMost = int64_t{1} << 31;
    if (x.rank() < 3 || x.rank() > 4) return text("supports 1 or 2 spatial axes, not ", x.rank() - 2);
    if (shape.groups != 1) return "supports one group of channels";
    if (x.volume() == 0 || y.volume() == 0) return "does not support empty tensors";
    for (FixedSlide const& slide : shape.slides) {
        bool const isPatch = slide.size == slide.stride && slide.dilation == 1 && slide.pre == 0;
        if (!isPatch || slide.out != slide.in * slide.stride) return "requires windows that tile the output";
    }
    auto const isConstant = [&](int i) { return !query.node.input(i) || query.node.input(i)->literal(); };
    if (!isConstant(kWeights) || !isConstant(kBias)) return "requires constant weights";
    if (paddedVolume(x, inputFormatOf(x)) >= kMost || paddedVolume(y, formatOf(y)) >= kMost)
        return "supports tensors of fewer than 2^31 elements";
    return {};
}

class CudaPatchDeconvolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_patch_deconvolution"; }

    Offer offer(KernelQuery const& query) const override {
        if (std::string why = refusal(query); !why.empty()) return Offer::refuse(std::move(why));
        double const speed = 0.3 * costs().float32;
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const x{type, inputFormatOf(query.inputs[kX]), kCuda};
            Label const y{type, formatOf(query.outputs[0]), kCuda};
            Variant variant = convolutionVariant(query, x, y);
            auto const bytes = static_cast<double>(bytesOf(query.inputs[kX], x) + bytesOf(query.outputs[0], y));
            double const channels = static_cast<double>(query.inputs[kX][1]);
            variant.cost = kernelCost(bytes, 2 * channels * static_cast<double>(query.outputs[0].volume()), speed);
            offer.variants.push_back(std::move(variant));
        });
    }

    std::string packKey(Variant const& variant) const override { return text("patches ", variant.inputs[kX]); }

    // W [C,K,window…], bias [K] → [window…,C padded,K padded], [K padded]
    Packed pack(PrepareArgs const& args) const override {
        PatchPacking const packing(args);
        Dims const& w = args.inputs[kWeights];
        Dims strides = rowMajorStrides(w);
        for (int axis = 2; axis < w.rank(); ++axis) strides[axis] *= packing.inputs * packing.outputs;
        strides[0] = packing.outputs;
        strides[1] = 1;
        StridedWeights weights(args.variant.inputs[kX].type);
        weights.add(*args.node.input(kWeights)->literal(), strides);
        if (hasBias(args.node)) weights.addDense(*args.node.input(kBias)->literal(), packing.biasAt);
        return std::move(weights).finish(packKey(args.variant), packing.bytes);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunPatches>(args);
    }
};

constexpr CudaPatchDeconvolution kPatches;

} // namespace

Kernel const& patchDeconvolution() { return kPatches; }

} // namespace tenon::cuda
