// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/grouped_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/through_float.h"
#include "backends/cpu/window_loops.h"
#include "backends/packed.h"
#include "base/parallel.h"
#include "layers/convolution/blocked_convolution_cpu.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/convolution_shape.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;

/// The problem of the loops: rows of positions; one of the two axes may be missing.
struct Problem {
    int64_t items, channels, block;
    int64_t group; // channels of one
    bool isLast;   // channels are last, else in blocks
    FixedSlide rows{1, 1, 1, 1, 0, 0, 1};
    FixedSlide places{};

    explicit Problem(PrepareArgs const& args)
        : items(args.inputs[kX][0]), channels(args.inputs[kWeights][0]), block(channelBlock()),
          group(args.inputs[kWeights][1]), isLast(args.variant.outputs[0].format.channelsLast) {
        auto const slides = ConvolutionShape(args.node, args.inputs).slides;
        if (slides.size() == 2) rows = slides[0];
        places = slides.back();
    }
    int64_t blocks() const { return ceilDiv(channels, block); }
    int64_t taps() const { return rows.size * places.size; }
    /// With all channels as one group of a tensor.
    ChannelSteps xSteps() const { return {isLast, 1, channels, rows.in * places.in, block}; }
    ChannelSteps ySteps() const { return {isLast, 1, channels, rows.out * places.out, block}; }
    /// A block for each channel of a group at each tap.
    int64_t weightsOfBlock() const { return taps() * group * block; }
    int64_t weightFloats() const { return blocks() * weightsOfBlock(); }
    double operations() const {
        return 2 * static_cast<double>(items * blocks() * block * rows.out * places.out) *
               static_cast<double>(taps() * group);
    }
};

class GroupedRun final : public Executable {
public:
    GroupedRun(PrepareArgs const& args, HotSteps steps, double nanoseconds)
        : p_(args), bytes_(bitsOf(args.variant.inputs[kX].type) / 8), steps_(std::move(steps)), packed_(args.packed),
          compute_(bytes_ == 2 ? bestLoops<WindowLoops>().bfloat16Products : bestLoops<WindowLoops>().products),
          isStaged_(bytes_ == 2 && !steps_.isEmpty()) {
        expectWords(args, p_.weightFloats() + p_.blocks() * p_.block);
        int64_t const wanted = blockedParts(nanoseconds);
        if (p_.isLast) partBlocks_ = ceilDiv(p_.blocks(), ceilDiv(wanted, p_.items * p_.rows.out)); // the most allowed
        int64_t const groups = p_.items * groupsOfItem();
        int64_t const parts = std::min(ceilDiv(wanted, groups), p_.rows.out);
        rows_ = ceilDiv(p_.rows.out, parts);
        parts_ = ceilDiv(p_.rows.out, rows_);
        // several blocks of channels with little work each are one thread's
        units_ = groups * parts_;
        grain_ = std::max<int64_t>(units_ / wanted, 1);
        slots_ = usefulSlots(units_, grain_);
    }

    size_t workspaceBytes() const override {
        return isStaged_ ? sizeof(float) * static_cast<size_t>(slots_ * stagedFloats()) : 0;
    }

    void run(Pointers const& pointers) override {
        parallelForSlots(units_, grain_, slots_, [&](int64_t begin, int64_t end, int slot) {
            float* const staged = static_cast<float*>(pointers.workspace) + (isStaged_ ? slot * stagedFloats() : 0);
            for (int64_t i = begin; i < end; ++i) computePart(pointers, {i / parts_, i % parts_ * rows_, staged});
        });
    }

private:
    int64_t groupsOfItem() const { return ceilDiv(p_.blocks(), partBlocks_); }

    /// Float32 rows of a part of the channels, which steps convert to bfloat16.
    int64_t stagedFloats() const { return rows_ * p_.places.out * partBlocks_ * p_.block; }

    /// Some rows, from `first` on, of some blocks of channels of an item.
    struct Part {
        int64_t group, first;
        float* staged;
    };

    void computePart(Pointers const& pointers, Part const& part) const {
        int64_t const item = part.group / groupsOfItem();
        int64_t const firstBlock = part.group % groupsOfItem() * partBlocks_;
        int64_t const blocks = std::min(partBlocks_, p_.blocks() - firstBlock);
        int64_t const rows = std::min(rows_, p_.rows.out - part.first);
        int64_t const channels = std::min(blocks * p_.block, p_.channels - firstBlock * p_.block);
        auto const* const x = static_cast<std::byte const*>(pointers.inputs[kX]) + item * xSteps_.item * bytes_;
        int64_t const at =
            item * ySteps_.item + firstBlock * ySteps_.block + part.first * p_.places.out * ySteps_.place;
        Result const result = isStaged_ ? Result{part.staged, sizeof(float), p_.block, p_.isLast ? channels : p_.block}
                                        : Result{static_cast<std::byte*>(pointers.outputs[0]) + at * bytes_, bytes_,
                                                 ySteps_.block, ySteps_.place};
        for (int64_t i = 0; i < blocks; ++i) {
            int64_t const block = firstBlock + i;
            computeRows(block, x + block * xSteps_.block * bytes_, result.ofBlock(i), {part.first, rows});
        }
        // the remaining steps, on positions for which these channels have been computed
        HotSteps::Part const one{at, p_.isLast ? channels : p_.block};
        HotSteps::Rows const places{rows * p_.places.out, ySteps_.place, one.elements};
        isStaged_ ? steps_.store(pointers, part.staged, one, places) : steps_.run(pointers, one, places);
    }

    /// Where results are stored: bytes of an element, and elements between blocks of channels and between positions.
    struct Result {
        void* first;
        int64_t bytes, block, place;
        Result ofBlock(int64_t i) const {
            return {static_cast<std::byte*>(first) + i * block * bytes, bytes, block, place};
        }
    };

    struct Rows {
        int64_t first, number;
    };

    /// Some rows of a block of channels. `x`: its first position; `y`: of the first of these rows.
    void computeRows(int64_t block, std::byte const* x, Result const& y, Rows const& rows) const {
        int64_t const rowOfX = p_.places.in * xSteps_.place;
        auto const* const weights = static_cast<float const*>(packed_->bytes.data());
        int64_t const channel = block * p_.block;
        WindowRow row{.block = p_.block,
                      .channels = p_.isLast ? std::min(p_.block, p_.channels - channel) : p_.block,
                      .row = p_.rows.dilation * rowOfX,
                      .place = xSteps_.place,
                      .places = p_.places.in,
                      .windowRows = p_.rows.size,
                      .windowPlaces = p_.places.size,
                      .stride = p_.places.stride,
                      .dilation = p_.places.dilation,
                      .pre = p_.places.pre,
                      .y = y.first,
                      .narrows = y.bytes == 2,
                      .yPlace = y.place,
                      .results = p_.places.out,
                      .group = p_.group,
                      .weights = weights + block * p_.weightsOfBlock(),
                      .bias = weights + p_.weightFloats() + channel};
        steps_.clamp(row);
        for (int64_t i = 0; i < rows.number; ++i) {
            int64_t const start = (rows.first + i) * p_.rows.stride - p_.rows.pre;
            row.x = x + start * rowOfX * bytes_;
            row.firstRow =
                std::clamp<int64_t>(ceilDiv(std::max<int64_t>(-start, 0), p_.rows.dilation), 0, p_.rows.size);
            row.endRow = std::clamp(ceilDiv(std::max<int64_t>(p_.rows.in - start, 0), p_.rows.dilation), row.firstRow,
                                    p_.rows.size);
            compute_(row);
            row.y = static_cast<std::byte*>(row.y) + p_.places.out * y.place * y.bytes;
        }
    }

    Problem p_;
    int64_t bytes_; // of an element of X and Y
    ChannelSteps xSteps_ = p_.xSteps();
    ChannelSteps ySteps_ = p_.ySteps();
    HotSteps steps_;
    std::shared_ptr<Packed const> packed_;
    void (*compute_)(WindowRow const&);
    bool isStaged_;          // in the workspace, for steps on float32
    int64_t partBlocks_ = 1; // of channels that are computed together
    int64_t rows_;           // and rows
    int64_t parts_;          // of the rows
    int64_t units_;
    int64_t grain_;
    int slots_;
};

double costOf(PrepareArgs const& args) {
    constexpr double kCall = 500;
    double const bytes = static_cast<double>(bytesOf(args.inputs[kX], args.variant.inputs[kX]) +
                                             bytesOf(args.outputs[0], args.variant.outputs[0]));
    double const isLast = Problem(args).isLast ? 0.8 : 1;     // more cache lines per position
    double const kind = Problem(args).group == 1 ? 0.7 : 0.9; // on the scale of kBlockedSpeed
    double const speed = kind * isLast * backend().costs().peak(DataType::Float32);
    return kCall + std::max(Problem(args).operations() / speed, memoryCost(bytes) / 2) + 0.05 * memoryCost(bytes);
}

class GroupedConvolution final : public Kernel {
public:
    std::string_view name() const override { return "grouped_convolution"; }

    // float32 and bfloat16, channels in blocks or last
    Offer offer(KernelQuery const& query) const override {
        if (std::string refusal = groupedRefusal(query); !refusal.empty()) return Offer::refuse(std::move(refusal));
        Format const blocked = Format::blocked(channelBlock());
        return offerBlocked(query, std::array{FormatPair(blocked, blocked), FormatPair(Format::nhwc(), Format::nhwc())},
                            costOf, multipliesPairs());
    }

    Packed pack(PrepareArgs const& args) const override {
        Variant const variant = inFloat(args.variant);
        Problem const p({args.node, variant, args.inputs, args.outputs, nullptr});
        int64_t const taps = p.taps();
        StridedWeights weights(DataType::Float32);
        weights.addFloats(*args.node.input(kWeights)->literal(),
                          ElementOrder{{p.channels, p.group, taps},
                                       {p.group * taps, taps, 1},
                                       {p.weightsOfBlock(), p.block, p.group * p.block},
                                       {p.block},
                                       {0}},
                          0);
        size_t const bias = sizeof(float) * static_cast<size_t>(p.weightFloats());
        if (Tensor const* const given = args.node.input(kBias))
            weights.addFloats(*given->literal(), {{p.channels}, {1}, {1}, {}, {}}, bias);
        return std::move(weights).finish(packKey(variant),
                                         bias + sizeof(float) * static_cast<size_t>(p.blocks() * p.block));
    }
    std::string packKey(Variant const&) const override {
        return text("grouped convolution 1, blocks of ", channelBlock());
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [&](PrepareArgs const& inner) {
            return finishedHot(inner, [&](HotSteps steps) {
                double const nanoseconds = costOf(inner) + steps.nanoseconds();
                return std::make_unique<GroupedRun>(inner, std::move(steps), nanoseconds);
            });
        });
    }
};

} // namespace

std::string groupedRefusal(KernelQuery const& query) {
    if (as<Convolution>(*query.node.layer) == nullptr) return "supports convolutions only";
    ConvolutionShape const shape(query.node, query.inputs);
    Dims const& w = query.inputs[kWeights];
    bool const areFew = shape.groups != 1 && w[1] < channelBlock() && std::has_single_bit(static_cast<uint64_t>(w[1]));
    if (!areFew || shape.groups * w[1] != w[0])
        return text("supports groups of 1, 2, 4 … channels, fewer than ", channelBlock(), ", of X and of Y");
    if (shape.slides.size() > 2) return text("supports 1 or 2 spatial axes, not ", shape.slides.size());
    return inputRefusal(query);
}

Kernel const& groupedConvolution() {
    static constexpr GroupedConvolution kernel;
    return kernel;
}

} // namespace tenon::cpu
