// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn_parts.h"

#include "base/parallel.h"

#include <algorithm>
#include <array>

namespace tenon::cpu {
namespace {

constexpr int64_t kMostParts = 16;

/// The axes of a tensor, outermost in memory first.
Dims orderOf(Dims const& dims, Format const& format) {
    Dims order;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (!format.channelsLast || axis != 1) order.push(axis);
    }
    if (format.channelsLast) order.push(1);
    return order;
}

bool isComputedAlike(DnnlProduct const& part, DnnlProduct const& whole) {
    return part.epilogue.steps == whole.epilogue.steps &&
           std::string_view(part.description.impl_info_str()) == whole.description.impl_info_str();
}

} // namespace

std::optional<Slice> sliceOf(Slice const& whole, Label const& label, Range const& range) {
    Format const& format = label.format;
    bool const cutsBlocks = format.block != 1 && range.axis == format.axis;
    bool const isWhole =
        range.begin % format.block == 0 && (range.end % format.block == 0 || range.end == whole.dims[range.axis]);
    if (cutsBlocks && (!isWhole || format.channelsLast)) return std::nullopt;
    for (int64_t const axis : orderOf(whole.dims, format)) {
        if (axis == range.axis) break;
        if (whole.dims[static_cast<int>(axis)] != 1) return std::nullopt;
    }
    Dims first = Dims::filled(whole.dims.rank(), 0);
    first[range.axis] = range.begin;
    int64_t const elements = offsetOf(first, whole.dims, format);
    Slice slice{whole.dims, whole.offset + static_cast<int64_t>(bytesOf(label.type, elements))};
    slice.dims[range.axis] = range.extent();
    return slice;
}

std::optional<Slice> operandSliceOf(Slice const& operand, Label const& label, Range const& range, int rank) {
    int const axis = range.axis - (rank - operand.dims.rank());
    if (axis < 0 || operand.dims[axis] == 1) return operand;
    return sliceOf(operand, label, {axis, range.begin, range.end});
}

int64_t partsWorth(double nanoseconds, double part) {
    return static_cast<int64_t>(std::clamp<double>(nanoseconds / part, 1, kMostParts));
}

int64_t partsWorth(double nanoseconds, DnnlProduct const& whole) {
    constexpr double kShortPart = 3'000;
    int64_t const parts = partsWorth(nanoseconds);
    int const threads = usefulSlots(kMostParts, 1);
    if (whole.is("gemm") || threads == 1) return parts;
    return std::max(parts, std::min<int64_t>(partsWorth(nanoseconds, kShortPart), 2 * threads));
}

std::vector<Range> rangesOf(int axis, int64_t extent, int64_t unit, int64_t parts) {
    int64_t const units = (extent + unit - 1) / unit;
    int64_t const each = (units + parts - 1) / std::max<int64_t>(parts, 1) * unit;
    std::vector<Range> ranges;
    for (int64_t begin = 0; begin < extent; begin += each)
        ranges.push_back({axis, begin, std::min(extent, begin + each)});
    return ranges;
}

int64_t blocksOfPart(int64_t blocks, int64_t most, int threads) {
    constexpr std::array kPrice{1.3, 1.1, 1.03, 1.0}; // relative cost of a block in parts of 1, 2, 3, 4 or more
    auto const costOf = [&](int64_t each) {
        int64_t const parts = (blocks + each - 1) / each;
        int64_t const rounds = (parts + threads - 1) / threads;
        return static_cast<double>(rounds * each) * kPrice[static_cast<size_t>(std::min<int64_t>(each, 4) - 1)];
    };
    int64_t best = blocks;
    for (int64_t each = blocks; each >= 1 && (blocks + each - 1) / each <= most; --each) {
        if (costOf(each) <= costOf(best)) best = each;
    }
    return best;
}

std::vector<ProductPart> partsBy(Ways const& ways, double nanoseconds, DnnlProduct const& whole,
                                 std::function<std::optional<ProductPart>(Cuts const& cuts)> const& partOf) {
    // The summation order of a gemm depends on its shape and threads, so the parts must be the same for any number.
    bool const isGemm = whole.is("gemm");
    int const threads = usefulSlots(kMostParts, 1);
    if (threads == 1 && !isGemm) return {};
    ThreadLimit const one(1); // primitives are created for this limit
    auto const partsOf = [&](std::vector<Cuts> const& way) {
        std::vector<ProductPart> parts;
        for (Cuts const& cuts : way) {
            auto part = partOf(cuts);
            if (!part || !isComputedAlike(part->made, whole)) return std::vector<ProductPart>();
            parts.push_back(*std::move(part));
        }
        return parts;
    };
    if (ways.empty()) return partsOf({{}});
    // OpenMP's threads spin for some time after each loop, and keep the pool's from running.
    constexpr double kWorthOpenMp = 2e6;
    bool const isShort = isGemm || nanoseconds < kWorthOpenMp;
    auto const enough = static_cast<size_t>(isShort ? 2 : std::clamp(threads, 2, 8));
    for (auto const& way : ways) {
        auto parts = partsOf(way);
        if (parts.size() >= enough) return parts;
    }
    return isShort ? partsOf({{}}) : std::vector<ProductPart>();
}

namespace {

/// `weights`: in the order of the whole.
DnnlStep stepOf(ProductPart const& part, std::span<DnnlArgument const> weights, DnnlProgram& program) {
    ThreadLimit const one(1);
    DnnlStep step = stepOf(part.made, program);
    for (DnnlArgument& argument : step.arguments) {
        if (argument.source == DnnlArgument::Source::Input)
            argument.offset = part.inputs[static_cast<size_t>(argument.at)];
        if (argument.source == DnnlArgument::Source::Output) argument.offset = part.output;
    }
    for (size_t i = 0; i < weights.size(); ++i) {
        step.arguments.push_back(weights[i]);
        step.arguments.back().desc = part.weightDescs[i];
        step.arguments.back().offset += part.weights[i];
    }
    step.arguments.push_back(DnnlArgument::scratchOf(part.made.description));
    return step;
}

} // namespace

std::unique_ptr<Executable> prepareParts(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         DnnlProduct const& whole, std::span<DnnlWanted const> weights,
                                         std::span<ProductPart const> parts) {
    if (parts.empty()) return prepareProduct(args, steps, whole, weights);
    DnnlProgram program(args.packed);
    std::vector<DnnlArgument> all;
    for (DnnlWanted const& wanted : weights) all.push_back(program.reordered(wanted.from, wanted.desc));
    std::vector<DnnlStep> made;
    for (ProductPart const& part : parts) made.push_back(stepOf(part, all, program));
    program.addParts(std::move(made));
    return finishedInPlace(args, steps, whole.epilogue.steps, std::move(program).finish());
}

} // namespace tenon::cpu
