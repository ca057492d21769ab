// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "backends/cuda/int8_labels.h"
#include "backends/cuda/sampled_copy.cuh"
#include "backends/cuda/strided_copy.h"
#include "backends/host_lists.h"
#include "graph/elements.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

/// A cut with known numbers: Y[i] = X[start + i · stride], an axis of extent `extent`.
struct Window {
    int64_t start = 0;
    int64_t stride = 1;
    int64_t extent = 1; // of X
    Slice::Mode mode = Slice::Mode::StrictBounds;

    bool isInside(int64_t count) const {
        int64_t const last = start + (count - 1) * stride;
        return count == 0 || (std::min(start, last) >= 0 && std::max(start, last) < extent);
    }
    bool isWhole(int64_t count) const { return start == 0 && stride == 1 && count == extent; }

    /// Like sampledFrom() of the layer.
    __device__ int64_t from(uint32_t i) const {
        int64_t const at = start + i * stride;
        if (at >= 0 && at < extent) return at;
        switch (mode) {
        case Slice::Mode::Wrap: return (at % extent + extent) % extent;
        case Slice::Mode::Clamp: return at < 0 ? 0 : extent - 1;
        case Slice::Mode::Reflect: {
            int64_t const period = extent == 1 ? 1 : 2 * extent - 2;
            int64_t const within = (at % period + period) % period;
            return within < extent ? within : period - within;
        }
        case Slice::Mode::Fill:
        case Slice::Mode::StrictBounds: break;
        }
        return -1;
    }
};

/// Copies the part inside X, and samples the rest.
class Cutting final : public Executable {
public:
    explicit Cutting(PrepareArgs const& args)
        : layer_(*as<Slice>(*args.node.layer)), label_(args.variant.inputs[0]), x_(args.inputs[0]), y_(args.outputs[0]),
          lists_(args.node, args.inputs) {
        if (lists_.known()) plan();
    }

    void run(Pointers const& pointers) override {
        if (lists_.update(pointers)) plan();
        if (copier_) return copier_->launch(pointers.inputs[0], pointers.outputs[0], pointers.stream);
        bool const isFilled = lists_.tensors().size() > Slice::kFill;
        Fill const fill{isFilled ? pointers.inputs[Slice::kFill] : nullptr};
        launchSampled(sampled_, elementBytes(label_.type), pointers.inputs[0], pointers.outputs[0], fill,
                      streamOf(pointers.stream));
    }

private:
    void plan() {
        std::vector<Window> windows;
        bool isInside = true;
        for (Slice::Cut const& cut : layer_.cuts(operandsOf(lists_.tensors()))) {
            auto const axis = static_cast<int>(windows.size());
            windows.push_back({cut.start.constant(), cut.stride.constant(), x_[axis], layer_.mode});
            isInside &= windows.back().isInside(y_[axis]);
        }
        copier_.reset();
        isInside ? planCopy(windows) : planSamples(windows);
    }

    void planCopy(std::vector<Window> const& windows) {
        StridedCopy copy{label_.type, y_, stridesIn(label_.format, x_), stridesIn(label_.format, y_)};
        for (int axis = 0; axis < y_.rank(); ++axis) {
            Window const& window = windows[static_cast<size_t>(axis)];
            copy.fromOffset += window.start * copy.fromStrides[axis];
            copy.fromStrides[axis] *= window.stride;
        }
        copier_.emplace(copy);
    }

    void planSamples(std::vector<Window> const& windows) {
        std::vector<SampledAxis<Window>> axes;
        for (int const axis : axesInMemory(label_.format, y_.rank())) {
            Window const& window = windows[static_cast<size_t>(axis)];
            axes.push_back({x_[axis], y_[axis], {}});
            if (!window.isWhole(y_[axis])) axes.back().how = window;
        }
        sampled_ = sampledOf(axes);
    }

    Slice const& layer_; // owned by the engine's graph
    Label label_;
    Dims x_, y_;
    HostLists lists_;
    std::optional<StridedCopier> copier_;
    Sampled<Window> sampled_;
};

class CudaSlice final : public Kernel {
public:
    std::string_view name() const override { return "cuda_slice"; }

    // any type; linear, and channels last
    Offer offer(KernelQuery const& query) const override {
        auto const formats = formatsOf(query.node.input(0)->shape.size() >= 3, {Format::nhwc()});
        Offer offer = offerMoving(query, {.writes = 2}, formats);
        bool const fills = as<Slice>(*query.node.layer)->mode == Slice::Mode::Fill; // with zeros, which are not in X
        return fills ? offer : alsoInInt8(std::move(offer));
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Cutting>(args);
    }
};

constexpr CudaSlice kSlice;
constexpr Kernel const* kKernels[]{&kSlice};

} // namespace

KernelList sliceKernels() { return {Slice::kKind, kKernels}; }

} // namespace tenon::cuda
