// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fill/fill.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/host_lists.h"

namespace tenon::cuda {
namespace {

constexpr int kWide = 4; // elements of a thread: from one block of random words

/// The source of the parameters: device memory for inputs there, or else the host, with the launch.
struct Source {
    FillNumbers numbers;
    void const* alpha = nullptr;
    void const* beta = nullptr; // `rank` steps, or one number
    bool isAlphaOther = false;  // int64 if the result is int32, or vice versa
    bool isBetaOther = false;
    int rank = 0;
    int64_t extents[Dims::kMaxRank]{};
    int64_t count = 0;
};

template <class N> struct Numbers {
    N alpha;
    N steps[Dims::kMaxRank];
};

/// In the type of the network, `T`; integers as uint64_t, which wraps around.
template <class T> using Computed = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T> __device__ Computed<T> widened(T value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<uint64_t>(static_cast<int64_t>(value));
    else
        return static_cast<double>(toFloat(value));
}

/// Number `i` of an input, which is int64 for int32 and vice versa if it `isOther`.
template <class T> __device__ Computed<T> numberOf(void const* input, bool isOther, int i) {
    if constexpr (std::is_same_v<T, int32_t>) {
        if (isOther) return widened(static_cast<int64_t const*>(input)[i]);
    }
    if constexpr (std::is_same_v<T, int64_t>) {
        if (isOther) return widened(static_cast<int32_t const*>(input)[i]);
    }
    return widened(static_cast<T const*>(input)[i]);
}

template <class T> __device__ Numbers<Computed<T>> numbersOf(Source const& source) {
    Numbers<Computed<T>> numbers;
    if constexpr (std::is_integral_v<T>)
        numbers.alpha = static_cast<uint64_t>(source.numbers.alphaInteger);
    else
        numbers.alpha = source.numbers.alpha;
    if (source.alpha) numbers.alpha = numberOf<T>(source.alpha, source.isAlphaOther, 0);
    for (int axis = 0; axis < source.rank; ++axis) {
        if constexpr (std::is_integral_v<T>)
            numbers.steps[axis] = static_cast<uint64_t>(source.numbers.stepIntegers[axis]);
        else
            numbers.steps[axis] = source.numbers.steps[axis];
        if (source.beta) numbers.steps[axis] = numberOf<T>(source.beta, source.isBetaOther, axis);
    }
    return numbers;
}

template <class T> __device__ void storeFour(T const (&four)[kWide], int64_t block, int64_t count, T* y) {
    int64_t const first = kWide * block;
    bool const isAligned = reinterpret_cast<uintptr_t>(y) % sizeof(Pack<T, kWide>) == 0;
    if (isAligned && first + kWide <= count) {
        Pack<T, kWide> pack;
#pragma unroll
        for (int i = 0; i < kWide; ++i) pack.at[i] = four[i];
        reinterpret_cast<Pack<T, kWide>*>(y)[block] = pack;
        return;
    }
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
        if (first + i < count) y[first + i] = four[i];
    }
}

/// The element of Y, in the type of the computation.
template <class N> __device__ N elementAt(Source const& source, Numbers<N> const& numbers, int64_t i) {
    N sum = numbers.alpha;
    for (int axis = source.rank - 1; axis >= 0; --axis) {
        int64_t const extent = source.extents[axis];
        int64_t const rest = axis == 0 ? 0 : i / extent;
        sum += static_cast<N>(i - rest * extent) * numbers.steps[axis];
        i = rest;
    }
    return sum;
}

/// `T` is the type of the network, `Y` the one in which the result is stored.
template <class T, class Y> __global__ void fillEvenly(__grid_constant__ Source const source, Y* __restrict__ y) {
    auto const numbers = numbersOf<T>(source);
    forEachElement((source.count + kWide - 1) / kWide, [&](int64_t block) {
        Y four[kWide];
#pragma unroll
        for (int i = 0; i < kWide; ++i) {
            int64_t const at = min(kWide * block + i, source.count - 1);
            auto const element = elementAt(source, numbers, at);
            if constexpr (std::is_integral_v<Y>)
                four[i] = static_cast<Y>(element);
            else
                four[i] = convertTo<Y>(static_cast<float>(element));
        }
        storeFour(four, block, source.count, y);
    });
}

/// Like betweenOf(), without the fused instruction, which would round differently from the CPU.
__device__ float between(uint32_t word, double low, double high) {
    auto const y = static_cast<float>(__dadd_rn(low, __dmul_rn(static_cast<double>(unitOf(word)), high - low)));
    return y < static_cast<float>(high) ? y : static_cast<float>(low);
}

/// Like normalsOf().
__device__ void normals(uint32_t word0, uint32_t word1, float& first, float& second) {
    float const radius = sqrtf(-2 * logf(unitOf(word0) + 0x1p-24F));
    float sine = 0;
    float cosine = 0;
    sincospif(2 * unitOf(word1), &sine, &cosine);
    first = radius * cosine;
    second = radius * sine;
}

template <class T, class Y>
__global__ void fillRandomly(__grid_constant__ Source const source, RandomStream stream, uint32_t const* runs,
                             bool isNormal, Y* __restrict__ y) {
    auto const numbers = numbersOf<T>(source);
    if (runs) stream.run = *runs;
    forEachElement((source.count + kWide - 1) / kWide, [&](int64_t block) {
        auto const words = randomWords(stream, static_cast<uint64_t>(block));
        float reals[kWide];
        if (isNormal) {
            normals(words[0], words[1], reals[0], reals[1]);
            normals(words[2], words[3], reals[2], reals[3]);
        }
        Y four[kWide];
#pragma unroll
        for (int i = 0; i < kWide; ++i) {
            float const real = isNormal
                                   ? static_cast<float>(numbers.alpha) + static_cast<float>(numbers.steps[0]) * reals[i]
                                   : between(words[i], numbers.alpha, numbers.steps[0]);
            four[i] = convertTo<Y>(real);
        }
        storeFour(four, block, source.count, y);
    });
}

__global__ void countRun(uint32_t* runs) { ++*runs; }

class Filling final : public Executable {
public:
    explicit Filling(PrepareArgs const& args)
        : layer_(*as<Fill>(*args.node.layer)), type_(args.variant.outputs[0].type), lists_(args.node, args.inputs) {
        Dims const& y = args.outputs[0];
        source_.count = y.volume();
        source_.rank = layer_.isRandom() ? 1 : y.rank();
        for (int axis = 0; axis < y.rank(); ++axis) source_.extents[axis] = y[axis];
        source_.isAlphaOther = isOther(args.node, Fill::kAlpha);
        source_.isBetaOther = isOther(args.node, Fill::kBeta);
        if (!layer_.isRandom()) return;
        stream_ = layer_.nextStream();
        if (layer_.varies()) startCounting();
    }

    void run(Pointers const& pointers) override {
        if (source_.count == 0) return;
        lists_.update(pointers);
        source_.numbers = fillNumbersOf(layer_, lists_.tensors(), source_.rank);
        source_.alpha = onDevice(pointers, Fill::kAlpha);
        source_.beta = onDevice(pointers, Fill::kBeta);
        dispatchElement(layer_.type, [&]<class T>(TypeTag<T>) {
            if constexpr (std::is_integral_v<T>)
                fill<T, T>(pointers);
            else
                dispatchFloat(type_, [&]<class Y>(TypeTag<Y>) { fill<T, Y>(pointers); });
        });
    }

private:
    /// Replays of recorded runs skip this code, so the device itself counts them.
    void startCounting() {
        runs_ = backend().allocate(sizeof(uint32_t));
        uint32_t const none = 0;
        backend().copy(runs_.get(), &none, sizeof(none), nullptr);
        backend().synchronize(nullptr);
    }

    bool isOther(Node const& node, int input) const {
        return node.input(input) && node.input(input)->type != layer_.type;
    }

    /// An input that is not in host memory.
    void const* onDevice(Pointers const& pointers, size_t input) const {
        bool const isThere = input < lists_.tensors().size() && !layer_.readsValuesOf(static_cast<int>(input));
        return isThere ? pointers.inputs[input] : nullptr;
    }

    template <class T, class Y> void fill(Pointers const& pointers) {
        cudaStream_t const stream = streamOf(pointers.stream);
        auto* y = static_cast<Y*>(pointers.outputs[0]);
        unsigned const blocks = blocksFor((source_.count + kWide - 1) / kWide);
        if (!layer_.isRandom()) {
            fillEvenly<T, Y><<<blocks, kThreads, 0, stream>>>(source_, y);
            return checkLaunch("fill");
        }
        if constexpr (!std::is_integral_v<T>) {
            auto* runs = static_cast<uint32_t*>(runs_.get());
            bool const isNormal = layer_.operation == Fill::Operation::RandomNormal;
            fillRandomly<T, Y><<<blocks, kThreads, 0, stream>>>(source_, stream_, runs, isNormal, y);
            if (runs) countRun<<<1, 1, 0, stream>>>(runs);
            checkLaunch("random numbers");
        }
    }

    Fill const& layer_; // owned by the engine's graph
    DataType type_;
    HostLists lists_;
    Source source_;
    RandomStream stream_;
    std::shared_ptr<void> runs_; // a uint32_t on the device
};

class CudaFill final : public Kernel {
public:
    std::string_view name() const override { return "cuda_fill"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        return offerMoving(query, {.writes = 1, .keepsInputs = true});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Filling>(args);
    }
};

constexpr CudaFill kFill;
constexpr Kernel const* kKernels[]{&kFill};

} // namespace

KernelList fillKernels() { return {Fill::kKind, kKernels}; }

} // namespace tenon::cuda
