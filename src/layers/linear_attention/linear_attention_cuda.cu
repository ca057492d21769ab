// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

using enum LinearAttention::Input;

constexpr int kColumns = 64; // of the memory that a block takes

template <class T, class S> struct Tensors {
    T const *query, *key, *value, *decay, *beta;
    S const* past; // null: zeros
    T* y;
    S* present;
    float* states; // [N,H,K,V], in the workspace
};

/// A block takes some columns of the memory of one head, a thread one of them, through all tokens. Threads share the
/// token's key, decay and queries; nobody else reads their column.
template <class T, class S>
__global__ void recur(__grid_constant__ Tensors<T, S> const at, __grid_constant__ Recurrence const of) {
    extern __shared__ float shared[];
    int const size = static_cast<int>(of.keySize);
    int const group = static_cast<int>(of.group);
    float* const key = shared;
    float* const factor = shared + size;
    float* const query = shared + 2 * size;
    int const thread = static_cast<int>(threadIdx.x);
    int64_t const number = blockIdx.x; // (n, head)
    int64_t const n = number / of.heads;
    int64_t const head = number % of.heads;
    int64_t const column = int64_t{blockIdx.y} * kColumns + thread;
    bool const mine = column < of.valueSize;
    int64_t const first = number * of.keySize * of.valueSize + column;
    float* const state = at.states + first;
    for (int i = 0; mine && i < size; ++i)
        state[i * of.valueSize] = at.past == nullptr ? 0 : toFloat(at.past[first + i * of.valueSize]);
    for (int64_t token = n * of.tokens; token < (n + 1) * of.tokens; ++token) {
        int64_t const row = token * of.heads + head;
        __syncthreads();
        for (int i = thread; i < size; i += kColumns) {
            key[i] = toFloat(at.key[row * size + i]);
            int64_t const place = of.decayWidth == of.heads ? head : head * size + i;
            factor[i] = of.decayWidth == 0 ? 1 : expf(toFloat(at.decay[token * of.decayWidth + place]));
        }
        for (int i = thread; i < group * size; i += kColumns) query[i] = toFloat(at.query[row * group * size + i]);
        __syncthreads();
        if (!mine) continue;
        float value = toFloat(at.value[row * of.valueSize + column]);
        if (of.corrects) {
            float known = 0;
            for (int i = 0; i < size; ++i) known += state[i * of.valueSize] * factor[i] * key[i];
            value = toFloat(at.beta[token * of.betaWidth + (of.betaWidth == 1 ? 0 : head)]) * (value - known);
        }
        float sum = 0;
        for (int i = 0; i < size; ++i) {
            float const updated = state[i * of.valueSize] * factor[i] + key[i] * value;
            state[i * of.valueSize] = updated;
            sum += query[i] * updated;
        }
        T* const y = at.y + row * group * of.valueSize + column;
        *y = convertTo<T>(of.scale * sum);
        for (int member = 1; member < group; ++member) {
            sum = 0;
            for (int i = 0; i < size; ++i) sum += query[member * size + i] * state[i * of.valueSize];
            y[member * of.valueSize] = convertTo<T>(of.scale * sum);
        }
    }
    for (int i = 0; mine && i < size; ++i) at.present[first + i * of.valueSize] = convertTo<S>(state[i * of.valueSize]);
}

size_t sharedBytes(Recurrence const& of) { return static_cast<size_t>((2 + of.group) * of.keySize) * sizeof(float); }

class RunLinearAttention final : public Executable {
public:
    explicit RunLinearAttention(PrepareArgs const& args)
        : of_(*as<LinearAttention>(*args.node.layer), args.inputs), type_(args.variant.inputs[0].type),
          stateType_(args.variant.outputs[1].type), hasPast_(args.node.input(kPast) != nullptr) {}

    size_t workspaceBytes() const override {
        return static_cast<size_t>(of_.batch * of_.heads * of_.stateSize()) * sizeof(float);
    }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(stateType_, [&]<class S>(TypeTag<S>) { launch<T, S>(pointers); });
        });
        checkLaunch("linear attention");
    }

private:
    template <class T, class S> void launch(Pointers const& pointers) {
        auto const input = [&](int i, bool there) {
            return there ? static_cast<T const*>(pointers.inputs[i]) : nullptr;
        };
        Tensors<T, S> const tensors{input(kQuery, true),
                                    input(kKey, true),
                                    input(kValue, true),
                                    input(kDecay, of_.decayWidth != 0),
                                    input(kBeta, of_.betaWidth != 0),
                                    hasPast_ ? static_cast<S const*>(pointers.inputs[kPast]) : nullptr,
                                    static_cast<T*>(pointers.outputs[0]),
                                    static_cast<S*>(pointers.outputs[1]),
                                    static_cast<float*>(pointers.workspace)};
        dim3 const grid(static_cast<unsigned>(of_.batch * of_.heads),
                        static_cast<unsigned>((of_.valueSize + kColumns - 1) / kColumns));
        if (grid.x == 0 || grid.y == 0) return;
        recur<T, S><<<grid, kColumns, sharedBytes(of_), streamOf(pointers.stream)>>>(tensors, of_);
    }

    Recurrence of_;
    DataType type_;
    DataType stateType_;
    bool hasPast_;
};

class CudaLinearAttention final : public Kernel {
public:
    std::string_view name() const override { return "cuda_linear_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        constexpr size_t kShared = size_t{48} * 1024; // bytes that a block has without asking for more
        Recurrence const of(*as<LinearAttention>(*query.node.layer), query.inputs);
        if (sharedBytes(of) > kShared || of.valueSize > int64_t{kColumns} * 65535)
            return Offer::refuse(text("takes keys of up to ",
                                      kShared / sizeof(float) / static_cast<size_t>(2 + of.group), " numbers, not ",
                                      of.keySize));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            Label const state{query.node.output(1)->type, Format::linear(), kCuda};
            Variant variant{.inputs = std::vector<Label>(query.inputs.size(), label), .outputs = {label, state}};
            if (variant.inputs.size() > kPast) variant.inputs[kPast] = state;
            auto const steps = static_cast<double>(of.tokens * of.stateSize() * of.batch * of.heads);
            variant.cost = kernelCost(4 * steps);
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunLinearAttention>(args);
    }
};

constexpr CudaLinearAttention kLinearAttention;
constexpr Kernel const* kKernels[]{&kLinearAttention};

} // namespace

KernelList linearAttentionKernels() { return {LinearAttention::kKind, kKernels}; }

} // namespace tenon::cuda
