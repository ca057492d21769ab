// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "layers/linear_attention/linear_attention_loops_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int64_t kColumns = 16;         // of a task: the columns of a state are independent
constexpr int64_t kDecaysAtOnce = 16384; // exponentials that one thread computes at a time
constexpr double kFlopsPerNs = 8;        // of one thread

/// Each thread processes some columns of a state through all steps; they stay in its cache.
class RunLinearAttention final : public Executable {
public:
    explicit RunLinearAttention(PrepareArgs const& args)
        : p_(problemOf(*as<LinearAttention>(*args.node.layer), args.inputs)), loops_(bestLoops<LinearAttentionLoops>()),
          exp_(bestLoops<PointwiseLoops>()[PointwiseOp::Exp]) {
        hasState_ = args.node.input(LinearAttention::kState) != nullptr;
    }

    size_t workspaceBytes() const override { return sizeof(float) * static_cast<size_t>(decays()); }

    void run(Pointers const& pointers) override {
        auto* const factors = static_cast<float*>(pointers.workspace);
        parallelFor(decays(), kDecaysAtOnce, [&](int64_t begin, int64_t end) {
            auto const* const decay = static_cast<float const*>(pointers.inputs[LinearAttention::kDecay]);
            exp_(factors + begin, decay + begin, nullptr, 0, 0, end - begin);
        });
        int64_t const parts = (p_.valueSize + kColumns - 1) / kColumns;
        parallelFor(p_.states() * parts, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) compute(pointers, i / parts, i % parts * kColumns);
        });
    }

private:
    int64_t decays() const { return p_.batch * p_.steps * p_.keyHeads * p_.decaySize; }

    void compute(Pointers const& pointers, int64_t head, int64_t column) const {
        int64_t const columns = std::min(kColumns, p_.valueSize - column);
        auto* const states = static_cast<float*>(pointers.outputs[LinearAttention::kLastState]);
        int64_t const first = head * p_.size * p_.valueSize + column;
        for (int64_t d = 0; d < p_.size; ++d) {
            int64_t const at = first + d * p_.valueSize;
            if (hasState_)
                std::copy_n(static_cast<float const*>(pointers.inputs[LinearAttention::kState]) + at, columns,
                            states + at);
            else
                std::fill_n(states + at, columns, 0.0F);
        }
        for (int64_t t = 0; t < p_.steps; ++t) {
            LinearAttentionStep step = stepAt(pointers, head, t, column);
            step.state = states + first;
            step.columns = columns;
            loops_.step(step);
        }
    }

    LinearAttentionStep stepAt(Pointers const& pointers, int64_t state, int64_t t, int64_t column) const {
        int64_t const row = state / p_.keyHeads * p_.steps + t;
        int64_t const head = state % p_.keyHeads;
        auto const at = [&](LinearAttention::Input input, int64_t place) {
            return static_cast<float const*>(pointers.inputs[input]) + place;
        };
        LinearAttentionStep step{};
        step.key = at(LinearAttention::kKey, (row * p_.keyHeads + head) * p_.size);
        step.value = at(LinearAttention::kValue, (row * p_.keyHeads + head) * p_.valueSize + column);
        if (p_.decaySize != 0)
            step.decay = static_cast<float const*>(pointers.workspace) + (row * p_.keyHeads + head) * p_.decaySize;
        if (p_.betaHeads != 0) step.beta = at(LinearAttention::kBeta, row * p_.betaHeads + head % p_.betaHeads);
        int64_t const query = row * p_.heads + head * p_.sharing();
        step.query = at(LinearAttention::kQuery, query * p_.size);
        step.result = static_cast<float*>(pointers.outputs[LinearAttention::kResult]) + query * p_.valueSize + column;
        step.pitch = step.resultPitch = p_.valueSize;
        step.size = p_.size;
        step.decayPitch = p_.decaySize > 1 ? 1 : 0;
        step.sharing = p_.sharing();
        step.scale = static_cast<float>(p_.scale);
        return step;
    }

    LinearAttentionProblem p_;
    LinearAttentionLoops const& loops_;
    StepLoop exp_;
    bool hasState_;
};

class SteppedLinearAttention final : public Kernel {
public:
    std::string_view name() const override { return "stepped_linear_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        auto const problem = problemOf(*as<LinearAttention>(*query.node.layer), query.inputs);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {2, label}};
            variant.cost = 1000 + problem.operations() / kFlopsPerNs;
            variant = storedAs(type, query, variant);
            keepStates(query, variant);
            offer.variants.push_back(variant);
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args,
                            [](PrepareArgs const& inFloat) { return std::make_unique<RunLinearAttention>(inFloat); });
    }

private:
    /// States of another type than the other tensors.
    static void keepStates(KernelQuery const& query, Variant& variant) {
        DataType const type = query.node.outputs()[LinearAttention::kLastState]->type;
        if (type == query.node.input(0)->type) return;
        variant.outputs[LinearAttention::kLastState].type = type;
        variant.inputs[LinearAttention::kState].type = type;
    }
};

constexpr SteppedLinearAttention kStepped;
constexpr Kernel const* kKernels[]{&kStepped};

} // namespace

KernelList linearAttentionKernels() { return {LinearAttention::kKind, kKernels}; }

} // namespace tenon::cpu
