// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "base/parallel.h"
#include "layers/roi_align/roi_align_loops_cpu.h"

#include <atomic>
#include <memory>

namespace tenon::cpu {
namespace {

class Pooling final : public Executable {
public:
    explicit Pooling(PrepareArgs const& args)
        : layer_(*as<RoiAlign>(*args.node.layer)), labels_(args.variant.inputs), x_(args.inputs[0]),
          regions_(args.inputs[1][0]), loops_(bestLoops<RoiAlignLoops>()) {}

    size_t workspaceBytes() const override {
        bool const isMean = layer_.mode == RoiAlign::Mode::Average;
        return isMean ? static_cast<size_t>(regions_) * sizeof(Region) + static_cast<size_t>(regions_ * sums()) : 0;
    }

    void run(Pointers const& pointers) override {
        dispatchFloat(labels_[0].type, [&]<class T>(TypeTag<T>) {
            dispatchFloat(labels_[1].type, [&]<class R>(TypeTag<R>) { poolAll<T, R>(pointers); });
        });
    }

private:
    struct Region {
        RoiSums down, across;
    };

    int64_t shares() const {
        return RoiSums::mostShares(layer_.height, x_[2]) + RoiSums::mostShares(layer_.width, x_[3]);
    }
    /// Bytes of the sums of a region.
    int64_t sums() const {
        auto const bytes = shares() * static_cast<int64_t>(sizeof(RoiShare)) +
                           (layer_.height + layer_.width) * static_cast<int64_t>(sizeof(int32_t));
        return (bytes + 7) / 8 * 8;
    }

    int64_t itemOf(Pointers const& pointers, int64_t region) const {
        void const* const items = pointers.inputs[2];
        if (labels_[2].type == DataType::Int64) return static_cast<int64_t const*>(items)[region];
        return static_cast<int32_t const*>(items)[region];
    }

    template <class R> RoiSide sideOf(Pointers const& pointers, int64_t region, bool isDown) const {
        R const* const box = static_cast<R const*>(pointers.inputs[1]) + 4 * region;
        int const from = isDown ? 1 : 0;
        return {static_cast<float>(box[from]), static_cast<float>(box[from + 2]), isDown ? layer_.height : layer_.width,
                layer_};
    }

    /// A row is a channel of a region.
    template <class T, class R> void poolAll(Pointers const& pointers) const {
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        bool const isMean = layer_.mode == RoiAlign::Mode::Average;
        parallelFor(regions_, 16, [&](int64_t begin, int64_t end) {
            for (int64_t region = begin; region < end; ++region) {
                int64_t const item = itemOf(pointers, region);
                if (item < 0 || item >= x_[0]) return wrong.store(region);
                if (isMean) sumUp<R>(pointers, region);
            }
        });
        if (wrong >= 0) failOnItem(wrong, itemOf(pointers, wrong), x_[0]);
        parallelFor(regions_ * x_[1], 8, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                if (isMean)
                    meanOf<T>(pointers, row);
                else
                    mostOf<T, R>(pointers, row);
            }
        });
    }

    template <class R> void sumUp(Pointers const& pointers, int64_t region) const {
        auto* const regions = static_cast<Region*>(pointers.workspace);
        auto* const memory = reinterpret_cast<std::byte*>(regions + regions_) + region * sums();
        auto* const down = reinterpret_cast<RoiShare*>(memory);
        RoiShare* const across = down + RoiSums::mostShares(layer_.height, x_[2]);
        auto* const ends = reinterpret_cast<int32_t*>(down + shares());
        std::construct_at(
            regions + region,
            Region{{down, ends, sideOf<R>(pointers, region, true), layer_.height, x_[2]},
                   {across, ends + layer_.height, sideOf<R>(pointers, region, false), layer_.width, x_[3]}});
    }

    template <class T> T const* channelOf(Pointers const& pointers, int64_t row) const {
        int64_t const channel = itemOf(pointers, row / x_[1]) * x_[1] + row % x_[1];
        return static_cast<T const*>(pointers.inputs[0]) + channel * x_[2] * x_[3];
    }
    template <class T> T* binsOf(Pointers const& pointers, int64_t row) const {
        return static_cast<T*>(pointers.outputs[0]) + row * layer_.height * layer_.width;
    }

    template <class T> void meanOf(Pointers const& pointers, int64_t row) const {
        auto const& [down, across] = static_cast<Region const*>(pointers.workspace)[row / x_[1]];
        T const* const x = channelOf<T>(pointers, row);
        T* const y = binsOf<T>(pointers, row);
        if constexpr (std::is_same_v<T, float>)
            loops_.pool(y, x, x_[3], down, across);
        else
            poolBins(y, x, x_[3], down, across);
    }

    template <class T, class R> void mostOf(Pointers const& pointers, int64_t row) const {
        RoiSide const down = sideOf<R>(pointers, row / x_[1], true);
        RoiSide const across = sideOf<R>(pointers, row / x_[1], false);
        RoiPicture<T> const picture{channelOf<T>(pointers, row), x_[2], x_[3]};
        T* const y = binsOf<T>(pointers, row);
        for (int64_t bin = 0; bin < layer_.height * layer_.width; ++bin)
            y[bin] = T(picture.pooled(down, across, bin, layer_));
    }

    RoiFields layer_;
    std::vector<Label> labels_;
    Dims x_;
    int64_t regions_;
    RoiAlignLoops const& loops_;
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
