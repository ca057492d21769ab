// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rotary_embedding/rotary_embedding.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"

#include <algorithm>
#include <atomic>

namespace tenon::cpu {
namespace {

/// Both elements of each pair; `step` is 1 for pairs of two halves, so that the loop is vectorized.
template <class T, int step>
void turn(T const* __restrict x, T* __restrict y, T const* __restrict cosines, T const* __restrict sines,
          Rotation const& of) {
    for (int64_t i = 0; i < of.pairs; ++i) {
        auto const a = static_cast<float>(x[i * step]);
        auto const b = static_cast<float>(x[i * step + of.apart]);
        auto const cosine = static_cast<float>(cosines[i]);
        auto const sine = static_cast<float>(sines[i]);
        y[i * step] = static_cast<T>(a * cosine - b * sine);
        y[i * step + of.apart] = static_cast<T>(a * sine + b * cosine);
    }
}

class Turning final : public Executable {
public:
    explicit Turning(PrepareArgs const& args)
        : rotation_(*as<RotaryEmbedding>(*args.node.layer), args.inputs), type_(args.variant.inputs[0].type),
          looksUp_(args.node.input(RotaryEmbedding::kPositions) != nullptr),
          wide_(looksUp_ && args.variant.inputs[RotaryEmbedding::kPositions].type == DataType::Int64) {}

    void run(Pointers const& pointers) override {
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            int64_t const grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(rotation_.size, 1));
            parallelFor(rotation_.rows, grain, [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    if (!turnRow<T>(pointers, row)) wrong.store(row);
                }
            });
        });
        if (wrong >= 0) failOnPosition(positionAt(pointers, rotation_.tokenOf(wrong)), rotation_.positions);
    }

private:
    int64_t positionAt(Pointers const& pointers, int64_t token) const {
        void const* positions = pointers.inputs[RotaryEmbedding::kPositions];
        return wide_ ? static_cast<int64_t const*>(positions)[token] : static_cast<int32_t const*>(positions)[token];
    }

    /// False if the position is out of range.
    template <class T> bool turnRow(Pointers const& pointers, int64_t row) const {
        int64_t at = rotation_.tokenOf(row);
        if (looksUp_) {
            at = positionAt(pointers, at);
            if (at < -rotation_.positions || at >= rotation_.positions) return false;
            if (at < 0) at += rotation_.positions;
        }
        auto const* x = static_cast<T const*>(pointers.inputs[RotaryEmbedding::kX]) + row * rotation_.size;
        auto const* cosines = static_cast<T const*>(pointers.inputs[RotaryEmbedding::kCosines]) + at * rotation_.pairs;
        auto const* sines = static_cast<T const*>(pointers.inputs[RotaryEmbedding::kSines]) + at * rotation_.pairs;
        auto* y = static_cast<T*>(pointers.outputs[0]) + row * rotation_.size;
        rotation_.next == 1 ? turn<T, 1>(x, y, cosines, sines, rotation_) : turn<T, 2>(x, y, cosines, sines, rotation_);
        std::copy(x + 2 * rotation_.pairs, x + rotation_.size, y + 2 * rotation_.pairs);
        return true;
    }

    Rotation rotation_;
    DataType type_;
    bool looksUp_;
    bool wide_; // positions are int64
};

class CpuRotaryEmbedding final : public Kernel {
public:
    std::string_view name() const override { return "rotary_embedding"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {label, label, label}, .outputs = {label}};
            if (Tensor const* positions = query.node.input(RotaryEmbedding::kPositions))
                variant.inputs.push_back({positions->type, Format::linear(), Device::Cpu});
            variant.cost = 300 + memoryCost(2.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Turning>(args);
    }
};

constexpr CpuRotaryEmbedding kRotaryEmbedding;
constexpr Kernel const* kKernels[]{&kRotaryEmbedding};

} // namespace

KernelList rotaryEmbeddingKernels() { return {RotaryEmbedding::kKind, kKernels}; }

} // namespace tenon::cpu
