// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/strided_copy.h"
#include "backends/cpu/view.h"
#include "graph/elements.h"

namespace tenon::cpu {
namespace {

class ViewShuffle final : public Kernel {
public:
    std::string_view name() const override { return "view"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Shuffle>(*query.node.layer);
        if (!layer.firstTranspose.empty() || !layer.secondTranspose.empty())
            return Offer::refuse("does not support transposing");
        return offerView(query);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

/// A transposition of a tensor of these extents.
StridedCopy transposition(Dims const& dims, std::vector<int64_t> const& permutation, size_t elementBytes) {
    Dims const to = permuted(dims, permutation);
    return {to, permuted(rowMajorStrides(dims), permutation), rowMajorStrides(to), elementBytes};
}

/// Transposes once, or twice through the workspace.
class Transposing final : public Executable {
public:
    Transposing(Shuffle const& layer, Dims const& x, Dims const& y, size_t elementBytes) {
        Dims const middle = beforeTranspose(y, layer.secondTranspose);
        bool const twice = !layer.firstTranspose.empty() && !layer.secondTranspose.empty();
        if (twice) workspace_ = static_cast<size_t>(x.volume()) * elementBytes;
        first_ = layer.firstTranspose.empty() ? transposition(middle, layer.secondTranspose, elementBytes)
                                              : transposition(x, layer.firstTranspose, elementBytes);
        if (twice) second_ = transposition(middle, layer.secondTranspose, elementBytes);
    }

    size_t workspaceBytes() const override { return workspace_; }

    void run(Pointers const& pointers) override {
        if (workspace_ == 0) return first_.run(pointers.inputs[0], pointers.outputs[0]);
        first_.run(pointers.inputs[0], pointers.workspace);
        second_.run(pointers.workspace, pointers.outputs[0]);
    }

private:
    StridedCopy first_;
    StridedCopy second_;
    size_t workspace_ = 0;
};

class TransposingShuffle final : public Kernel {
public:
    std::string_view name() const override { return "transpose"; }

    // linear, any type
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {3}}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Transposing>(*as<Shuffle>(*args.node.layer), args.inputs[0], args.outputs[0],
                                             elementBytes(args.variant.inputs[0].type));
    }
};

constexpr ViewShuffle kView;
constexpr TransposingShuffle kTranspose;
constexpr Kernel const* kKernels[]{&kView, &kTranspose};

} // namespace

KernelList shuffleKernels() { return {Shuffle::kKind, kKernels}; }

} // namespace tenon::cpu
