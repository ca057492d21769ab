// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "layers/roi_align/roi_bins.h"

namespace tenon::cuda {
namespace {

// The host does not wait for the GPU and cannot see a region of a picture that is not there: its result is zero.

struct Regions {
    void const* items;
    bool wide;                              // int64
    int64_t batch, channels, height, width; // of X
    int64_t bins;

    __device__ int64_t item(int64_t region) const {
        return wide ? static_cast<int64_t const*>(items)[region] : static_cast<int32_t const*>(items)[region];
    }
};

template <class T, class R>
__global__ void poolRegions(T const* __restrict__ x, R const* __restrict__ rois, T* __restrict__ y, int64_t count,
                            Regions const regions, RoiFields const fields) {
    forEachElement(count, [&](int64_t i) {
        int64_t const row = i / regions.bins;
        int64_t const region = row / regions.channels;
        int64_t const item = regions.item(region);
        if (item < 0 || item >= regions.batch) {
            y[i] = convertTo<T>(0.F);
            return;
        }
        R const* const box = rois + 4 * region;
        RoiSide const down(toFloat(box[1]), toFloat(box[3]), fields.height, fields);
        RoiSide const across(toFloat(box[0]), toFloat(box[2]), fields.width, fields);
        int64_t const channel = item * regions.channels + row % regions.channels;
        RoiPicture<T> const picture{x + channel * regions.height * regions.width, regions.height, regions.width};
        y[i] = convertTo<T>(picture.pooled(down, across, i % regions.bins, fields));
    });
}

class Pooling final : public Executable {
public:
    explicit Pooling(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), roiType_(args.variant.inputs[1].type), count_(args.outputs[0].volume()) {
        auto const& layer = *as<RoiAlign>(*args.node.layer);
        fields_ = RoiFields(layer);
        Dims const& x = args.inputs[0];
        bool const wide = args.variant.inputs[2].type == DataType::Int64;
        regions_ = {nullptr, wide, x[0], x[1], x[2], x[3], layer.height * layer.width};
    }

    void run(Pointers const& pointers) override {
        Regions regions = regions_;
        regions.items = pointers.inputs[2];
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(roiType_, [&]<class R>(TypeTag<R>) {
                poolRegions<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                    static_cast<T const*>(pointers.inputs[0]), static_cast<R const*>(pointers.inputs[1]),
                    static_cast<T*>(pointers.outputs[0]), count_, regions, fields_);
            });
        });
        checkLaunch("pooling of regions");
    }

private:
    DataType type_;
    DataType roiType_;
    int64_t count_;
    Regions regions_{};
    RoiFields fields_{};
};

class CudaRoiAlign final : public Kernel {
public:
    std::string_view name() const override { return "cuda_roi_align"; }

    // float, linear; the regions in the network's type: rounding would move them
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            auto const plain = [&](int input) { return Label{query.node.input(input)->type, Format::linear(), kCuda}; };
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {label, plain(1), plain(2)}, .outputs = {label}};
            variant.cost = kernelCost(16.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Pooling>(args);
    }
};

constexpr CudaRoiAlign kRoiAlign;
constexpr Kernel const* kKernels[]{&kRoiAlign};

} // namespace

KernelList roiAlignKernels() { return {RoiAlign::kKind, kKernels}; }

} // namespace tenon::cuda
