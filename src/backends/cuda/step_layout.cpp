// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/step_kernels.h"
#include "backends/step_variants.h"
#include "base/error.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

constexpr int kBlock = 8; // padding granularity of channels
constexpr int kBlockOfBytes = 16;

} // namespace

Offer offerSteps(StepProgram const& program, KernelQuery const& query, double operations) {
    Tensor const& x = *query.node.input(0);
    if (!isFloat(x.type) || program.hasBool())
        return Offer::refuse(text("supports floating point, not ", query.node.output()->type, " from ", x.type));
    if (program.inputs.size() > size_t{kMostStepInputs})
        return Offer::refuse(text("supports ", kMostStepInputs, " inputs at most, not ", program.inputs.size()));
    if (query.outputs[0].volume() >= kMostStepElements) return Offer::refuse("supports fewer than 2^31 elements");
    int const rank = query.outputs[0].rank();
    bool const takesChannels = hasChannels(rank) && program.readsAsTheyAre(query.inputs);
    auto const formats = formatsOf(takesChannels, {Format::nhwc(), Format::nhwc(kBlock)});
    auto const ofIntegers = formatsOf(takesChannels, {Format::nhwc(), Format::nhwc(kBlockOfBytes)});
    double const each = operations * static_cast<double>(program.steps.size()); // of the whole program, per element
    StepVariants const make(
        query, {kCuda, int8Label, [&](double bytes, double elements) { return kernelCost(bytes, each * elements); }});
    return offerTypes(query, x, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) make.add(type, format, offer.variants);
        for (Format const& format : ofIntegers) make.addIntegers(type, format, offer.variants);
    });
}

StepLayout::StepLayout(StepProgram const& program, PrepareArgs const& args)
    : inputs_(program.inputs), count_(paddedVolume(args.outputs[0], args.variant.outputs[0].format)) {
    Dims const& dims = args.outputs[0];
    Format const& format = args.variant.outputs[0].format;
    if (count_ >= kMostStepElements)
        fail(ErrorCode::Unsupported, "a result of ", count_, " elements; expected fewer than 2^31");
    std::vector<OperandView> views;
    for (size_t i = 0; i < inputs_.size(); ++i)
        views.push_back({program.dims[i], args.variant.inputs[static_cast<size_t>(inputs_[i])].format});
    axes_ = memoryAxes(dims, format, views);
    if (format.isLinear() || dims[format.axis] % format.block == 0) return;
    channels_ = dims[format.axis];
    paddedChannels_ = (channels_ + format.block - 1) / format.block * format.block;
}

int StepLayout::widestPack(int most) const {
    if (axes_.extents.rank() == 0) return 1;
    int width = most;
    while (width > 1 && !hasPacksOf(width)) width /= 2;
    return width;
}

bool StepLayout::hasPacksOf(int width) const {
    int const last = axes_.extents.rank() - 1;
    if (axes_.extents[last] % width != 0 || paddedChannels_ % width != 0) return false;
    return std::ranges::all_of(axes_.strides, [&](Dims const& strides) {
        auto const isAligned = [&](int64_t stride) { return stride % width == 0; };
        return strides[last] == 0 || (strides[last] == 1 && std::all_of(strides.begin(), strides.end() - 1, isAligned));
    });
}

StepSpace StepLayout::space(int width) const {
    StepSpace space;
    space.packs = static_cast<uint32_t>(count_ / width);
    space.rank = axes_.extents.rank();
    space.channels = static_cast<uint32_t>(channels_);
    if (channels_ != 0) space.packsOfChannels = Divider(static_cast<uint32_t>(paddedChannels_ / width));
    for (int i = 0; i < space.rank; ++i) {
        int const axis = space.rank - 1 - i;
        int const step = i == 0 ? width : 1;
        space.extents[i] = Divider(static_cast<uint32_t>(std::max<int64_t>(axes_.extents[axis] / step, 1)));
        for (size_t k = 0; k < inputs_.size(); ++k) space.strides[k][i] = axes_.strides[k][axis] * step;
    }
    return space;
}

StepPointers StepLayout::pointersOf(Pointers const& pointers) const {
    StepPointers result;
    for (size_t k = 0; k < inputs_.size(); ++k) result.inputs[k] = pointers.inputs[inputs_[k]];
    result.output = pointers.outputs[0];
    return result;
}

} // namespace tenon::cuda
