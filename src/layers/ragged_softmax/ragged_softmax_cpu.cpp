// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/ragged_softmax/ragged_softmax.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int64_t kGrain = 4096; // elements that take a thread about 10 µs

class Rows final : public Executable {
public:
    explicit Rows(PrepareArgs const& args)
        : length_(args.inputs[0][args.inputs[0].rank() - 1]), rows_(args.inputs[0].volume() / length_) {}

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<float const*>(pointers.inputs[RaggedSoftmax::kX]);
        auto const* bounds = static_cast<int32_t const*>(pointers.inputs[RaggedSoftmax::kBounds]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        checkBounds({bounds, static_cast<size_t>(rows_)}, length_);
        parallelFor(rows_, std::max<int64_t>(1, kGrain / length_), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) compute(x + row * length_, bounds[row], y + row * length_);
        });
    }

private:
    void compute(float const* x, int64_t count, float* y) const {
        float const most = folds_.run[static_cast<size_t>(Fold::Max)](x, count);
        for (int64_t i = 0; i < count; ++i) y[i] = x[i] - most;
        steps_[PointwiseOp::Exp](y, y, y, 0, 0, count);
        float const sum = folds_.run[static_cast<size_t>(Fold::Sum)](y, count);
        for (int64_t i = 0; i < count; ++i) y[i] /= sum;
        std::fill(y + count, y + length_, 0.0F);
    }

    int64_t length_;
    int64_t rows_;
    FoldLoops const& folds_ = bestLoops<FoldLoops>();
    PointwiseLoops const& steps_ = bestLoops<PointwiseLoops>();
};

class CpuRaggedSoftmax final : public Kernel {
public:
    std::string_view name() const override { return "ragged_softmax"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant const variant{.inputs = {label, {DataType::Int32, Format::linear(), Device::Cpu}},
                                  .outputs = {label},
                                  .cost = 300 + static_cast<double>(query.inputs[0].volume())};
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inFloat) { return std::make_unique<Rows>(inFloat); });
    }
};

constexpr CpuRaggedSoftmax kRaggedSoftmax;
constexpr Kernel const* kKernels[]{&kRaggedSoftmax};

} // namespace

KernelList raggedSoftmaxKernels() { return {RaggedSoftmax::kKind, kKernels}; }

} // namespace tenon::cpu
