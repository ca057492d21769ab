// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/sampled_copy.h"
#include "backends/cpu/through_float.h"
#include "backends/host_lists.h"
#include "base/cast_element.h"
#include "base/error.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

bool crops(Resize const& layer) { return layer.coordinates == Resize::Coordinates::TfCropAndResize; }

/// The axes that a node resizes, and how: by its scales, roi and sizes, which are constants or inputs of each run.
class AxesOfRun {
public:
    AxesOfRun(Node const& node, std::span<Dims const> inputs, Dims const& y)
        : layer_(*as<Resize>(*node.layer)), x_(inputs[0]), y_(y), lists_(node, inputs, saysHow) {
        if (known()) resolve();
    }

    bool known() const { return lists_.known(); }
    std::vector<ResizedAxis> const& axes() const { return axes_; }

    bool update(Pointers const& pointers) {
        bool const changed = lists_.update(pointers);
        if (changed) resolve();
        return changed;
    }

private:
    void resolve() { axes_ = resizedAxes(layer_, listsOf(layer_, lists_.tensors()), x_, y_); }

    Resize const& layer_; // owned by the engine's graph
    Dims x_, y_;
    HostLists lists_;
    std::vector<ResizedAxis> axes_;
};

class Nearest final : public Executable {
public:
    explicit Nearest(PrepareArgs const& args)
        : layer_(*as<Resize>(*args.node.layer)), label_(args.variant.inputs[0]), x_(args.inputs[0]),
          axes_(args.node, args.inputs, args.outputs[0]), fill_(elementBytes(label_.type)) {
        if (crops(layer_)) {
            dispatch(label_.type, [&]<class T>(TypeTag<T>) {
                T const fill = castElement<float, T>(static_cast<float>(layer_.extrapolation));
                std::memcpy(fill_.data(), &fill, sizeof fill);
            });
        }
        if (axes_.known()) arrange();
    }

    void run(Pointers const& pointers) override {
        if (axes_.update(pointers)) arrange();
        copy_.run(pointers.inputs[0], pointers.outputs[0], fill_.data());
    }

private:
    void arrange() {
        std::vector<std::vector<int64_t>> tables;
        for (MemoryAxis const& axis : memoryAxes(x_, label_.format)) {
            auto const resized = std::ranges::find(axes_.axes(), axis.axis, &ResizedAxis::axis);
            tables.push_back(resized == axes_.axes().end() ? offsets(axis) : offsets(axis, tapsOf(layer_, *resized)));
        }
        copy_ = SampledCopy(std::move(tables), fill_.size());
    }

    static std::vector<int64_t> offsets(MemoryAxis const& axis) {
        std::vector<int64_t> all;
        for (int64_t i = 0; i < axis.extent; ++i) all.push_back(i * axis.stride);
        return all;
    }

    static std::vector<int64_t> offsets(MemoryAxis const& axis, Taps const& taps) {
        std::vector<int64_t> all;
        for (size_t i = 0; i < taps.index.size(); ++i) {
            bool const outside = !taps.outside.empty() && taps.outside[i];
            all.push_back(outside ? SampledCopy::kNowhere : taps.index[i] * axis.stride);
        }
        return all;
    }

    Resize const& layer_; // owned by the engine's graph
    Label label_;
    Dims x_;
    AxesOfRun axes_;
    std::vector<std::byte> fill_; // the extrapolation value
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

/// Axis by axis, those that shrink most first, through two halves of the workspace.
class Interpolating final : public Executable {
public:
    explicit Interpolating(PrepareArgs const& args)
        : layer_(*as<Resize>(*args.node.layer)), format_(args.variant.inputs[0].format), x_(args.inputs[0]),
          axes_(args.node, args.inputs, args.outputs[0]), elements_(paddedVolume(x_, format_)) {
        most_ = std::max(elements_, paddedVolume(args.outputs[0], format_)); // extents fall, then rise
        if (axes_.known()) arrange();
    }

    size_t workspaceBytes() const override {
        bool const direct = axes_.known() && passes_.size() < 2;
        return direct ? 0 : 2 * static_cast<size_t>(most_) * sizeof(float);
    }

    void run(Pointers const& pointers) override {
        if (axes_.update(pointers)) arrange();
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* const out = static_cast<float*>(pointers.outputs[0]);
        if (passes_.empty()) std::copy_n(x, elements_, out);
        for (size_t i = 0; i < passes_.size(); ++i) {
            bool const last = i + 1 == passes_.size();
            float* half = static_cast<float*>(pointers.workspace) + (i % 2) * static_cast<size_t>(most_);
            float* y = last ? out : half;
            passes_[i].run(x, y);
            x = y;
        }
        for (Outside const& outside : outsides_) outside.fill(out, static_cast<float>(layer_.extrapolation));
    }

private:
    /// The elements along one axis of Y that are outside of X. Y [outer, flags, inner]
    struct Outside {
        int64_t outer, inner;
        std::vector<char> flags;

        void fill(float* y, float value) const {
            auto const extent = static_cast<int64_t>(flags.size());
            parallelFor(outer * extent, std::max<int64_t>(1, 16384 / inner), [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    if (flags[static_cast<size_t>(row % extent)]) std::fill_n(y + row * inner, inner, value);
                }
            });
        }
    };

    void arrange() {
        passes_.clear();
        outsides_.clear();
        auto axes = memoryAxes(x_, format_);
        auto resized = axes_.axes();
        std::ranges::reverse(resized); // of those that grow alike the innermost first, while there are few rows
        std::ranges::stable_sort(
            resized, [](ResizedAxis const& a, ResizedAxis const& b) { return a.to * b.from < b.to * a.from; });
        for (ResizedAxis const& one : resized) {
            auto const [outer, inner] = around(axes, one.axis);
            passes_.push_back({outer, inner, one, tapsOf(layer_, one)});
            std::ranges::find(axes, one.axis, &MemoryAxis::axis)->extent = one.to;
        }
        for (Pass const& pass : passes_) {
            auto const [outer, inner] = around(axes, pass.axis.axis);
            if (!pass.taps.outside.empty()) outsides_.push_back({outer, inner, pass.taps.outside});
        }
    }

    /// The product of the extents outside of an axis, and inside.
    static std::pair<int64_t, int64_t> around(std::vector<MemoryAxis> const& axes, int axis) {
        std::pair<int64_t, int64_t> counts{1, 1};
        bool inside = false;
        for (MemoryAxis const& one : axes) {
            if (one.axis != axis) (inside ? counts.second : counts.first) *= one.extent;
            inside |= one.axis == axis;
        }
        return counts;
    }

    Resize const& layer_; // owned by the engine's graph
    Format format_;
    Dims x_;
    AxesOfRun axes_;
    int64_t elements_;
    int64_t most_ = 0; // elements between passes
    std::vector<Pass> passes_;
    std::vector<Outside> outsides_;
};

bool keepsChannels(KernelQuery const& query) {
    if (!(query.node.input(0)->shape[1] == query.node.output()->shape[1])) return false;
    AxesOfRun const resized(query.node, query.inputs, query.outputs[0]);
    return resized.known() && std::ranges::find(resized.axes(), 1, &ResizedAxis::axis) == resized.axes().end();
}

/// Both kernels resize the axes of images other than batch and channels, and any axis of linear tensors.
Offer offerFormats(KernelQuery const& query, std::vector<DataType> const& types, double costPerByte) {
    Tensor const& x = *query.node.input(0);
    bool const takesChannels = x.shape.size() >= 3 && !crops(*as<Resize>(*query.node.layer)) && keepsChannels(query);
    auto const formats = formatsOf(takesChannels, {Format::nhwc(), Format::blocked(channelBlock())});
    Offer offer;
    for (DataType const type : types) {
        for (Format const& format : formats) {
            Label const label{type, format, Device::Cpu};
            Variant variant{.inputs = {label}, .outputs = {label}};
            addHostInputs(query.node, variant);
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
        if (layer.mode != Resize::Mode::Nearest) return Offer::refuse("supports nearest elements only");
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
        if (layer.mode == Resize::Mode::Nearest) return Offer::refuse("supports interpolation only");
        DataType const type = query.node.input(0)->type;
        if (!isFloat(type)) return Offer::refuse(text("computes in float32, not in ", type));
        Offer const inFloat = offerFormats(query, {DataType::Float32}, 4);
        Offer offer{{}, inFloat.refusal};
        for (DataType stored : query.typesOf(*query.node.input(0))) {
            for (Variant const& variant : inFloat.variants) {
                offer.variants.push_back(storedAs(stored, query, variant));
                auto& inputs = offer.variants.back().inputs; // the lists keep their labels
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
