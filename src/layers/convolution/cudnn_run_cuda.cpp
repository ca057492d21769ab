// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/status.h"
#include "backends/cuda/strided_copy.h"
#include "backends/packed.h"
#include "layers/convolution/cudnn_plan_cuda.h"
#include "layers/convolution/direct_convolution_cuda.h"

#include <optional>

namespace tenon::cuda {
namespace {

/// A copy of [outer,inner,window…] from the layer's order to the kernel's.
StridedCopy intoLayout(WeightLayout const& layout, DataType type) {
    auto const order = [&](Dims const& dims) {
        Dims ordered{dims[0]};
        for (int axis = 2; axis < dims.rank(); ++axis) ordered.push(dims[axis]);
        ordered.push(dims[1]);
        return ordered;
    };
    return {type, order(layout.from), order(rowMajorStrides(layout.from)), order(layout.strides())};
}

/// A tensor that is copied to the workspace before cuDNN runs, surrounded by zeros.
struct Staged {
    Place from;
    size_t at = 0; // bytes from the start of the workspace
    size_t bytes = 0;
    bool fill = false;
    StridedCopier copier;
};

/// X, W, bias, operands… → Y: the copies, cuDNN, and the remaining steps.
class RunConvolution final : public Executable {
public:
    RunConvolution(PrepareArgs const& args, ConvolutionShape const& shape) : packed_(args.packedData) {
        if (args.variant.isPacked()) expectPacked(args, packedBytes(args, WeightLayout(args, shape)));
        Place const w = placeWeights(args, shape);
        bias_ = placeBias(args, shape);
        std::vector<FixedSlide> slides = settled(shape.forwards());
        Dims const x = paddedDims(args.inputs[kX], args.variant.inputs[kX].format);
        Planned found = planConvolution(args, shape, slides, x, {{Place::In::Input, kX}, w, bias_});
        if (!found.plan && !shape.backwards && !isEven(slides)) found = planPadded(args, shape, slides, x, w);
        if (!found.plan) direct_.emplace(args, shape, WeightLayout(args, shape).strides());
        if (!found.plan) found.places = {{Place::In::Input, kX}, w, {Place::In::Output, 0}};
        plan_ = std::move(found.plan);
        places_ = std::move(found.places);
        pointers_.resize(places_.size());
        bool const biasIsLeft = hasBias(args.node) && !(plan_ && found.fusedBias);
        epilogue_.emplace(args, shape.epilogue, plan_ ? found.fusedSteps : 0, biasIsLeft ? kBias : -1);
        workspaceBytes_ = staging_ + (plan_ ? plan_->workspaceBytes() : 0);
    }

    size_t workspaceBytes() const override { return workspaceBytes_; }

    void run(Pointers const& pointers) override {
        for (Staged const& staged : staged_) {
            auto* const to = static_cast<char*>(pointers.workspace) + staged.at;
            if (staged.fill) check(cudaMemsetAsync(to, 0, staged.bytes, streamOf(pointers.stream)), "cudaMemsetAsync");
            staged.copier.launch(find(staged.from, pointers), to, pointers.stream);
        }
        for (size_t i = 0; i < places_.size(); ++i) pointers_[i] = find(places_[i], pointers);
        if (plan_)
            plan_->run(pointers_, static_cast<char*>(pointers.workspace) + staging_, pointers.stream);
        else
            direct_->launch(pointers_[0], pointers_[1], pointers_[2], pointers.stream);
        epilogue_->launch(pointers, find(bias_, pointers));
    }

private:
    /// With the padding in the workspace; the copy is dropped if it does not help.
    Planned planPadded(PrepareArgs const& args, ConvolutionShape const& shape, std::vector<FixedSlide> slides, Dims x,
                       Place w) {
        x = withPadding(x, slides);
        StridedCopy const copy = copyWithPadding(args, slides);
        for (FixedSlide& slide : slides) slide.pre = slide.post = 0;
        size_t const before = staging_;
        Place const from = stage({Place::In::Input, kX}, bytesOf(copy.type, x.volume()), true, copy);
        Planned found = planConvolution(args, shape, slides, x, {from, w, bias_});
        if (!found.plan) staged_.pop_back(), staging_ = before;
        return found;
    }

    Place stage(Place from, size_t bytes, bool fill, StridedCopy const& copy) {
        Place const place{Place::In::Workspace, staging_};
        staged_.push_back({from, staging_, bytes, fill, StridedCopier(copy)});
        staging_ += aligned(bytes);
        return place;
    }

    Place placeWeights(PrepareArgs const& args, ConvolutionShape const& shape) {
        if (isPacked(args.variant, kWeights)) return {Place::In::Packed, 0};
        WeightLayout const layout(args, shape);
        if (layout.isAsGiven()) return {Place::In::Input, kWeights};
        DataType const type = args.variant.inputs[kX].type;
        return stage({Place::In::Input, kWeights}, layout.bytes(type), layout.dims != layout.from,
                     intoLayout(layout, type));
    }

    Place placeBias(PrepareArgs const& args, ConvolutionShape const& shape) {
        DataType const type = args.variant.inputs[kX].type;
        if (isPacked(args.variant, kBias)) return {Place::In::Packed, aligned(WeightLayout(args, shape).bytes(type))};
        int64_t const channels = args.outputs[0][1];
        bool const isPadded = padded(channels, args.variant.outputs[0].format) != channels;
        if (!hasBias(args.node) || !isPadded) return {Place::In::Input, kBias};
        return stage({Place::In::Input, kBias}, biasBytes(args), true, {type, {channels}, {1}, {1}});
    }

    void* find(Place const& place, Pointers const& pointers) const {
        switch (place.in) {
        case Place::In::Input: return const_cast<void*>(pointers.inputs[place.at]);
        case Place::In::Output: return pointers.outputs[place.at];
        case Place::In::Packed: return const_cast<char*>(static_cast<char const*>(packed_)) + place.at;
        case Place::In::Workspace: return static_cast<char*>(pointers.workspace) + place.at;
        }
        return nullptr;
    }

    void const* packed_;
    std::vector<Staged> staged_;
    size_t staging_ = 0; // bytes of the workspace for the copies
    Place bias_;
    std::unique_ptr<CudnnPlan> plan_;
    std::optional<DirectConvolution> direct_; // if cuDNN has no engine
    std::vector<Place> places_;
    std::vector<void*> pointers_; // the addresses of these tensors
    std::optional<EpilogueRun> epilogue_;
    size_t workspaceBytes_ = 0;
};

} // namespace

std::unique_ptr<Executable> prepareCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    return std::make_unique<RunConvolution>(args, shape);
}

} // namespace tenon::cuda
