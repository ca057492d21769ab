// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention_arguments_cuda.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/cuda_backend.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace tenon::cuda {
namespace {

/// All tensors dense and of one type, except lengths and boolean masks.
Variant variantOf(KernelQuery const& query, DataType type, double flopsPerNs) {
    Label const label{type, Format::linear(), kCuda};
    Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {query.outputs.size(), label}, .compute = type};
    if (Tensor const* mask = query.node.input(Attention::kMask); mask != nullptr && mask->type == DataType::Bool)
        variant.inputs[Attention::kMask].type = DataType::Bool;
    for (int const i : {Attention::kQueryLengths, Attention::kKeyLengths}) {
        if (query.node.input(i) != nullptr) variant.inputs[static_cast<size_t>(i)].type = DataType::Int32;
    }
    double bytes = 0;
    for (Dims const& output : query.outputs) bytes += static_cast<double>(bytesOf(output, label));
    for (size_t i = 0; i < std::min<size_t>(Attention::kPast, query.inputs.size()); ++i)
        bytes += static_cast<double>(bytesOf(query.inputs[i], variant.inputs[i]));
    auto const problem = problemOf(*as<Attention>(*query.node.layer), query.inputs, query.outputs[0]);
    variant.cost = kernelCost(bytes, problem.operations(), flopsPerNs);
    return variant;
}

Offer refuseQuantized() { return Offer::refuse("does not quantize the normalized products"); }

class FlashAttention final : public Kernel {
public:
    std::string_view name() const override { return "cuda_flash_attention"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        if (as<Attention>(*query.node.layer)->isQuantized()) return refuseQuantized();
        auto const p = problemOf(*as<Attention>(*query.node.layer), query.inputs, query.outputs[0]);
        int64_t const size = std::max(p.size(), p.valueSize());
        if (size > kMostFlashSize)
            return Offer::refuse(text("supports heads of up to ", kMostFlashSize, " elements, not ", size));
        Offer offer = offerTypes(query, *query.node.input(0), [&](DataType type, Offer& to) {
            constexpr double kShare = 0.23; // of the peak
            if (bitsOf(type) == 16) to.variants.push_back(variantOf(query, type, kShare * costs().peak(type)));
        });
        if (offer.variants.empty())
            offer.refusal = text("supports float16 and bfloat16, not ", query.node.input(0)->type);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return withProducts(args, makeFlashAttention(args));
    }
};

class TiledAttention final : public Kernel {
public:
    std::string_view name() const override { return "cuda_tiled_attention"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        if (as<Attention>(*query.node.layer)->isQuantized()) return refuseQuantized();
        constexpr double kShare = 0.22; // of the peak
        return offerFloats(query, [&](DataType type, Offer& offer) {
            offer.variants.push_back(variantOf(query, type, kShare * costs().float32));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return withProducts(args, makeTiledAttention(args));
    }
};

constexpr FlashAttention kFlash;
constexpr TiledAttention kTiled;
constexpr Kernel const* kKernels[]{&kFlash, &kTiled};

} // namespace

StridedRows::StridedRows(AttentionTensor const& tensor, DataType type)
    : offset(tensor.offset), batch(tensor.strides[0]), head(tensor.strides[1]), row(tensor.strides[2]),
      element(tensor.strides[3]) {
    auto const inWord = static_cast<int64_t>(16 / bytesOf(type, 1));
    words = element == 1;
    for (int64_t const step : {offset, batch, head, row, tensor.extents[3]}) words = words && step % inWord == 0;
}

AttentionArguments::AttentionArguments(PrepareArgs const& args) {
    auto const& layer = *as<Attention>(*args.node.layer);
    AttentionProblem const p = problemOf(layer, args.inputs, args.outputs[0]);
    DataType const type = args.variant.outputs[0].type;
    query = {p.query, type};
    key = {p.key, type};
    value = {p.value, type};
    output = {p.output, type};
    inputs = args.inputs.size();
    hasMask = p.hasMask();
    if (hasMask) {
        mask = {{{p.batch, p.heads(), p.queries(), p.keysInMask}, p.mask}, type};
        maskIsBool = args.variant.inputs[Attention::kMask].type == DataType::Bool;
    }
    softmax = layer.normalization == Attention::Normalization::Softmax;
    causal = layer.causal;
    products = layer.products;
    countedExtent(p.past + p.queries() + p.keys(), "queries and keys"); // the bound of `before` and `after`
    past = static_cast<int>(p.past);
    before = static_cast<int>(p.before);
    after = static_cast<int>(p.after);
    keysInMask = static_cast<int>(p.keysInMask);
    packedQueries = layer.packedQueries;
    packedKeys = layer.packedKeys;
    batch = countedExtent(p.batch, "sequences");
    heads = countedExtent(p.heads(), "heads");
    queries = static_cast<int>(p.queries());
    keys = static_cast<int>(p.keys());
    size = countedExtent(p.size(), "elements of a head");
    valueSize = countedExtent(p.valueSize(), "elements of a value");
    counted(p.batch * p.heads() * p.queries(), "queries of all heads"); // the maximum number of blocks of the grid
    sharing = static_cast<int>(p.heads() / std::max<int64_t>(1, p.keyHeads()));
    maskScale = softmax ? 1 / std::log(2.0F) : 1;
    scale = static_cast<float>(layer.scale) * maskScale;
    softcap = static_cast<float>(layer.softcap) * maskScale;
    ofUnseen = layer.keepsNans && keys > 0 ? NAN : 0;
    if (layer.leavesOut())
        maskedScore = softmax ? -INFINITY : 0;
    else // finite scores stay finite
        maskedScore = static_cast<float>(std::clamp<double>(layer.maskedScore * maskScale, kLowest, -double{kLowest}));
    bend = layer.softcap == 0 ? 0 : static_cast<float>(2 * layer.scale / (layer.softcap * std::log(2.0)));
}

AttentionArguments AttentionArguments::bound(Pointers const& pointers) const {
    AttentionArguments arguments = *this;
    arguments.queryData = pointers.inputs[Attention::kQuery];
    arguments.keyData = pointers.inputs[Attention::kKey];
    arguments.valueData = pointers.inputs[Attention::kValue];
    if (hasMask) arguments.maskData = pointers.inputs[Attention::kMask];
    auto const lengths = [&](size_t input) {
        return input < inputs ? static_cast<int const*>(pointers.inputs[input]) : nullptr;
    };
    arguments.queryLengths = lengths(Attention::kQueryLengths);
    arguments.keyLengths = lengths(Attention::kKeyLengths);
    arguments.outputData = pointers.outputs[Attention::kResult];
    if (products != Attention::Products::None) arguments.productsData = pointers.outputs[Attention::kProducts];
    return arguments;
}

KernelList attentionKernels() { return {Attention::kKind, kKernels}; }

} // namespace tenon::cuda
