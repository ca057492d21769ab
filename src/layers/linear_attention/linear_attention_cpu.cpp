// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"

#include <algorithm>
#include <cmath>

namespace tenon::cpu {
namespace {

using enum LinearAttention::Input;

/// y += a · x, and y *= a
void addTo(float* __restrict y, float a, float const* __restrict x, int64_t count) {
    for (int64_t j = 0; j < count; ++j) y[j] += a * x[j];
}
void multiply(float* y, float a, int64_t count) {
    for (int64_t j = 0; j < count; ++j) y[j] *= a;
}

/// The memory of each head lies in the workspace, in float32, with two rows of numbers behind it. A thread takes a
/// head.
class Recurring final : public Executable {
public:
    explicit Recurring(PrepareArgs const& args)
        : of_(*as<LinearAttention>(*args.node.layer), args.inputs), type_(args.variant.inputs[0].type),
          stateType_(args.variant.outputs[1].type), hasPast_(args.node.input(kPast) != nullptr) {}

    size_t workspaceBytes() const override {
        return static_cast<size_t>(of_.batch * of_.heads * perHead()) * sizeof(float);
    }

    void run(Pointers const& pointers) override {
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            parallelFor(of_.batch * of_.heads, 1, [&](int64_t begin, int64_t end) {
                for (int64_t head = begin; head < end; ++head) runHead<T>(pointers, head);
            });
        });
    }

private:
    int64_t perHead() const { return of_.stateSize() + 2 * of_.valueSize; }

    template <class T> void runHead(Pointers const& pointers, int64_t number) const {
        float* const state = static_cast<float*>(pointers.workspace) + number * perHead();
        load(pointers, number, state);
        int64_t const n = number / of_.heads;
        int64_t const head = number % of_.heads;
        for (int64_t t = 0; t < of_.tokens; ++t) {
            update<T>(pointers, n * of_.tokens + t, head, state);
            for (int64_t member = 0; member < of_.group; ++member)
                read<T>(pointers, (n * of_.tokens + t) * of_.heads * of_.group + head * of_.group + member, state);
        }
        dispatch(stateType_, [&]<class S>(TypeTag<S>) {
            S* const present = static_cast<S*>(pointers.outputs[1]) + number * of_.stateSize();
            for (int64_t i = 0; i < of_.stateSize(); ++i) present[i] = static_cast<S>(state[i]);
        });
    }

    void load(Pointers const& pointers, int64_t number, float* state) const {
        if (!hasPast_) return std::fill_n(state, of_.stateSize(), 0.0F), void();
        dispatch(stateType_, [&]<class S>(TypeTag<S>) {
            S const* const past = static_cast<S const*>(pointers.inputs[kPast]) + number * of_.stateSize();
            for (int64_t i = 0; i < of_.stateSize(); ++i) state[i] = static_cast<float>(past[i]);
        });
    }

    template <class T> static T const* row(Pointers const& pointers, int input, int64_t at) {
        return static_cast<T const*>(pointers.inputs[input]) + at;
    }

    template <class T> void update(Pointers const& pointers, int64_t token, int64_t head, float* state) const {
        int64_t const size = of_.valueSize;
        T const* const key = row<T>(pointers, kKey, (token * of_.heads + head) * of_.keySize);
        T const* const given = row<T>(pointers, kValue, (token * of_.heads + head) * size);
        float* const value = state + of_.stateSize();
        for (int64_t j = 0; j < size; ++j) value[j] = static_cast<float>(given[j]);
        bool const perHead = of_.decayWidth == of_.heads;
        for (int64_t i = 0; of_.decayWidth != 0 && i < of_.keySize; ++i) {
            T const decay =
                *row<T>(pointers, kDecay, token * of_.decayWidth + (perHead ? head : head * of_.keySize + i));
            multiply(state + i * size, std::exp(static_cast<float>(decay)), size);
        }
        for (int64_t i = 0; of_.corrects && i < of_.keySize; ++i)
            addTo(value, -static_cast<float>(key[i]), state + i * size, size);
        if (of_.corrects) {
            T const beta = *row<T>(pointers, kBeta, token * of_.betaWidth + (of_.betaWidth == 1 ? 0 : head));
            multiply(value, static_cast<float>(beta), size);
        }
        for (int64_t i = 0; i < of_.keySize; ++i) addTo(state + i * size, static_cast<float>(key[i]), value, size);
    }

    /// One row of queries: a token's, of one head.
    template <class T> void read(Pointers const& pointers, int64_t at, float* state) const {
        T const* const query = row<T>(pointers, kQuery, at * of_.keySize);
        float* const sum = state + of_.stateSize() + of_.valueSize;
        std::fill_n(sum, of_.valueSize, 0.0F);
        for (int64_t i = 0; i < of_.keySize; ++i)
            addTo(sum, static_cast<float>(query[i]), state + i * of_.valueSize, of_.valueSize);
        T* const y = static_cast<T*>(pointers.outputs[0]) + at * of_.valueSize;
        for (int64_t j = 0; j < of_.valueSize; ++j) y[j] = static_cast<T>(of_.scale * sum[j]);
    }

    Recurrence of_;
    DataType type_;
    DataType stateType_;
    bool hasPast_;
};

class CpuLinearAttention final : public Kernel {
public:
    std::string_view name() const override { return "linear_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        Recurrence const of(*as<LinearAttention>(*query.node.layer), query.inputs);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), Device::Cpu};
            Label const state{query.node.output(1)->type, Format::linear(), Device::Cpu};
            Variant variant{.inputs = std::vector<Label>(query.inputs.size(), label), .outputs = {label, state}};
            if (variant.inputs.size() > kPast) variant.inputs[kPast] = state;
            variant.cost = 300 + static_cast<double>(of.batch * of.heads * of.tokens * of.stateSize() * (3 + of.group));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Recurring>(args);
    }
};

constexpr CpuLinearAttention kLinearAttention;
constexpr Kernel const* kKernels[]{&kLinearAttention};

} // namespace

KernelList linearAttentionKernels() { return {LinearAttention::kKind, kKernels}; }

} // namespace tenon::cpu
