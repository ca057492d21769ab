// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/depthwise_cuda.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/pointwise_step.cuh"
#include "backends/packed.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/cudnn_convolution_cuda.h"

namespace tenon::cuda {
namespace {

struct DepthwiseAxis {
    int in = 1, size = 1, stride = 1, dilation = 1, pre = 0, out = 1;
};

struct DepthwisePlan {
    DepthwiseAxis height, width;
    Divider vectors; // of channels
    Divider tiles;   // of outputs along a row
    Divider rows;    // of outputs
    EpilogueProgram::Step activation;
    bool activates = false;
};

/// The output of a thread: `tile` positions along a row of one vector of channels.
struct DepthwisePlace {
    uint32_t channel, x, y, n;

    __device__ DepthwisePlace(uint32_t i, int lanes, int tile, DepthwisePlan const& plan) {
        uint32_t const vector = plan.vectors.divide(i);
        channel = (i - vector * plan.vectors.divisor()) * lanes;
        uint32_t const row = plan.tiles.divide(vector);
        x = (vector - row * plan.tiles.divisor()) * tile;
        n = plan.rows.divide(row);
        y = row - n * plan.rows.divisor();
    }
};

bool isActivation(EpilogueStep const& step) {
    using enum PointwiseOp;
    return step.op == Relu || step.op == LeakyRelu || step.op == Clip || step.op == HardSwish ||
           step.op == HardSigmoid || step.op == Swish || step.op == Sigmoid;
}

template <PointwiseOp op, int lanes>
__device__ __forceinline__ void applyActivation(EpilogueProgram::Step const& step, float (&values)[lanes]) {
#pragma unroll
    for (int v = 0; v < lanes; ++v) values[v] = computeStep(op, values[v], 0, step.alpha, step.beta);
}

template <int lanes>
__device__ __forceinline__ void activate(EpilogueProgram::Step const& step, float (&values)[lanes]) {
    using enum PointwiseOp;
    switch (step.op) {
    case Relu: return applyActivation<Relu>(step, values);
    case LeakyRelu: return applyActivation<LeakyRelu>(step, values);
    case Clip: return applyActivation<Clip>(step, values);
    case HardSwish: return applyActivation<HardSwish>(step, values);
    case HardSigmoid: return applyActivation<HardSigmoid>(step, values);
    case Swish: return applyActivation<Swish>(step, values);
    case Sigmoid: return applyActivation<Sigmoid>(step, values);
    default: return; // isActivation() is true for the cases above only
    }
}

template <class T, int lanes>
__device__ __forceinline__ void store(T* y, float (&sums)[lanes], DepthwisePlan const& plan) {
    if (plan.activates) activate(plan.activation, sums);
    Pack<T, lanes> pack;
#pragma unroll
    for (int v = 0; v < lanes; ++v) pack.at[v] = convertTo<T>(sums[v]);
    *reinterpret_cast<Pack<T, lanes>*>(y) = pack;
}

template <class T, int lanes> __device__ __forceinline__ void load(T const* from, float (&to)[lanes]) {
    auto const pack = *reinterpret_cast<Pack<T, lanes> const*>(from);
#pragma unroll
    for (int v = 0; v < lanes; ++v) to[v] = toFloat(pack.at[v]);
}

/// `tile` positions along a row for which one row of the window and of X is in registers.
template <class T, int lanes, int size, int tile>
__device__ __forceinline__ void addRow(Pack<T, lanes> const (&in)[tile + size - 1],
                                       Pack<T, lanes> const (&factors)[size], float (&sums)[tile][lanes]) {
#pragma unroll
    for (int t = 0; t < tile; ++t) {
#pragma unroll
        for (int s = 0; s < size; ++s) {
#pragma unroll
            for (int v = 0; v < lanes; ++v) sums[t][v] += toFloat(in[t + s].at[v]) * toFloat(factors[s].at[v]);
        }
    }
}

/// X [N,H,W,C], W [size,size,C], bias [C] → Y [N,H',W',C]. A thread computes `tile` adjacent positions along a row,
/// with stride 1 if there are several, so that common elements of X are read once. Reads are branch-free: all of a row
/// are in flight at once.
template <class T, int lanes, int size, int tile>
__global__ void depthwise(T const* x, T const* w, T const* bias, T* y, int64_t count,
                          __grid_constant__ DepthwisePlan const plan) {
    constexpr int kColumns = tile - 1 + size;
    constexpr int kRowsAtOnce = tile == 1 ? size : 1;
    int const channels = static_cast<int>(plan.vectors.divisor()) * lanes;
    forEachElement(count, [&](int64_t i) {
        DepthwisePlace const place(static_cast<uint32_t>(i), lanes, tile, plan);
        int const top = static_cast<int>(place.y) * plan.height.stride - plan.height.pre;
        int const left = static_cast<int>(place.x) * plan.width.stride - plan.width.pre;
        float sums[tile][lanes] = {};
        if (bias) {
#pragma unroll
            for (int t = 0; t < tile; ++t) load(bias + place.channel, sums[t]);
        }
        T const* const image = x + int64_t{place.n} * plan.height.in * plan.width.in * channels + place.channel;
#pragma unroll kRowsAtOnce
        for (int r = 0; r < size; ++r) {
            int const row = top + r * plan.height.dilation;
            bool const isInside = row >= 0 && row < plan.height.in;
            Pack<T, lanes> in[kColumns];
            Pack<T, lanes> factors[size];
#pragma unroll
            for (int j = 0; j < kColumns; ++j) {
                int const column = left + j;
                auto const* const at = image + (int64_t{row} * plan.width.in + column) * channels;
                in[j] = Pack<T, lanes>{};
                if (isInside && column >= 0 && column < plan.width.in)
                    in[j] = *reinterpret_cast<Pack<T, lanes> const*>(at);
            }
#pragma unroll
            for (int s = 0; s < size; ++s)
                factors[s] = *reinterpret_cast<Pack<T, lanes> const*>(w + (r * size + s) * channels + place.channel);
            addRow<T, lanes, size, tile>(in, factors, sums);
        }
        int64_t const pixel = (int64_t{place.n} * plan.height.out + place.y) * plan.width.out + place.x;
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            if (static_cast<int>(place.x) + t < plan.width.out)
                store(y + (pixel + t) * channels + place.channel, sums[t], plan);
        }
    });
}

/// The same with any window, one position per thread.
template <class T, int lanes>
__global__ void depthwiseAnyWindow(T const* x, T const* w, T const* bias, T* y, int64_t count,
                                   __grid_constant__ DepthwisePlan const plan) {
    int const channels = static_cast<int>(plan.vectors.divisor()) * lanes;
    forEachElement(count, [&](int64_t i) {
        DepthwisePlace const place(static_cast<uint32_t>(i), lanes, 1, plan);
        float sums[lanes] = {};
        if (bias) load(bias + place.channel, sums);
        for (int r = 0; r < plan.height.size; ++r) {
            int const row = static_cast<int>(place.y) * plan.height.stride - plan.height.pre + r * plan.height.dilation;
            if (row < 0 || row >= plan.height.in) continue;
            for (int s = 0; s < plan.width.size; ++s) {
                int const column =
                    static_cast<int>(place.x) * plan.width.stride - plan.width.pre + s * plan.width.dilation;
                if (column < 0 || column >= plan.width.in) continue;
                float in[lanes];
                float factors[lanes];
                int64_t const pixel = (int64_t{place.n} * plan.height.in + row) * plan.width.in + column;
                load(x + pixel * channels + place.channel, in);
                load(w + (r * plan.width.size + s) * channels + place.channel, factors);
#pragma unroll
                for (int v = 0; v < lanes; ++v) sums[v] += in[v] * factors[v];
            }
        }
        int64_t const pixel = (int64_t{place.n} * plan.height.out + place.y) * plan.width.out + place.x;
        store(y + pixel * channels + place.channel, sums, plan);
    });
}

constexpr int kTogether = 8; // channels

template <class T> constexpr int kLanes = 16 / sizeof(T);

Format formatOf(Dims const& x) { return x[1] % kTogether == 0 ? Format::nhwc() : Format::nhwc(kTogether); }

int64_t paddedChannels(Dims const& x) { return (x[1] + kTogether - 1) / kTogether * kTogether; }

std::vector<FixedSlide> slidesOf(Node const& node, std::span<Dims const> inputs) {
    return tenon::slidesOf(*as<Convolution>(*node.layer), inputs[0], inputs[1]);
}

DepthwiseAxis axisOf(FixedSlide const& slide) {
    return {static_cast<int>(slide.in),       static_cast<int>(slide.size), static_cast<int>(slide.stride),
            static_cast<int>(slide.dilation), static_cast<int>(slide.pre),  static_cast<int>(slide.out)};
}

class RunDepthwise final : public Executable {
public:
    RunDepthwise(PrepareArgs const& args, size_t fused)
        : type_(args.variant.inputs[0].type), packed_(static_cast<char const*>(args.packedData)),
          epilogue_(args, as<Convolution>(*args.node.layer)->epilogue, fused) {
        for (Dims const* dims : {&args.inputs[0], &args.outputs[0]}) counted(paddedVolume(*dims, formatOf(*dims)));
        std::vector<FixedSlide> const slides = slidesOf(args.node, args.inputs);
        if (slides.size() == 2) plan_.height = axisOf(slides[0]);
        plan_.width = axisOf(slides.back());
        plan_.activates = fused != 0;
        if (fused != 0) {
            EpilogueStep const& step = as<Convolution>(*args.node.layer)->epilogue[0];
            plan_.activation = {step.op, -1, static_cast<float>(step.alpha), static_cast<float>(step.beta)};
        }
        int64_t const channels = paddedChannels(args.inputs[0]);
        int const lanes = 16 * 8 / bitsOf(type_);
        int64_t const places = args.inputs[0][0] * plan_.height.out * plan_.width.out * (channels / lanes);
        tile_ = tileFor(places);
        int const tiles = (plan_.width.out + tile_ - 1) / tile_;
        plan_.vectors = Divider(static_cast<uint32_t>(channels / lanes));
        plan_.tiles = Divider(static_cast<uint32_t>(tiles));
        plan_.rows = Divider(static_cast<uint32_t>(plan_.height.out));
        count_ = places / plan_.width.out * tiles;
        biasAt_ = biasOffset(args);
        hasBias_ = args.node.input(Convolution::kBias) != nullptr;
    }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            auto const* x = static_cast<T const*>(pointers.inputs[0]);
            auto const* w = reinterpret_cast<T const*>(packed_);
            auto const* bias = hasBias_ ? reinterpret_cast<T const*>(packed_ + biasAt_) : nullptr;
            auto* y = static_cast<T*>(pointers.outputs[0]);
            unsigned const blocks = blocksFor(count_, kThreadsOfBlock);
            kernelFor<T>()<<<blocks, kThreadsOfBlock, 0, streamOf(pointers.stream)>>>(x, w, bias, y, count_, plan_);
        });
        checkLaunch("depthwise convolution");
        epilogue_.launch(pointers);
    }

    static size_t biasOffset(PrepareArgs const& args) { // after weights that fill multiples of 16 bytes
        Dims const& w = args.inputs[1];
        return bytesOf(args.variant.inputs[0].type, paddedChannels(args.inputs[0]) * w.volume(2, w.rank()));
    }

    static size_t packedBytes(PrepareArgs const& args) {
        return biasOffset(args) + bytesOf(args.variant.inputs[0].type, paddedChannels(args.inputs[0]));
    }

private:
    static constexpr int kTile = 4;
    static constexpr int kThreadsOfBlock = 128; // few, so that small images use all multiprocessors

    bool isFixedSize() const {
        DepthwiseAxis const& width = plan_.width;
        return plan_.height.size == width.size && width.dilation == 1 && (width.size == 3 || width.size == 5);
    }

    /// Tiles only if there are enough of them to keep the GPU busy.
    int tileFor(int64_t places) const {
        int64_t const busy = int64_t{properties().multiProcessorCount} * properties().maxThreadsPerMultiProcessor / 2;
        return isFixedSize() && plan_.width.stride == 1 && places >= busy * kTile ? kTile : 1;
    }

    template <class T> using Function = void (*)(T const*, T const*, T const*, T*, int64_t, DepthwisePlan);

    template <class T> Function<T> kernelFor() const {
        constexpr int lanes = kLanes<T>;
        if (!isFixedSize()) return depthwiseAnyWindow<T, lanes>;
        if (plan_.width.size == 3) return tile_ == 1 ? depthwise<T, lanes, 3, 1> : depthwise<T, lanes, 3, kTile>;
        return tile_ == 1 ? depthwise<T, lanes, 5, 1> : depthwise<T, lanes, 5, kTile>;
    }

    DepthwisePlan plan_;
    DataType type_;
    char const* packed_;
    EpilogueRun epilogue_;
    bool hasBias_ = false;
    int tile_ = 1;
    int64_t count_ = 0; // of threads' tiles
    size_t biasAt_ = 0;
};

/// Steps that the kernel itself computes: a leading activation, unless it would make the padding nonzero.
size_t fusedSteps(Node const& node, Dims const& x) {
    auto const& steps = as<Convolution>(*node.layer)->epilogue;
    if (steps.empty() || !isActivation(steps[0])) return 0;
    return keepsZero(steps[0]) || paddedChannels(x) == x[1] ? 1 : 0;
}

std::string refusal(KernelQuery const& query) {
    ConvolutionShape const shape(query.node, query.inputs);
    if (shape.backwards) return "does not support deconvolutions";
    Dims const& x = query.inputs[0];
    if (x.rank() > 4) return text("supports 1 or 2 spatial axes, not ", x.rank() - 2);
    if (shape.groups != x[1] || query.outputs[0][1] != x[1] || x[1] == 1)
        return text("supports one channel per group, not ", x[1], " to ", query.outputs[0][1], " in ", shape.groups);
    if (x.volume() == 0 || query.outputs[0].volume() == 0) return "does not support empty tensors";
    auto const isConstant = [&](int i) { return !query.node.input(i) || query.node.input(i)->literal(); };
    if (!isConstant(1) || !isConstant(Convolution::kBias)) return "requires constant weights";
    if (std::max(paddedVolume(x, formatOf(x)), paddedVolume(query.outputs[0], formatOf(x))) >= int64_t{1} << 31)
        return "supports tensors of fewer than 2^31 elements";
    return {};
}

class CudaDepthwise final : public Kernel {
public:
    std::string_view name() const override { return "cuda_depthwise_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        if (std::string why = refusal(query); !why.empty()) return Offer::refuse(std::move(why));
        double const speed = 0.22 * costs().float32;
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, formatOf(query.inputs[0]), kCuda};
            Variant variant = convolutionVariant(query, label, label);
            auto const out = static_cast<double>(bytesOf(query.outputs[0], label));
            auto const bytes = static_cast<double>(bytesOf(query.inputs[0], label)) + out;
            double const taps = static_cast<double>(query.inputs[1].volume(2, query.inputs[1].rank()));
            double const operations = 2 * taps * static_cast<double>(query.outputs[0].volume());
            variant.cost = kernelCost(bytes, operations, speed);
            size_t const steps = as<Convolution>(*query.node.layer)->epilogue.size();
            if (fusedSteps(query.node, query.inputs[0]) != steps) variant.cost += kernelCost(2 * out);
            offer.variants.push_back(std::move(variant));
        });
    }

    std::string packKey(Variant const& variant) const override { return text("depthwise ", variant.inputs[0]); }

    // W [C,1,window…], bias [C] → [window…,C padded], [C padded]
    Packed pack(PrepareArgs const& args) const override {
        Dims const& w = args.inputs[1];
        Dims strides = rowMajorStrides(w);
        for (int axis = 2; axis < w.rank(); ++axis) strides[axis] *= paddedChannels(args.inputs[0]);
        strides[0] = 1;
        StridedWeights weights(args.variant.inputs[0].type);
        weights.add(*args.node.input(1)->literal(), strides);
        if (Tensor const* const bias = args.node.input(Convolution::kBias))
            weights.addDense(*bias->literal(), RunDepthwise::biasOffset(args));
        return std::move(weights).finish(packKey(args.variant), RunDepthwise::packedBytes(args));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        expectPacked(args, RunDepthwise::packedBytes(args));
        return std::make_unique<RunDepthwise>(args, fusedSteps(args.node, args.inputs[0]));
    }
};

constexpr CudaDepthwise kDepthwise;

} // namespace

Kernel const& depthwiseConvolution() { return kDepthwise; }

} // namespace tenon::cuda
