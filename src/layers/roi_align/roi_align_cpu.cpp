// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "base/parallel.h"
#include "layers/roi_align/roi_bins.h"

#include <atomic>

namespace tenon::cpu {
namespace {

class Pooling final : public Executable {
public:
    explicit Pooling(PrepareArgs const& args)
        : layer_(*as<RoiAlign>(*args.node.layer)), labels_(args.variant.inputs), x_(args.inputs[0]),
          rows_(args.inputs[1][0] * x_[1]) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(labels_[0].type, [&]<class T>(TypeTag<T>) {
            dispatchFloat(labels_[1].type, [&]<class R>(TypeTag<R>) { poolAll<T, R>(pointers); });
        });
    }

private:
    int64_t itemOf(Pointers const& pointers, int64_t region) const {
        void const* const items = pointers.inputs[2];
        if (labels_[2].type == DataType::Int64) return static_cast<int64_t const*>(items)[region];
        return static_cast<int32_t const*>(items)[region];
    }

    /// A row is a channel of a region.
    template <class T, class R> void poolAll(Pointers const& pointers) const {
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        parallelFor(rows_, 1, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                int64_t const item = itemOf(pointers, row / x_[1]);
                if (item < 0 || item >= x_[0]) return wrong.store(row / x_[1]);
                poolRow<T, R>(pointers, row, item);
            }
        });
        if (wrong >= 0) failOnItem(wrong, itemOf(pointers, wrong), x_[0]);
    }

    template <class T, class R> void poolRow(Pointers const& pointers, int64_t row, int64_t item) const {
        R const* const box = static_cast<R const*>(pointers.inputs[1]) + 4 * (row / x_[1]);
        RoiSide const down(static_cast<float>(box[1]), static_cast<float>(box[3]), layer_.height, layer_);
        RoiSide const across(static_cast<float>(box[0]), static_cast<float>(box[2]), layer_.width, layer_);
        int64_t const channel = item * x_[1] + row % x_[1];
        RoiPicture<T> const picture{static_cast<T const*>(pointers.inputs[0]) + channel * x_[2] * x_[3], x_[2], x_[3]};
        int64_t const bins = layer_.height * layer_.width;
        T* const y = static_cast<T*>(pointers.outputs[0]) + row * bins;
        for (int64_t bin = 0; bin < bins; ++bin) y[bin] = T(picture.pooled(down, across, bin, layer_));
    }

    RoiFields layer_;
    std::vector<Label> labels_;
    Dims x_;
    int64_t rows_;
};

class CpuRoiAlign final : public Kernel {
public:
    std::string_view name() const override { return "roi_align"; }

    // float, linear; the regions in the network's type: rounding would move them
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            auto const plain = [&](int input) {
                return Label{query.node.input(input)->type, Format::linear(), Device::Cpu};
            };
            Label const label{type, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {label, plain(1), plain(2)}, .outputs = {label}};
            variant.cost = memoryCost(32.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Pooling>(args);
    }
};

constexpr CpuRoiAlign kRoiAlign;
constexpr Kernel const* kKernels[]{&kRoiAlign};

} // namespace

KernelList roiAlignKernels() { return {RoiAlign::kKind, kKernels}; }

} // namespace tenon::cpu
