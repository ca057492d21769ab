// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/nms/nms.h"

#include "backends/cpu/cpu_backend.h"
#include "base/error.h"
#include "base/parallel.h"
#include "layers/nms/nms_box.h"

#include <limits>

namespace tenon::cpu {
namespace {

/// The scalar inputs of a run.
struct Wish {
    int64_t most = 0;
    float overlap = 0;
    float least = -std::numeric_limits<float>::infinity();
    bool anyScore = true; // there is no score threshold
};

/// Processes each class of each batch item ("pair") separately, in a piece of the workspace. A candidate is one number:
/// the rank of its score, then class and box, so that equal scores stay in order.
class Suppressing final : public Executable {
public:
    explicit Suppressing(PrepareArgs const& args)
        : layer_(*as<Nms>(*args.node.layer)), type_(args.variant.inputs[0].type),
          wideMost_(args.variant.inputs[Nms::kMost].type == DataType::Int64), inputs_(args.inputs.size()),
          extents_(layer_, args.inputs[Nms::kBoxes], args.inputs[Nms::kScores]),
          counts_(static_cast<size_t>(extents_.pairs()) + 1) {
        if (extents_.classes * extents_.boxes > int64_t{UINT32_MAX})
            fail(ErrorCode::Unsupported, "selects among ", extents_.classes * extents_.boxes,
                 " boxes of a batch item; expected fewer than 2^32");
    }

    /// The candidates, and, if these are limited, a copy of them that is sorted.
    size_t workspaceBytes() const override {
        return static_cast<size_t>(extents_.pairs() * extents_.boxes) * sizeof(uint64_t) * (isLimited() ? 2 : 1);
    }

    void run(Pointers const& pointers) override {
        Wish const wish = wishOf(pointers);
        auto* const all = static_cast<uint64_t*>(pointers.workspace);
        dispatch(type_, [&]<class T>(TypeTag<T>) {
            auto const* boxes = static_cast<T const*>(pointers.inputs[Nms::kBoxes]);
            auto const* scores = static_cast<T const*>(pointers.inputs[Nms::kScores]);
            forEachPair([&](int64_t pair) { count(pair) = list(scores, pair, wish, piece(all, pair)); });
            if (isLimited()) limit(all);
            forEachPair([&](int64_t pair) { count(pair) = choose(boxes, pair, wish, piece(all, pair)); });
        });
        write(all, pointers);
    }

private:
    bool isLimited() const { return layer_.boxLimit > 0 && layer_.boxLimit < extents_.classes * extents_.boxes; }
    int64_t& count(int64_t pair) { return counts_[static_cast<size_t>(pair) + 1]; }
    uint64_t* piece(uint64_t* all, int64_t pair) const { return all + pair * extents_.boxes; }

    template <class Body> void forEachPair(Body const& body) const {
        parallelFor(extents_.pairs(), 1, [&](int64_t begin, int64_t end) {
            for (int64_t pair = begin; pair < end; ++pair) body(pair);
        });
    }

    Wish wishOf(Pointers const& pointers) const {
        Wish wish;
        void const* const most = pointers.inputs[Nms::kMost];
        wish.most = wideMost_ ? *static_cast<int64_t const*>(most) : *static_cast<int32_t const*>(most);
        if (auto const* overlap = scalar(pointers, Nms::kOverlap)) wish.overlap = *overlap;
        if (auto const* least = scalar(pointers, Nms::kLeast)) wish.least = *least, wish.anyScore = false;
        return wish;
    }
    /// Null if the input is absent.
    float const* scalar(Pointers const& pointers, size_t input) const {
        return input < inputs_ ? static_cast<float const*>(pointers.inputs[input]) : nullptr;
    }

    /// Writes the candidates of a pair; returns their number.
    template <class T> int64_t list(T const* scores, int64_t pair, Wish const& wish, uint64_t* to) const {
        uint64_t* const first = to;
        auto const ofClass = static_cast<uint64_t>(pair % extents_.classes * extents_.boxes);
        for (int64_t box = 0; box < extents_.boxes; ++box) {
            auto const score = static_cast<float>(scores[extents_.scoreAt(pair, box)]);
            uint32_t const rank = wish.anyScore || score > wish.least ? rankOf(score) : kNoCandidate;
            if (rank != kNoCandidate) *to++ = uint64_t{rank} << 32 | (ofClass + static_cast<uint64_t>(box));
        }
        return to - first;
    }

    /// Keeps only the candidates that are among the best of their batch item.
    void limit(uint64_t* all) {
        parallelFor(extents_.batch, 1, [&](int64_t begin, int64_t end) {
            for (int64_t item = begin; item < end; ++item) limitItem(all, item);
        });
    }
    void limitItem(uint64_t* all, int64_t item) {
        int64_t const firstPair = item * extents_.classes;
        uint64_t* const copy = all + (extents_.pairs() + firstPair) * extents_.boxes;
        uint64_t* end = copy;
        for (int64_t pair = firstPair; pair < firstPair + extents_.classes; ++pair)
            end = std::copy_n(piece(all, pair), count(pair), end);
        if (end - copy <= layer_.boxLimit) return;
        std::nth_element(copy, copy + layer_.boxLimit, end);
        uint64_t const beyond = copy[layer_.boxLimit];
        for (int64_t pair = firstPair; pair < firstPair + extents_.classes; ++pair) {
            uint64_t* const mine = piece(all, pair);
            count(pair) = std::remove_if(mine, mine + count(pair), [&](uint64_t c) { return c >= beyond; }) - mine;
        }
    }

    /// Moves the selected ones to the front; returns their number.
    template <class T> int64_t choose(T const* boxes, int64_t pair, Wish const& wish, uint64_t* candidates) {
        uint64_t* const end = candidates + count(pair);
        std::sort(candidates, end);
        int64_t chosen = 0;
        for (uint64_t const* one = candidates; one != end && chosen < wish.most; ++one) {
            NmsBox const box = boxOf(boxes, pair, *one);
            bool isFree = true;
            for (int64_t i = 0; i < chosen && isFree; ++i)
                isFree = !overlap(boxOf(boxes, pair, candidates[i]), box, wish.overlap);
            if (isFree) candidates[chosen++] = *one;
        }
        return chosen;
    }

    int64_t boxIndex(uint64_t candidate) const { return static_cast<int64_t>(candidate & UINT32_MAX) % extents_.boxes; }
    template <class T> NmsBox boxOf(T const* boxes, int64_t pair, uint64_t candidate) const {
        T const* const at = boxes + extents_.boxAt(pair, boxIndex(candidate));
        return nmsBox(layer_.format, static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]),
                      static_cast<float>(at[3]));
    }

    void write(uint64_t* all, Pointers const& pointers) {
        counts_[0] = 0;
        for (size_t pair = 1; pair < counts_.size(); ++pair) counts_[pair] += counts_[pair - 1];
        if (layer_.indices == DataType::Int64) return writeAs<int64_t>(all, pointers);
        writeAs<int32_t>(all, pointers);
    }
    template <class Index> void writeAs(uint64_t* all, Pointers const& pointers) const {
        *static_cast<Index*>(pointers.outputs[1]) = static_cast<Index>(counts_.back());
        forEachPair([&](int64_t pair) {
            int64_t const first = counts_[static_cast<size_t>(pair)];
            int64_t const end = counts_[static_cast<size_t>(pair) + 1];
            for (int64_t i = first; i < end; ++i) {
                Index* const row = static_cast<Index*>(pointers.outputs[0]) + 3 * i;
                row[0] = static_cast<Index>(pair / extents_.classes);
                row[1] = static_cast<Index>(pair % extents_.classes);
                row[2] = static_cast<Index>(boxIndex(piece(all, pair)[i - first]));
            }
        });
    }

    Nms const& layer_; // owned by the engine's graph
    DataType type_;
    bool wideMost_;
    size_t inputs_;
    NmsExtents extents_;
    std::vector<int64_t> counts_; // [pair + 1]: of the pair; finally, the prefix sums
};

class CpuNms final : public Kernel {
public:
    std::string_view name() const override { return "nms"; }

    // float, linear, in the network's type: rounded coordinates would change what overlaps
    Offer offer(KernelQuery const& query) const override {
        auto const plain = [](Tensor const* tensor) {
            return Label{tensor ? tensor->type : DataType::Float32, Format::linear(), Device::Cpu};
        };
        Variant variant;
        for (Tensor const* input : query.node.inputs()) variant.inputs.push_back(plain(input));
        for (Tensor const* output : query.node.outputs()) variant.outputs.push_back(plain(output));
        variant.cost = 20.0 * static_cast<double>(query.inputs[Nms::kScores].volume());
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Suppressing>(args);
    }
};

constexpr CpuNms kNms;
constexpr Kernel const* kKernels[]{&kNms};

} // namespace

KernelList nmsKernels() { return {Nms::kKind, kKernels}; }

} // namespace tenon::cpu
