// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels.h"

#include "base/error.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pointwise/pointwise.h"
#include "layers/softmax/softmax.h"
#include "memory.h"

#include <algorithm>
#include <cmath>

namespace island {
namespace {

using tenon::DataType;
using tenon::Dims;
using tenon::Executable;
using tenon::Kernel;
using tenon::KernelQuery;
using tenon::Offer;
using tenon::Pointers;
using tenon::PrepareArgs;

/// The one variant of all kernels here: dense float32 in the island's memory.
Offer offerDense(KernelQuery const& query, double operations) {
    for (tenon::Tensor const* input : query.node.inputs()) {
        if (input->type != DataType::Float32) return Offer::refuse(tenon::text("takes float32, not ", input->type));
    }
    tenon::Label const label{DataType::Float32, tenon::Format::linear(), kIsland};
    double bytes = 0;
    for (auto const* tensors : {&query.inputs, &query.outputs}) {
        for (Dims const& dims : *tensors) bytes += static_cast<double>(bytesOf(dims, label));
    }
    return {{{.inputs = {query.inputs.size(), label},
              .outputs = {label},
              .cost = costs().kernel(bytes, operations, costs().float32)}},
            {}};
}

float const* input(Pointers const& pointers, int i) {
    if (!holds(pointers.inputs[i]))
        tenon::fail(tenon::ErrorCode::Internal, "input ", i, " is not on the island; expected only island tensors");
    return static_cast<float const*>(pointers.inputs[i]);
}
float* output(Pointers const& pointers) { return static_cast<float*>(pointers.outputs[0]); }

// ---- X [rows,columns] → Y [rows,columns]

class RunSoftmax final : public Executable {
public:
    explicit RunSoftmax(Dims const& dims) : columns_(dims[dims.rank() - 1]), rows_(dims.volume() / columns_) {}

    void run(Pointers const& pointers) override {
        Visit const visit;
        for (int64_t row = 0; row < rows_; ++row)
            compute(input(pointers, 0) + row * columns_, output(pointers) + row * columns_, row);
    }

private:
    void compute(float const* x, float* y, int64_t row) const {
        if (std::any_of(x, x + columns_, [](float each) { return std::isnan(each); }))
            tenon::fail(tenon::ErrorCode::InvalidArgument, "row ", row,
                        " has an element that is not a number; expected numbers only");
        float const most = *std::max_element(x, x + columns_);
        float sum = 0;
        for (int64_t i = 0; i < columns_; ++i) sum += y[i] = std::exp(x[i] - most);
        for (int64_t i = 0; i < columns_; ++i) y[i] /= sum;
    }

    int64_t columns_;
    int64_t rows_;
};

class SoftmaxKernel final : public Kernel {
public:
    std::string_view name() const override { return "island_softmax"; }

    // along the last axis
    Offer offer(KernelQuery const& query) const override {
        auto const& softmax = *tenon::as<tenon::Softmax>(*query.node.layer);
        int const rank = query.inputs[0].rank();
        if (softmax.axis != -1 && softmax.axis != rank - 1) return Offer::refuse("takes the last axis only");
        if (softmax.log) return Offer::refuse("does not take the logarithm");
        return offerDense(query, 4.0 * static_cast<double>(query.inputs[0].volume()));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunSoftmax>(args.inputs[0]);
    }
};

// ---- A [any] + B [the same] → Y [the same], a chain of one elementwise layer

class RunSum final : public Executable {
public:
    explicit RunSum(int64_t count) : count_(count) {}

    void run(Pointers const& pointers) override {
        Visit const visit;
        std::transform(input(pointers, 0), input(pointers, 0) + count_, input(pointers, 1), output(pointers),
                       std::plus<float>());
    }

private:
    int64_t count_;
};

class SumKernel final : public Kernel {
public:
    std::string_view name() const override { return "island_sum"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& steps = tenon::as<tenon::Pointwise>(*query.node.layer)->steps;
        if (steps.size() != 1 || steps[0].op != tenon::PointwiseOp::Sum || query.inputs.size() != 2)
            return Offer::refuse("computes a sum of two and nothing else");
        if (query.inputs[0] != query.inputs[1]) return Offer::refuse("does not broadcast");
        return offerDense(query, static_cast<double>(query.outputs[0].volume()));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunSum>(args.outputs[0].volume());
    }
};

// ---- A [m,k] · B [k,n] → Y [m,n]

class RunProduct final : public Executable {
public:
    RunProduct(Dims const& a, Dims const& b) : m_(a[0]), n_(b[1]), k_(a[1]) {}

    void run(Pointers const& pointers) override {
        Visit const visit;
        float const* const a = input(pointers, 0);
        float const* const b = input(pointers, 1);
        for (int64_t row = 0; row < m_; ++row) {
            float* const y = output(pointers) + row * n_;
            std::fill_n(y, n_, 0.F);
            for (int64_t k = 0; k < k_; ++k) {
                for (int64_t column = 0; column < n_; ++column) y[column] += a[row * k_ + k] * b[k * n_ + column];
            }
        }
    }

private:
    int64_t m_;
    int64_t n_;
    int64_t k_;
};

class ProductKernel final : public Kernel {
public:
    std::string_view name() const override { return "island_product"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *tenon::as<tenon::MatrixMultiply>(*query.node.layer);
        constexpr auto kPlain = tenon::MatrixOperation::None;
        if (layer.a != kPlain || layer.b != kPlain) return Offer::refuse("takes matrices as they are");
        if (!layer.epilogue.empty()) return Offer::refuse("fuses nothing into the product");
        if (query.inputs[0].rank() != 2 || query.inputs[1].rank() != 2) return Offer::refuse("takes two axes only");
        return offerDense(query, 2.0 * static_cast<double>(query.outputs[0].volume() * query.inputs[0][1]));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunProduct>(args.inputs[0], args.inputs[1]);
    }
};

constexpr SoftmaxKernel kSoftmax;
constexpr SumKernel kSum;
constexpr ProductKernel kProduct;

} // namespace

std::vector<Kernel const*> kernelsFor(std::string_view kind) {
    if (kind == tenon::Softmax::kKind) return {&kSoftmax};
    if (kind == tenon::Pointwise::kKind) return {&kSum};
    if (kind == tenon::MatrixMultiply::kKind) return {&kProduct};
    return {};
}

} // namespace island
