// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/lrn/lrn.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::cpu {
namespace {

/// X [N,C,J]: a task is a row of J at one channel, in pieces that stay in the cache.
class Normalizing final : public Executable {
public:
    explicit Normalizing(PrepareArgs const& args)
        : layer_(*as<Lrn>(*args.node.layer)), beta_(static_cast<float>(layer_.beta)), k_(static_cast<float>(layer_.k)),
          scale_(static_cast<float>(layer_.alpha / static_cast<double>(layer_.window))) {
        Dims const& x = args.inputs[0];
        channels_ = x[1];
        rows_ = x[0] * x[1];
        inner_ = x.volume(2, x.rank());
    }

    void run(Pointers const& pointers) override {
        constexpr int64_t kGrain = 4096; // elements
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        parallelFor(rows_, std::max<int64_t>(1, kGrain / inner_), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                for (int64_t j = 0; j < inner_; j += kPiece)
                    normalize(x + j, y + j, row, std::min<int64_t>(kPiece, inner_ - j));
            }
        });
    }

private:
    static constexpr int64_t kPiece = 256;

    void normalize(float const* x, float* y, int64_t row, int64_t count) const {
        int64_t const c = row % channels_;
        std::array<float, kPiece> sums{};
        for (int64_t other = layer_.first(c); other < layer_.last(c, channels_); ++other) {
            float const* const values = x + (row - c + other) * inner_;
            for (int64_t j = 0; j < count; ++j) sums[static_cast<size_t>(j)] += values[j] * values[j];
        }
        float const* const from = x + row * inner_;
        float* const to = y + row * inner_;
        for (int64_t j = 0; j < count; ++j) {
            float const base = k_ + scale_ * sums[static_cast<size_t>(j)];
            float const root = std::sqrt(base);
            constexpr float kUsual = 0.75F; // as in AlexNet: two square roots are faster than a power
            to[j] = from[j] / (beta_ == kUsual ? root * std::sqrt(root) : std::pow(base, beta_));
        }
    }

    Lrn layer_;
    float beta_;
    float k_;
    float scale_; // alpha / window
    int64_t channels_ = 1;
    int64_t rows_ = 0;
    int64_t inner_ = 1;
};

class CpuLrn final : public Kernel {
public:
    std::string_view name() const override { return "lrn"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            double const each = 2 + static_cast<double>(as<Lrn>(*query.node.layer)->window) / 4; // nanoseconds
            Variant const variant{
                .inputs = {label}, .outputs = {label}, .cost = each * static_cast<double>(query.inputs[0].volume())};
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inFloat) -> std::unique_ptr<Executable> {
            return std::make_unique<Normalizing>(inFloat);
        });
    }
};

constexpr CpuLrn kLrn;
constexpr Kernel const* kKernels[]{&kLrn};

} // namespace

KernelList lrnKernels() { return {Lrn::kKind, kKernels}; }

} // namespace tenon::cpu
