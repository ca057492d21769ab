// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

constexpr int kBlock = 128;         // threads
constexpr int64_t kMostSize = 1024; // elements of a head of Q and K

/// The launch arguments of the kernel. Elements of type T, except states and decays.
template <class T> struct LinearArguments {
    T const* query;
    T const* key;
    T const* value;
    T const* beta;      // null: none
    float const* decay; // factors; null: none
    void const* before; // states; null: zeros
    T* result;
    void* after;
    DataType stateType;
    int64_t states;
    int steps, heads, keyHeads, sharing, size, valueSize, decaySize, betaHeads;
    float scale;
};

__device__ float loadState(void const* states, DataType type, int64_t at) {
    if (type == DataType::Float16) return toFloat(static_cast<__half const*>(states)[at]);
    if (type == DataType::BFloat16) return toFloat(static_cast<__nv_bfloat16 const*>(states)[at]);
    return static_cast<float const*>(states)[at];
}

__device__ void storeState(void* states, DataType type, int64_t at, float value) {
    if (type == DataType::Float16)
        static_cast<__half*>(states)[at] = convertTo<__half>(value);
    else if (type == DataType::BFloat16)
        static_cast<__nv_bfloat16*>(states)[at] = convertTo<__nv_bfloat16>(value);
    else
        static_cast<float*>(states)[at] = value;
}

/// One column of a state, in the registers of `lanes` adjacent threads: lane l has rows l, l + lanes, …
template <int each, int lanes> struct Column {
    float rows[each];
    int lane, size;

    template <class Body> __device__ void forEach(Body body) {
#pragma unroll
        for (int i = 0; i < each; ++i) {
            int const d = lane + i * lanes;
            if (d < size) body(rows[i], d);
        }
    }
    /// The sum of rows times x.
    template <class T> __device__ float times(T const* x) {
        float sum = 0;
        forEach([&](float row, int d) { sum += row * toFloat(x[d]); });
        for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(~0U, sum, step);
        return sum;
    }
};

/// Q [N,T,H·D], K [N,T,H'·D], V [N,T,H'·E] → Y [N,T,H·E], states [N,H',D,E]; D up to each · lanes. Some lanes process
/// one column of a state through all steps; adjacent columns, of one head, read the same keys and queries.
template <class T, int each, int lanes>
__global__ void __launch_bounds__(kBlock) linearAttention(LinearArguments<T> const a) {
    constexpr int kColumns = kBlock / lanes;
    int const parts = (a.valueSize + kColumns - 1) / kColumns;
    int64_t const state = blockIdx.x / parts;
    int const column = static_cast<int>(blockIdx.x % parts) * kColumns + static_cast<int>(threadIdx.x) / lanes;
    bool const isThere = column < a.valueSize; // the others continue, because of the warp shuffles
    int const e = isThere ? column : 0;
    int const head = static_cast<int>(state % a.keyHeads);
    int64_t const place = state * a.size * a.valueSize + e;
    Column<each, lanes> s{{}, static_cast<int>(threadIdx.x) % lanes, a.size};
    if (a.before != nullptr)
        s.forEach([&](float& row, int d) { row = loadState(a.before, a.stateType, place + int64_t{d} * a.valueSize); });
    for (int t = 0; t < a.steps; ++t) {
        int64_t const step = state / a.keyHeads * a.steps + t;
        int64_t const ofHead = step * a.keyHeads + head;
        T const* const key = a.key + ofHead * a.size;
        float value = toFloat(a.value[ofHead * a.valueSize + e]);
        if (a.decay != nullptr) {
            float const* const decay = a.decay + ofHead * a.decaySize;
            s.forEach([&](float& row, int d) { row *= decay[a.decaySize == 1 ? 0 : d]; });
        }
        if (a.beta != nullptr)
            value = toFloat(a.beta[step * a.betaHeads + head % a.betaHeads]) * (value - s.times(key));
        s.forEach([&](float& row, int d) { row += value * toFloat(key[d]); });
        int64_t const query = step * a.heads + int64_t{head} * a.sharing;
        for (int shared = 0; shared < a.sharing; ++shared) {
            float const sum = s.times(a.query + (query + shared) * a.size);
            if (isThere && s.lane == 0) a.result[(query + shared) * a.valueSize + e] = convertTo<T>(sum * a.scale);
        }
    }
    if (isThere)
        s.forEach([&](float row, int d) { storeState(a.after, a.stateType, place + int64_t{d} * a.valueSize, row); });
}

template <class T> void launchFactors(T const* decay, float* factors, int64_t count, cudaStream_t stream) {
    launchForEach(count, stream, "linear attention",
                  [=] __device__(int64_t i) { factors[i] = expf(toFloat(decay[i])); });
}

class RunLinearAttention final : public Executable {
public:
    explicit RunLinearAttention(PrepareArgs const& args)
        : p_(problemOf(*as<LinearAttention>(*args.node.layer), args.inputs)), type_(args.variant.inputs[0].type),
          stateType_(args.variant.outputs[LinearAttention::kLastState].type),
          hasState_(args.node.input(LinearAttention::kState) != nullptr) {
        counted(p_.states() * p_.valueSize, "columns of states"); // the maximum number of blocks of the grid
        for (int64_t const extent : {p_.steps, p_.heads, p_.size, p_.decaySize})
            countedExtent(extent, "steps, heads or elements of one");
    }

    size_t workspaceBytes() const override { return sizeof(float) * static_cast<size_t>(decays()); }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            auto const input = [&](bool isThere, LinearAttention::Input i) {
                return isThere ? static_cast<T const*>(pointers.inputs[i]) : nullptr;
            };
            auto* const factors = static_cast<float*>(pointers.workspace);
            T const* const decay = input(p_.decaySize != 0, LinearAttention::kDecay);
            if (decay != nullptr) launchFactors(decay, factors, decays(), streamOf(pointers.stream));
            launch<T>({input(true, LinearAttention::kQuery), input(true, LinearAttention::kKey),
                       input(true, LinearAttention::kValue), input(p_.betaHeads != 0, LinearAttention::kBeta),
                       p_.decaySize != 0 ? factors : nullptr,
                       hasState_ ? pointers.inputs[LinearAttention::kState] : nullptr,
                       static_cast<T*>(pointers.outputs[0]), pointers.outputs[1], stateType_, p_.states(),
                       static_cast<int>(p_.steps), static_cast<int>(p_.heads), static_cast<int>(p_.keyHeads),
                       static_cast<int>(p_.sharing()), static_cast<int>(p_.size), static_cast<int>(p_.valueSize),
                       static_cast<int>(p_.decaySize), static_cast<int>(p_.betaHeads), static_cast<float>(p_.scale)},
                      streamOf(pointers.stream));
        });
        checkLaunch("linear attention");
    }

private:
    int64_t decays() const { return p_.batch * p_.steps * p_.keyHeads * p_.decaySize; }

    template <class T> static void launch(LinearArguments<T> const& a, cudaStream_t stream) {
        if (a.size <= 32) return launch<T, 4, 8>(a, stream);
        if (a.size <= 64) return launch<T, 8, 8>(a, stream);
        if (a.size <= 128) return launch<T, 16, 8>(a, stream);
        if (a.size <= 256) return launch<T, 8, 32>(a, stream);
        launch<T, kMostSize / 32, 32>(a, stream);
    }

    template <class T, int each, int lanes> static void launch(LinearArguments<T> const& a, cudaStream_t stream) {
        constexpr int kColumns = kBlock / lanes;
        int64_t const blocks = a.states * ((a.valueSize + kColumns - 1) / kColumns);
        if (blocks == 0) return;
        linearAttention<T, each, lanes><<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(a);
    }

    LinearAttentionProblem p_;
    DataType type_, stateType_;
    bool hasState_;
};

class CudaLinearAttention final : public Kernel {
public:
    std::string_view name() const override { return "cuda_linear_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        auto const p = problemOf(*as<LinearAttention>(*query.node.layer), query.inputs);
        if (p.size > kMostSize)
            return Offer::refuse(text("supports heads of up to ", kMostSize, " elements, not ", p.size));
        DataType const own = query.node.input(0)->type;
        return offerFloats(query, [&](DataType type, Offer& offer) {
            constexpr double kShare = 0.1; // of the peak: steps wait for each other
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {2, label}};
            DataType const states = query.node.outputs()[LinearAttention::kLastState]->type;
            if (states != own) {
                variant.outputs[LinearAttention::kLastState].type = states;
                variant.inputs[LinearAttention::kState].type = states;
            }
            double bytes = 0;
            for (size_t i = 0; i < query.inputs.size(); ++i)
                bytes += static_cast<double>(bytesOf(query.inputs[i], variant.inputs[i]));
            variant.cost = kernelCost(bytes, p.operations(), kShare * costs().float32);
            offer.variants.push_back(variant);
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunLinearAttention>(args);
    }
};

constexpr CudaLinearAttention kLinear;
constexpr Kernel const* kKernels[]{&kLinear};

} // namespace

KernelList linearAttentionKernels() { return {LinearAttention::kKind, kKernels}; }

} // namespace tenon::cuda
