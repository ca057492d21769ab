// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/strided_copy.h"
#include "backends/cuda/view.h"
#include "graph/elements.h"

#include <algorithm>
#include <optional>

namespace tenon::cuda {
namespace {

class ViewShuffle final : public Kernel {
public:
    std::string_view name() const override { return "cuda_view"; }

    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Shuffle>(*query.node.layer);
        if (!layer.firstTranspose.empty() || !layer.secondTranspose.empty())
            return Offer::refuse("does not support transposing");
        return offerView(query);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

/// X [d0,…,dn] in `from` → Y [d_p0,…,d_pn] in `to`
StridedCopy transposition(Dims const& dims, std::vector<int64_t> const& permutation, Label const& from,
                          Label const& to) {
    Dims const y = permuted(dims, permutation);
    return {from.type, y, permuted(stridesIn(from.format, dims), permutation), stridesIn(to.format, y)};
}

/// Transposes once, or twice through the workspace.
class Transposing final : public Executable {
public:
    Transposing(Shuffle const& layer, PrepareArgs const& args)
        : first_(firstOf(layer, args)), second_(secondOf(layer, args)) {
        if (second_) workspace_ = bytesOf(args.inputs[0], args.variant.inputs[0]);
    }

    size_t workspaceBytes() const override { return workspace_; }

    void run(Pointers const& pointers) override {
        void* const last = pointers.outputs[0];
        first_.launch(pointers.inputs[0], second_ ? pointers.workspace : last, pointers.stream);
        if (second_) second_->launch(pointers.workspace, last, pointers.stream);
    }

private:
    static StridedCopy firstOf(Shuffle const& layer, PrepareArgs const& args) {
        Label const& from = args.variant.inputs[0];
        Label const& to = args.variant.outputs[0];
        if (!layer.firstTranspose.empty()) return transposition(args.inputs[0], layer.firstTranspose, from, to);
        return transposition(beforeTranspose(args.outputs[0], layer.secondTranspose), layer.secondTranspose, from, to);
    }

    static std::optional<StridedCopier> secondOf(Shuffle const& layer, PrepareArgs const& args) {
        if (layer.firstTranspose.empty() || layer.secondTranspose.empty()) return std::nullopt;
        return StridedCopier(transposition(beforeTranspose(args.outputs[0], layer.secondTranspose),
                                           layer.secondTranspose, args.variant.inputs[0], args.variant.outputs[0]));
    }

    StridedCopier first_;
    std::optional<StridedCopier> second_;
    size_t workspace_ = 0;
};

class TransposingShuffle final : public Kernel {
public:
    std::string_view name() const override { return "cuda_transpose"; }

    // any type; linear, and images transposed once with channels last on either side
    Offer offer(KernelQuery const& query) const override {
        auto const formats =
            formatsOf(isOneTransposition(query) && query.node.input(0)->shape.size() >= 3, {Format::nhwc()});
        Offer offer;
        for (Variant const& variant : offerMoving(query, {.reads = {1}, .writes = 1}, formats).variants) {
            for (Format const& to : formats) offer.variants.push_back(writing(to, variant, query));
        }
        return alsoInInt8(std::move(offer));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Transposing>(*as<Shuffle>(*args.node.layer), args);
    }

private:
    static bool isOneTransposition(KernelQuery const& query) {
        auto const& layer = *as<Shuffle>(*query.node.layer);
        bool const once = layer.firstTranspose.empty() != layer.secondTranspose.empty();
        return once && !layer.reshapes && !query.node.input(1);
    }

    static Variant writing(Format const& to, Variant variant, KernelQuery const& query) {
        auto const& layer = *as<Shuffle>(*query.node.layer);
        Format const from = variant.outputs[0].format;
        variant.outputs[0].format = to;
        if (isOneTransposition(query)) {
            auto const& permutation = layer.firstTranspose.empty() ? layer.secondTranspose : layer.firstTranspose;
            auto const rank = static_cast<int>(permutation.size());
            std::vector<int> written; // axes of X in the memory order of Y
            for (int const axis : axesInMemory(to, rank))
                written.push_back(static_cast<int>(permutation[static_cast<size_t>(axis)]));
            variant.view = written == axesInMemory(from, rank);
        }
        if (variant.view) variant.cost = 0;
        return variant;
    }
};

constexpr ViewShuffle kView;
constexpr TransposingShuffle kTranspose;
constexpr Kernel const* kKernels[]{&kView, &kTranspose};

} // namespace

KernelList shuffleKernels() { return {Shuffle::kKind, kKernels}; }

} // namespace tenon::cuda
