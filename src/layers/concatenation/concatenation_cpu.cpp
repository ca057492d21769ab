// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/concatenation/concatenation.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/strided_copy.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <cstring>

namespace tenon::cpu {
namespace {

/// The number of rows that are concatenated: contiguous parts of the tensor that contain the whole of `axis`.
int64_t rowsBefore(Dims const& dims, Format const& format, int axis) {
    if (format.isLinear() || axis == 0) return dims.volume(0, axis);
    int64_t const rest = dims.volume(2, dims.rank());
    if (format.channelsLast) return dims[0] * (axis == 1 ? rest : dims.volume(2, axis));
    int64_t const blocks = (dims[1] + format.block - 1) / format.block;
    return dims[0] * (axis == 1 ? 1 : blocks * dims.volume(2, axis));
}

class Joining final : public Executable {
public:
    explicit Joining(PrepareArgs const& args) {
        Label const& label = args.variant.outputs[0];
        int const axis = resolveAxis(as<Concatenation>(*args.node.layer)->axis, args.outputs[0].rank());
        auto const bytes = static_cast<int64_t>(elementBytes(label.type));
        if (args.outputs[0].volume() == 0) return;
        rows_ = rowsBefore(args.outputs[0], label.format, axis);
        rowBytes_ = paddedVolume(args.outputs[0], label.format) / rows_ * bytes;
        int64_t start = 0;
        for (size_t i = 0; i < args.inputs.size(); ++i) {
            int64_t const part = paddedVolume(args.inputs[i], label.format) / rows_ * bytes;
            if (part == 0) continue;
            parts_.push_back({i, start, part, StridedCopy({rows_, part}, {part, 1}, {rowBytes_, 1}, 1)});
            start += part;
        }
    }

    void run(Pointers const& pointers) override {
        constexpr int64_t kShortRow = 16384; // parts of a short row are best written together, while it is in the cache
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        if (rowBytes_ < kShortRow) return joinRows(pointers.inputs, y);
        for (Part const& part : parts_) part.copy.run(pointers.inputs[part.input], y + part.start);
    }

private:
    struct Part {
        size_t input;
        int64_t start; // offset in a row, in bytes
        int64_t bytes;
        StridedCopy copy;
    };

    void joinRows(void const* const* inputs, std::byte* y) const {
        parallelFor(rows_, kCopyGrain / std::max<int64_t>(rowBytes_, 1) + 1, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                for (Part const& part : parts_)
                    std::memcpy(y + row * rowBytes_ + part.start,
                                static_cast<std::byte const*>(inputs[part.input]) + row * part.bytes,
                                static_cast<size_t>(part.bytes));
            }
        });
    }

    int64_t rows_ = 0;
    int64_t rowBytes_ = 0;
    std::vector<Part> parts_;
};

class CpuConcatenation final : public Kernel {
public:
    std::string_view name() const override { return "concatenate"; }
    bool takesEmpty() const override { return true; } // common in models that append to a cache

    // any type; linear, channels last, and blocked where no block has channels of two inputs
    Offer offer(KernelQuery const& query) const override {
        bool const hasChannels = query.node.output()->shape.size() >= 3;
        auto formats = formatsOf(hasChannels, {Format::nhwc()});
        if (hasChannels && blocksStayWhole(query.node)) formats.push_back(Format::blocked(channelBlock()));
        return offerMoving(query, {.writes = 2}, formats);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Joining>(args);
    }

private:
    static bool blocksStayWhole(Node const& node) {
        auto const& layer = *as<Concatenation>(*node.layer);
        if (resolveAxis(layer.axis, static_cast<int>(node.output()->shape.size())) != 1) return true;
        for (size_t i = 0; i + 1 < node.inputs().size(); ++i) {
            DimExpr const& channels = node.inputs()[i]->shape[1];
            if (!channels.isConstant() || channels.constant() % channelBlock() != 0) return false;
        }
        return true;
    }
};

constexpr CpuConcatenation kConcatenate;
constexpr Kernel const* kKernels[]{&kConcatenate};

} // namespace

KernelList concatenationKernels() { return {Concatenation::kKind, kKernels}; }

} // namespace tenon::cpu
