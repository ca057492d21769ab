// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_convolution/deform_convolution.h"

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/workspace_parts.h"
#include "layers/deform_convolution/deform_places.h"
#include "layers/deform_convolution/fused_deform_convolution_cuda.h"

#include <numeric>

namespace tenon::cuda {
namespace {

using enum DeformConvolution::Inputs;

constexpr int64_t kPerThread = 8;    // channels, for which a thread finds the four elements once
constexpr int64_t kMostRows = 65535; // of blocks in a grid

/// Adjacent threads have adjacent positions, so that they read adjacent offsets and write adjacent columns.
template <class T, class M>
__global__ void deformColumns(T const* __restrict__ x, M const* __restrict__ moves, M const* __restrict__ factors,
                              T* __restrict__ y, int64_t rows, __grid_constant__ DeformPlaces const of) {
    forEachElement(rows * of.places(), [&](int64_t i) {
        int64_t const row = i / of.places();
        int64_t const place = i - row * of.places();
        DeformTaps const taps = of.taps(moves, row, place);
        float const factor = factors == nullptr ? 1.F : toFloat(factors[i]);
        int64_t const channels = of.channelsOfPart();
        for (int64_t first = blockIdx.y * kPerThread; first < channels; first += gridDim.y * kPerThread) {
            for (int64_t c = first; c < first + kPerThread && c < channels; ++c) {
                T const* const channel = x + of.channel(row, c) * of.height * of.width;
                y[of.column(row, c, place)] = convertTo<T>(factor * taps.of(channel));
            }
        }
    });
}

// A tactic's lowest bit says whether float32 factors may be rounded, the rest is the index of cuBLASLt's kernel.
constexpr int64_t kTf32 = 1;

/// The elements that the filters read, in columns: [N,groups,C/groups·kh·kw,h·w]; then the filters' product with them,
/// item by item.
class Deforming final : public Executable {
public:
    explicit Deforming(PrepareArgs const& args)
        : type_(args.variant.inputs[kX].type), moveType_(args.variant.inputs[kMoves].type),
          hasFactors_(args.node.input(kFactors) != nullptr),
          places_(*as<DeformConvolution>(*args.node.layer), args.inputs[kX], args.inputs[kWeights],
                  args.inputs[kMoves]),
          items_(args.inputs[kX][0]), bias_(args, {}, 0, args.node.input(kBias) != nullptr ? int{kBias} : -1) {
        LtProduct const product = productOf(args);
        auto const bytes = static_cast<int64_t>(bytesOf(type_, 1));
        perItem_ = {product.batch * product.b.batchPitch * bytes, product.batch * product.y.batchPitch * bytes};
        int64_t const steps = std::gcd(std::gcd(product.a.batchPitch, product.b.batchPitch), product.y.batchPitch);
        auto const alignment = static_cast<uint32_t>(std::gcd(int64_t{16}, steps * bytes));
        product_ = LtMatmul::make(product, alignment, static_cast<int>(args.variant.tactic / 2));
        if (!product_) fail(ErrorCode::Unsupported, args.node, ": cuBLASLt has no kernel for ", args.inputs[kX]);
    }

    size_t workspaceBytes() const override { return parts(nullptr).bytes; }

    void run(Pointers const& pointers) override {
        Parts const at = parts(pointers.workspace);
        fill(pointers, at.columns);
        for (int64_t item = 0; item < items_; ++item) {
            product_->launch({.a = pointers.inputs[kWeights],
                              .b = at.columns + item * perItem_.columns,
                              .y = static_cast<char*>(pointers.outputs[0]) + item * perItem_.y,
                              .workspace = at.product},
                             streamOf(pointers.stream));
        }
        bias_.launch(pointers, bias_.isEmpty() ? nullptr : pointers.inputs[kBias]);
    }

private:
    struct Parts {
        char* columns = nullptr;
        char* product = nullptr;
        size_t bytes = 0;
    };
    Parts parts(void* workspace) const {
        Parts all;
        WorkspaceParts to(workspace);
        to.take(all.columns, static_cast<size_t>(items_ * perItem_.columns));
        to.take(all.product, product_->workspaceBytes());
        all.bytes = to.bytes();
        return all;
    }

    LtProduct productOf(PrepareArgs const& args) const {
        int64_t const groups = as<DeformConvolution>(*args.node.layer)->groups;
        int64_t const filters = args.inputs[kWeights][0] / groups;
        int64_t const met = args.inputs[kWeights].volume(1, 4);
        int64_t const places = places_.places();
        bool const tf32 = (args.variant.tactic & kTf32) != 0;
        return {.type = type_,
                .tf32 = tf32,
                .batch = groups,
                .a = {filters, met, met, filters * met},
                .b = {met, places, places, met * places},
                .y = {filters, places, places, filters * places}};
    }

    void fill(Pointers const& pointers, char* columns) const {
        int64_t const rows = items_ * places_.parts * places_.kernel();
        int64_t const chunks = std::min((places_.channelsOfPart() + kPerThread - 1) / kPerThread, kMostRows);
        dim3 const blocks(blocksFor(rows * places_.places()), static_cast<unsigned>(chunks));
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(moveType_, [&]<class M>(TypeTag<M>) {
                auto const* factors = hasFactors_ ? static_cast<M const*>(pointers.inputs[kFactors]) : nullptr;
                deformColumns<<<blocks, kThreads, 0, streamOf(pointers.stream)>>>(
                    static_cast<T const*>(pointers.inputs[kX]), static_cast<M const*>(pointers.inputs[kMoves]), factors,
                    reinterpret_cast<T*>(columns), rows, places_);
            });
        });
        checkLaunch("deformed columns");
    }

    struct Bytes {
        int64_t columns, y;
    };

    DataType type_;
    DataType moveType_;
    bool hasFactors_;
    DeformPlaces places_;
    int64_t items_;
    EpilogueRun bias_;
    Bytes perItem_{};
    std::optional<LtMatmul> product_;
};

class CudaDeformConvolution final : public Kernel {
public:
    std::string_view name() const override { return "cuda_deform_convolution"; }

    // float, linear; the offsets in the network's type
    Offer offer(KernelQuery const& query) const override {
        if (!cublasLtLibrary().isThere()) return Offer::refuse("cuBLASLt is not found");
        bool const hasBias = query.node.input(kBias) != nullptr;
        if (hasBias && query.outputs[0].volume() >= int64_t{1} << 31)
            return Offer::refuse("supports a bias for results of fewer than 2^31 elements");
        return offerFloats(query, [&](DataType type, Offer& offer) {
            bool const tf32 = type == DataType::Float32 && query.allowTf32;
            Label const label{type, Format::linear(), kCuda};
            Label const moves{query.node.input(kMoves)->type, Format::linear(), kCuda};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .compute = type};
            for (size_t i : {kMoves, kFactors}) {
                if (i < variant.inputs.size()) variant.inputs[i] = moves;
            }
            variant.tactic = tf32 ? kTf32 : 0;
            auto const met = static_cast<double>(query.inputs[kWeights].volume(1, 4));
            double const columns = met * static_cast<double>(query.outputs[0][0] * query.outputs[0].volume(2, 4)) *
                                   static_cast<double>(bytesOf(type, 1));
            constexpr double kShare = 0.42; // of the peak
            double const speed = kShare * (tf32 ? costs().tf32 : costs().peak(type));
            double const operations = 2 * met * static_cast<double>(query.outputs[0].volume());
            variant.cost = kernelCost(3 * columns) + kernelCost(columns, operations, speed);
            offer.variants.push_back(std::move(variant));
        });
    }

    std::vector<int64_t> tactics(Variant const& variant) const override {
        std::vector<int64_t> all;
        for (int64_t choice = 0; choice < LtMatmul::kChoices; ++choice)
            all.push_back(choice * 2 + (variant.tactic & kTf32));
        return all;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Deforming>(args);
    }
};

constexpr CudaDeformConvolution kDeformConvolution;
Kernel const* const kKernels[]{&fusedDeformConvolution(), &kDeformConvolution};

} // namespace

KernelList deformConvolutionKernels() { return {DeformConvolution::kKind, kKernels}; }

} // namespace tenon::cuda
