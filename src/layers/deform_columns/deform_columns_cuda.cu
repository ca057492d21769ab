// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_columns/deform_columns.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "layers/deform_columns/deform_places.h"

namespace tenon::cuda {
namespace {

constexpr int64_t kPerThread = 8;    // channels, for which a thread finds the four elements once
constexpr int64_t kMostRows = 65535; // of blocks in a grid

/// Neighbouring threads have neighbouring places, so that they read neighbouring moves and write neighbouring columns.
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

class MeetingColumns final : public Executable {
public:
    explicit MeetingColumns(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), moveType_(args.variant.inputs[1].type),
          hasFactors_(args.inputs.size() > 2),
          places_(*as<DeformColumns>(*args.node.layer), args.inputs[0], args.inputs[1]),
          rows_(args.inputs[0][0] * places_.parts * places_.kernel()) {}

    void run(Pointers const& pointers) override {
        int64_t const chunks = std::min((places_.channelsOfPart() + kPerThread - 1) / kPerThread, kMostRows);
        dim3 const blocks(blocksFor(rows_ * places_.places()), static_cast<unsigned>(chunks));
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(moveType_, [&]<class M>(TypeTag<M>) {
                auto const* factors = hasFactors_ ? static_cast<M const*>(pointers.inputs[2]) : nullptr;
                deformColumns<<<blocks, kThreads, 0, streamOf(pointers.stream)>>>(
                    static_cast<T const*>(pointers.inputs[0]), static_cast<M const*>(pointers.inputs[1]), factors,
                    static_cast<T*>(pointers.outputs[0]), rows_, places_);
            });
        });
        checkLaunch("deformed columns");
    }

private:
    DataType type_;
    DataType moveType_;
    bool hasFactors_;
    DeformPlaces places_;
    int64_t rows_;
};

class CudaDeformColumns final : public Kernel {
public:
    std::string_view name() const override { return "cuda_deform_columns"; }

    // float, linear; the moves in the network's type
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            Label const moves{query.node.input(1)->type, Format::linear(), kCuda};
            Variant variant{.inputs = {label}, .outputs = {label}};
            variant.inputs.resize(query.node.inputs().size(), moves);
            variant.cost = kernelCost(3.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<MeetingColumns>(args);
    }
};

constexpr CudaDeformColumns kDeformColumns;
constexpr Kernel const* kKernels[]{&kDeformColumns};

} // namespace

KernelList deformColumnsKernels() { return {DeformColumns::kKind, kKernels}; }

} // namespace tenon::cuda
