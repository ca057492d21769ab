// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/grouped_int8_convolution_cuda.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/scales.cuh"
#include "backends/packed.h"
#include "layers/convolution/cudnn_convolution_cuda.h"
#include "layers/convolution/int8_weights_cuda.h"
#include "layers/convolution/weight_layout_cuda.h"

#include <cstring>

namespace tenon::cuda {
namespace {

constexpr int kWord = 4; // channels that are multiplied at once if a group has several

struct GroupedAxis {
    int in = 1, size = 1, stride = 1, dilation = 1, pre = 0, out = 1;
};

/// X [N,H,W,xChannels], W [taps,…], Y [N,H',W',K], channels padded. The real value of a sum of products is (sum -
/// shift) · factor + bias, each per output channel.
struct GroupedPlan {
    GroupedAxis height, width;
    Divider vectors;       // of output channels
    Divider columns, rows; // of outputs
    int channels = 0;      // of Y, without padding
    int xChannels = 0, wChannels = 0;
    int inWords = 0, outPerGroup = 1; // of a group of several channels
    uint32_t zeros = 0;               // of X, in each byte
    float const* factors = nullptr;   // [wChannels], like the other two
    float const* bias = nullptr;
    int32_t const* shifts = nullptr;
    Scales stored; // the conversion to Y's label
};

/// The output of a thread: some channels of one position.
struct GroupedPlace {
    int channel, x, y;
    int64_t n;

    __device__ GroupedPlace(uint32_t i, int lanes, GroupedPlan const& plan) {
        uint32_t const pixel = plan.vectors.divide(i);
        channel = static_cast<int>(i - pixel * plan.vectors.divisor()) * lanes;
        uint32_t const row = plan.columns.divide(pixel);
        x = static_cast<int>(pixel - row * plan.columns.divisor());
        uint32_t const picture = plan.rows.divide(row);
        y = static_cast<int>(row - picture * plan.rows.divisor());
        n = picture;
    }
};

/// One channel per group.
struct ChannelSums {
    static constexpr int kLanes = 8;
    int32_t at[kLanes] = {};

    __device__ static int firstOfX(int channel, GroupedPlan const&) { return channel; }
    __device__ static int firstOfW(int tap, int channel, GroupedPlan const& plan) {
        return tap * plan.wChannels + channel;
    }

    /// x: a pixel from its first channel that is used, null in the padding; w [channels]
    __device__ void add(int8_t const* x, int8_t const* w, GroupedPlan const& plan) {
        auto const factors = *reinterpret_cast<Pack<int8_t, kLanes> const*>(w);
        Pack<int8_t, kLanes> values;
#pragma unroll
        for (int v = 0; v < kLanes; ++v) values.at[v] = static_cast<int8_t>(plan.zeros & 255U);
        if (x != nullptr) values = *reinterpret_cast<Pack<int8_t, kLanes> const*>(x);
#pragma unroll
        for (int v = 0; v < kLanes; ++v) at[v] += int32_t{values.at[v]} * int32_t{factors.at[v]};
    }
};

/// Words of channels: four outputs of one group, which read the same words.
struct WordSums {
    static constexpr int kLanes = 4;
    int32_t at[kLanes] = {};

    __device__ static int firstOfX(int channel, GroupedPlan const& plan) {
        return min(channel, plan.channels - 1) / plan.outPerGroup * plan.inWords * kWord; // padding reads valid ones
    }
    __device__ static int firstOfW(int tap, int channel, GroupedPlan const& plan) {
        return (tap * plan.inWords * plan.wChannels + channel) * kWord;
    }

    /// w [words of a group,channels,4]
    __device__ void add(int8_t const* x, int8_t const* w, GroupedPlan const& plan) {
        for (int word = 0; word < plan.inWords; ++word) {
            auto const factors = *reinterpret_cast<int4 const*>(w + word * plan.wChannels * kWord);
            uint32_t const read = x == nullptr ? plan.zeros : reinterpret_cast<uint32_t const*>(x)[word];
            auto const values = static_cast<int>(read);
            at[0] = __dp4a(values, factors.x, at[0]);
            at[1] = __dp4a(values, factors.y, at[1]);
            at[2] = __dp4a(values, factors.z, at[2]);
            at[3] = __dp4a(values, factors.w, at[3]);
        }
    }
};

/// A window of `size` by `size`; 0: of any extents.
template <class Sums, class Y, int size>
__global__ void convolveGroups(int8_t const* __restrict__ x, int8_t const* __restrict__ w, Y* __restrict__ y,
                               int64_t count, __grid_constant__ GroupedPlan const plan,
                               __grid_constant__ EpilogueProgram const epilogue) {
    constexpr int kLanes = Sums::kLanes;
    forEachElement(count, [&](int64_t i) {
        GroupedPlace const place(static_cast<uint32_t>(i), kLanes, plan);
        int const height = size == 0 ? plan.height.size : size;
        int const width = size == 0 ? plan.width.size : size;
        int8_t const* const image =
            x + place.n * plan.height.in * plan.width.in * plan.xChannels + Sums::firstOfX(place.channel, plan);
        Sums sums;
#pragma unroll
        for (int r = 0; r < height; ++r) {
            int const row = place.y * plan.height.stride - plan.height.pre + r * plan.height.dilation;
#pragma unroll
            for (int s = 0; s < width; ++s) {
                int const column = place.x * plan.width.stride - plan.width.pre + s * plan.width.dilation;
                bool const isInside = row >= 0 && row < plan.height.in && column >= 0 && column < plan.width.in;
                int64_t const pixel = int64_t{row} * plan.width.in + column;
                sums.add(isInside ? image + pixel * plan.xChannels : nullptr,
                         w + Sums::firstOfW(r * width + s, place.channel, plan), plan);
            }
        }
        float values[kLanes];
#pragma unroll
        for (int v = 0; v < kLanes; ++v) {
            int const k = place.channel + v;
            values[v] = static_cast<float>(sums.at[v] - plan.shifts[k]) * plan.factors[k] + plan.bias[k];
        }
        int64_t const first = i * kLanes;
        applyEpilogue<float>(epilogue, first, values);
        Pack<Y, kLanes> pack;
#pragma unroll
        for (int v = 0; v < kLanes; ++v)
            pack.at[v] = place.channel + v < plan.channels ? plan.stored.convert<Y>(values[v]) : convertTo<Y>(0.0F);
        *reinterpret_cast<Pack<Y, kLanes>*>(y + first) = pack;
    });
}

// ---- on the host

/// The layout of the packed weights.
struct GroupedPacking {
    int64_t channels, taps, inPerGroup;
    size_t factorsAt, biasAt, shiftsAt, bytes;

    explicit GroupedPacking(std::span<Dims const> inputs)
        : channels((inputs[kWeights][0] + 15) / 16 * 16), taps(inputs[kWeights].volume(2, inputs[kWeights].rank())),
          inPerGroup(inputs[kWeights][1]), factorsAt(aligned(static_cast<size_t>(channels * taps * inPerGroup))),
          biasAt(factorsAt + row()), shiftsAt(biasAt + row()), bytes(shiftsAt + row()) {}

    size_t row() const { return aligned(static_cast<size_t>(channels) * sizeof(float)); }
    bool isDepthwise() const { return inPerGroup == 1; }
    /// The offset of a weight: [taps,channels] or [taps,words of a group,channels,4].
    int64_t placeOf(int64_t k, int64_t c, int64_t tap) const {
        if (isDepthwise()) return tap * channels + k;
        return ((tap * (inPerGroup / kWord) + c / kWord) * channels + k) * kWord + c % kWord;
    }
};

GroupedAxis axisOf(FixedSlide const& slide) {
    return {static_cast<int>(slide.in),       static_cast<int>(slide.size), static_cast<int>(slide.stride),
            static_cast<int>(slide.dilation), static_cast<int>(slide.pre),  static_cast<int>(slide.out)};
}

class RunGroupedInt8 final : public Executable {
public:
    RunGroupedInt8(PrepareArgs const& args, ConvolutionShape const& shape)
        : packing_(args.inputs), weights_(static_cast<int8_t const*>(args.packedData)), y_(args.variant.outputs[0]),
          plan_(planFor(args, shape)), epilogue_(args, shape.epilogue, 0) {
        counted(paddedVolume(args.inputs[kX], args.variant.inputs[kX].format));
        count_ = counted(paddedVolume(args.outputs[0], y_.format)) / lanes();
    }

    void run(Pointers const& pointers) override {
        dispatchKept(y_.type, [&]<class Y>(TypeTag<Y>) {
            kernelFor<Y>()<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<int8_t const*>(pointers.inputs[kX]), weights_, static_cast<Y*>(pointers.outputs[0]), count_,
                plan_, epilogue_.program(pointers));
        });
        checkLaunch("convolution of int8 in groups");
    }

private:
    int lanes() const { return packing_.isDepthwise() ? ChannelSums::kLanes : WordSums::kLanes; }

    GroupedPlan planFor(PrepareArgs const& args, ConvolutionShape const& shape) const {
        Label const& x = args.variant.inputs[kX];
        Dims const out = paddedDims(args.outputs[0], y_.format);
        GroupedPlan plan{.stored = Scales({DataType::Float32, {}, kCuda}, y_)};
        if (shape.slides.size() == 2) plan.height = axisOf(shape.slides[0]);
        plan.width = axisOf(shape.slides.back());
        plan.vectors = Divider(static_cast<uint32_t>(out[1] / lanes()));
        plan.columns = Divider(static_cast<uint32_t>(plan.width.out));
        plan.rows = Divider(static_cast<uint32_t>(plan.height.out));
        plan.channels = static_cast<int>(args.outputs[0][1]);
        plan.xChannels = static_cast<int>(padded(args.inputs[kX][1], x.format));
        plan.wChannels = static_cast<int>(packing_.channels);
        plan.inWords = static_cast<int>(packing_.inPerGroup / kWord);
        plan.outPerGroup = plan.channels / static_cast<int>(shape.groups);
        plan.zeros = static_cast<uint8_t>(x.zero) * 0x01010101U;
        auto const* const packed = static_cast<char const*>(args.packedData);
        plan.factors = reinterpret_cast<float const*>(packed + packing_.factorsAt);
        plan.bias = reinterpret_cast<float const*>(packed + packing_.biasAt);
        plan.shifts = reinterpret_cast<int32_t const*>(packed + packing_.shiftsAt);
        return plan;
    }

    template <class Y>
    using Function = void (*)(int8_t const*, int8_t const*, Y*, int64_t, GroupedPlan, EpilogueProgram);

    template <class Y> Function<Y> kernelFor() const {
        if (!packing_.isDepthwise()) return convolveGroups<WordSums, Y, 0>;
        bool const isSquare = plan_.height.size == plan_.width.size;
        if (isSquare && plan_.width.size == 3) return convolveGroups<ChannelSums, Y, 3>;
        if (isSquare && plan_.width.size == 5) return convolveGroups<ChannelSums, Y, 5>;
        return convolveGroups<ChannelSums, Y, 0>;
    }

    GroupedPacking packing_;
    int8_t const* weights_;
    Label y_;
    GroupedPlan plan_;
    EpilogueRun epilogue_;
    int64_t count_; // of threads' channels
};

std::string refusal(KernelQuery const& query, ConvolutionShape const& shape) {
    if (std::string why = int8Refusal(query, shape); !why.empty()) return why;
    int64_t const in = query.inputs[kX][1] / shape.groups;
    int64_t const out = query.outputs[0][1] / shape.groups;
    bool const areWords = in % kWord == 0 && out % kWord == 0;
    if (shape.groups == 1 || (!areWords && (in != 1 || out != 1)))
        return text("supports groups of one channel, or of a multiple of ", kWord, ", not ", shape.groups, " of ", in,
                    " to ", out);
    return EpilogueRun::refusal(shape.epilogue, query.inputs, query.outputs[0]);
}

Variant variantFor(KernelQuery const& query, ConvolutionShape const& shape, Label const& y) {
    Node const& node = query.node;
    Label const x = int8Label(*node.input(kX), int8FormatOf(query.inputs[kX], DataType::Int8));
    Variant variant = convolutionVariant(query, x, y);
    for (size_t i = ConvolutionShape::kFirstExtra; i < variant.inputs.size(); ++i)
        variant.inputs[i] = operandLabel(node, i, {DataType::Float32, y.format, kCuda});
    variant.compute = DataType::Int8;
    double const speed = (query.inputs[kWeights][1] == 1 ? 0.2 : 0.5) * costs().float32;
    auto const bytes = static_cast<double>(bytesOf(query.inputs[kX], x) + bytesOf(query.outputs[0], y));
    variant.cost = kernelCost(bytes, shape.operations(query.inputs, query.outputs), speed);
    return variant;
}

class GroupedInt8Convolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_grouped_int8_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        ConvolutionShape const shape(query.node, query.inputs);
        if (std::string why = refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
        Offer offer;
        for (Label const& y : int8ResultLabels(query)) offer.variants.push_back(variantFor(query, shape, y));
        return offer;
    }

    // W [K,C/groups,window…], bias [K] → words or bytes of W, factors, bias and shifts [K padded]
    Packed pack(PrepareArgs const& args) const override {
        GroupedPacking const packing(args.inputs);
        auto const memory = allocateHost(packing.bytes);
        auto* const bytes = static_cast<char*>(memory.get());
        std::memset(bytes, 0, packing.bytes);
        Int8Channels channels(args);
        int64_t element = 0;
        for (float const value : args.node.input(kWeights)->literal()->toFloat()) {
            int64_t const row = element / packing.taps;
            int64_t const k = row / packing.inPerGroup;
            int64_t const place = packing.placeOf(k, row % packing.inPerGroup, element++ % packing.taps);
            bytes[place] = static_cast<char>(channels.take(k, value));
        }
        for (size_t k = 0; k < channels.count(); ++k) {
            float const numbers[]{channels.factor(k), channels.bias(k)};
            auto const shift = static_cast<int32_t>(channels.shift(k));
            std::memcpy(bytes + packing.factorsAt + k * sizeof(float), &numbers[0], sizeof(float));
            std::memcpy(bytes + packing.biasAt + k * sizeof(float), &numbers[1], sizeof(float));
            std::memcpy(bytes + packing.shiftsAt + k * sizeof(int32_t), &shift, sizeof(int32_t));
        }
        return {packKey(args.variant),
                Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(packing.bytes)}, memory.get(), memory)};
    }
    std::string packKey(Variant const& variant) const override { return text("int8 groups ", variant.inputs[kX]); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        expectPacked(args, GroupedPacking(args.inputs).bytes);
        return std::make_unique<RunGroupedInt8>(args, ConvolutionShape(args.node, args.inputs));
    }
};

constexpr GroupedInt8Convolution kKernel;

} // namespace

Kernel const& groupedInt8Convolution() { return kKernel; }

} // namespace tenon::cuda
