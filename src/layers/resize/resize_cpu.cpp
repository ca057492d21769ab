// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/sampled_copy.h"
#include "backends/cpu/through_float.h"
#include "base/error.h"
#include "base/parallel.h"
#include "layers/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

/// Scales and roi must be constants of the network; once the shapes are there, sizes matter only for proportions.
bool readsOnlyConstants(Node const& node) {
    auto const constant = [&](int input) { return !node.input(input) || node.input(input)->literal(); };
    bool const stretches = as<Resize>(*node.layer)->aspectRatio == Resize::AspectRatio::Stretch;
    return constant(Resize::kScales) && constant(Resize::kRoi) && (stretches || constant(Resize::kSizes));
}

std::vector<ResizedAxis> axesOf(Node const& node, Dims const& x, Dims const& y) {
    auto const& layer = *as<Resize>(*node.layer);
    ResizeLists lists{!layer.sizes.empty() || node.input(Resize::kSizes),
                      {layer.scales.begin(), layer.scales.end()},
                      {},
                      layer.sizes};
    if (Tensor const* scales = node.input(Resize::kScales)) lists.scales = scales->literal()->toFloat();
    Tensor const* sizes = node.input(Resize::kSizes);
    if (sizes && sizes->literal()) lists.sizes = sizes->literal()->toInt64();
    if (Tensor const* roi = node.input(Resize::kRoi)) lists.roi = roi->literal()->toFloat();
    return resizedAxes(layer, lists, x, y);
}

class Nearest final : public Executable {
public:
    explicit Nearest(PrepareArgs const& args) {
        auto const& layer = *as<Resize>(*args.node.layer);
        Label const& label = args.variant.inputs[0];
        std::vector<std::vector<int64_t>> tables;
        for (MemoryAxis const& axis : memoryAxes(args.inputs[0], label.format)) {
            std::vector<int64_t> table;
            for (int64_t i = 0; i < axis.extent; ++i) table.push_back(i * axis.stride);
            for (ResizedAxis const& resized : axesOf(args.node, args.inputs[0], args.outputs[0])) {
                if (resized.axis != axis.axis) continue;
                table = tapsOf(layer, resized).index;
                for (int64_t& index : table) index *= axis.stride;
            }
            tables.push_back(std::move(table));
        }
        copy_ = SampledCopy(std::move(tables), elementBytes(label.type));
    }

    void run(Pointers const& pointers) override { copy_.run(pointers.inputs[0], pointers.outputs[0], nullptr); }

private:
    SampledCopy copy_;
};

/// Resamples one axis: X [outer, from, inner] → Y [outer, to, inner].
struct Pass {
    int64_t outer, inner;
    ResizedAxis axis;
    Taps taps;

    void run(float const* x, float* y) const {
        if (inner == 1) return runRows(x, y);
        int64_t const grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, inner * taps.count));
        parallelFor(outer * axis.to, grain, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) resample(x, y, row);
        });
    }

private:
    void runRows(float const* x, float* y) const { // the innermost axis itself is resampled
        int64_t const grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, axis.to * taps.count));
        parallelFor(outer, grain, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) resampleRow(x + row * axis.from, y + row * axis.to);
        });
    }

    void resampleRow(float const* x, float* y) const {
        int64_t const* index = taps.index.data();
        float const* weight = taps.weight.data();
        for (int64_t i = 0; i < axis.to; ++i, index += taps.count, weight += taps.count) {
            float sum = 0;
            for (int64_t k = 0; k < taps.count; ++k) sum += weight[k] * x[index[k]];
            y[i] = sum;
        }
    }

    void resample(float const* x, float* y, int64_t row) const {
        int64_t const first = row % axis.to * taps.count;
        float const* source = x + row / axis.to * axis.from * inner;
        float* target = y + row * inner;
        int64_t const* index = taps.index.data() + first;
        float const* weight = taps.weight.data() + first;
        if (taps.count == 2) {
            float const* a = source + index[0] * inner;
            float const* b = source + index[1] * inner;
            for (int64_t j = 0; j < inner; ++j) target[j] = weight[0] * a[j] + weight[1] * b[j];
            return;
        }
        std::fill_n(target, inner, 0.0F);
        for (int64_t k = 0; k < taps.count; ++k) {
            float const* tap = source + index[k] * inner;
            for (int64_t j = 0; j < inner; ++j) target[j] += weight[k] * tap[j];
        }
    }
};

/// Axis by axis, those first that shrink most, by way of two halves of the workspace.
class Interpolating final : public Executable {
public:
    explicit Interpolating(PrepareArgs const& args) {
        auto const& layer = *as<Resize>(*args.node.layer);
        auto axes = memoryAxes(args.inputs[0], args.variant.inputs[0].format);
        auto resized = axesOf(args.node, args.inputs[0], args.outputs[0]);
        std::ranges::reverse(resized); // of those that grow alike the innermost first, while there are few rows
        std::ranges::stable_sort(
            resized, [](ResizedAxis const& a, ResizedAxis const& b) { return a.to * b.from < b.to * a.from; });
        for (ResizedAxis const& one : resized) {
            Pass pass{1, 1, one, tapsOf(layer, one)};
            bool inside = false;
            for (MemoryAxis& axis : axes) {
                bool const here = axis.axis == one.axis;
                if (!here) (inside ? pass.inner : pass.outer) *= axis.extent;
                inside |= here;
                if (here) axis.extent = one.to;
            }
            most_ = std::max(most_, pass.outer * one.to * pass.inner);
            passes_.push_back(std::move(pass));
        }
        bytes_ = static_cast<size_t>(paddedVolume(args.inputs[0], args.variant.inputs[0].format)) * sizeof(float);
    }

    size_t workspaceBytes() const override {
        return passes_.size() < 2 ? 0 : 2 * static_cast<size_t>(most_) * sizeof(float);
    }

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        if (passes_.empty()) std::memcpy(pointers.outputs[0], x, bytes_);
        for (size_t i = 0; i < passes_.size(); ++i) {
            bool const last = i + 1 == passes_.size();
            float* half = static_cast<float*>(pointers.workspace) + (i % 2) * static_cast<size_t>(most_);
            float* y = last ? static_cast<float*>(pointers.outputs[0]) : half;
            passes_[i].run(x, y);
            x = y;
        }
    }

private:
    std::vector<Pass> passes_;
    int64_t most_ = 0; // elements between passes
    size_t bytes_ = 0;
};

bool keepsChannels(KernelQuery const& query) {
    if (!(query.node.input(0)->shape[1] == query.node.output()->shape[1])) return false;
    auto const resized = axesOf(query.node, query.inputs[0], query.outputs[0]);
    return std::ranges::find(resized, 1, &ResizedAxis::axis) == resized.end();
}

/// Both kernels resize the axes of images that are neither batch nor channels, and any axis of linear tensors.
Offer offerFormats(KernelQuery const& query, std::vector<DataType> const& types, double costPerByte) {
    if (!readsOnlyConstants(query.node)) return Offer::refuse("scales, roi or proportions are not constants");
    Tensor const& x = *query.node.input(0);
    std::vector<Format> formats{Format::linear()};
    if (x.shape.size() >= 3 && keepsChannels(query)) {
        formats.push_back(Format::nhwc());
        formats.push_back(Format::blocked(channelBlock()));
    }
    Offer offer;
    for (DataType const type : types) {
        for (Format const& format : formats) {
            Label const label{type, format, Device::Cpu};
            Variant variant{.inputs = {label}, .outputs = {label}};
            for (size_t i = 1; i < query.node.inputs().size(); ++i) {
                Tensor const* other = query.node.inputs()[i];
                variant.inputs.push_back({other ? other->type : DataType::Float32, Format::linear(), Device::Cpu});
            }
            auto const bytes = static_cast<double>(bytesOf(query.inputs[0], label) + bytesOf(query.outputs[0], label));
            variant.cost = memoryCost(bytes * costPerByte * (format.isLinear() ? 2 : 1)); // single elements: slower
            offer.variants.push_back(std::move(variant));
        }
    }
    return offer;
}

class NearestResize final : public Kernel {
public:
    std::string_view name() const override { return "nearest"; }

    // any type; linear, channels last and blocked
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Resize>(*query.node.layer);
        if (layer.mode != Resize::Mode::Nearest || layer.coordinates == Resize::Coordinates::TfCropAndResize)
            return Offer::refuse("takes nearest elements inside the tensor only");
        return offerFormats(query, query.typesOf(*query.node.input(0)), 1);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Nearest>(args);
    }
};

class InterpolatingResize final : public Kernel {
public:
    std::string_view name() const override { return "interpolate"; }

    // floating point; linear, channels last and blocked
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Resize>(*query.node.layer);
        if (layer.mode == Resize::Mode::Nearest || layer.coordinates == Resize::Coordinates::TfCropAndResize)
            return Offer::refuse("interpolates inside the tensor only");
        DataType const type = query.node.input(0)->type;
        if (!fitsFloat(type)) return Offer::refuse(text("computes in float32, not in ", type));
        Offer const inFloat = offerFormats(query, {DataType::Float32}, 4);
        Offer offer{{}, inFloat.refusal};
        for (DataType stored : query.typesOf(*query.node.input(0))) {
            for (Variant const& variant : inFloat.variants) {
                offer.variants.push_back(storedAs(stored, query, variant));
                auto& inputs = offer.variants.back().inputs; // the lists stay as they are
                std::copy(variant.inputs.begin() + 1, variant.inputs.end(), inputs.begin() + 1);
            }
        }
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) { return std::make_unique<Interpolating>(inner); });
    }
};

constexpr NearestResize kNearest;
constexpr InterpolatingResize kInterpolate;
constexpr Kernel const* kKernels[]{&kNearest, &kInterpolate};

} // namespace

KernelList resizeKernels() { return {Resize::kKind, kKernels}; }

} // namespace tenon::cpu
