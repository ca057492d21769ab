// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/transpose.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tenon::cpu {
namespace {

/// The modes that gather whole blocks: block r of Y is the block of X that the r-th row of indices names.
///   Default  X [B,O,D,J]        indices [B,I]    block r = (b, o, i): the index at (b, i), in the axis D
///   ND       X [B,P0,…,Pk-1,J]  indices [B,I,k]  block r = (b, i): the k indices there, in the axes P
class Picking final : public Executable {
public:
    explicit Picking(PrepareArgs const& args) {
        auto const& layer = *as<Gather>(*args.node.layer);
        Dims const& x = args.inputs[0];
        Dims const& indices = args.inputs[1];
        auto const common = static_cast<int>(layer.elementWiseDims);
        bool const tuples = layer.mode == Gather::Mode::ND;
        int const last = indices.rank() - (tuples ? 1 : 0);
        firstAxis_ = tuples ? common : resolveAxis(layer.axis, x.rank());
        length_ = tuples ? static_cast<int>(indices[last]) : 1;
        extents_ = Dims(x.span().subspan(static_cast<size_t>(firstAxis_), static_cast<size_t>(length_)));
        outer_ = x.volume(common, firstAxis_);
        count_ = indices.volume(common, last);
        blocks_ = x.volume(0, firstAxis_) * count_;
        blockBytes_ =
            x.volume(firstAxis_ + length_, x.rank()) * static_cast<int64_t>(elementBytes(args.variant.inputs[0].type));
        wide_ = args.variant.inputs[1].type == DataType::Int64;
    }

    void run(Pointers const& pointers) override {
        if (wide_) return runWith(static_cast<int64_t const*>(pointers.inputs[1]), pointers);
        runWith(static_cast<int32_t const*>(pointers.inputs[1]), pointers);
    }

private:
    template <class Index> void runWith(Index const* indices, Pointers const& pointers) const {
        switch (blockBytes_) {
        case 1: return pick(indices, pointers, CopyOne<uint8_t>{});
        case 2: return pick(indices, pointers, CopyOne<uint16_t>{});
        case 4: return pick(indices, pointers, CopyOne<uint32_t>{});
        case 8: return pick(indices, pointers, CopyOne<uint64_t>{});
        }
        pick(indices, pointers, [bytes = blockBytes_](void* y, void const* x, int64_t to, int64_t from) {
            std::memcpy(static_cast<std::byte*>(y) + to * bytes, static_cast<std::byte const*>(x) + from * bytes,
                        static_cast<size_t>(bytes));
        });
    }

    /// Blocks of one element, which are copied without a call.
    template <class T> struct CopyOne {
        void operator()(void* y, void const* x, int64_t to, int64_t from) const {
            static_cast<Unaligned<T>*>(y)[to] = static_cast<Unaligned<T> const*>(x)[from];
        }
    };

    template <class Index, class Copy>
    void pick(Index const* indices, Pointers const& pointers, Copy const& copy) const {
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        int64_t const grain = std::max<int64_t>(1, kCopyGrain / 4 / std::max<int64_t>(blockBytes_, 16));
        parallelFor(blocks_, grain, [&](int64_t begin, int64_t end) {
            for (int64_t count = 0; begin < end; begin += count) {
                count = std::min(end - begin, count_ - begin % count_); // of one row: divisions are slow
                Index const* const tuples = indices + tupleOf(begin);
                int64_t const row = begin / count_;
                for (int64_t i = 0; i < count; ++i) {
                    int64_t const from = sourceOf(row, tuples + i * length_);
                    if (from < 0) return wrong.store(begin + i);
                    copy(pointers.outputs[0], pointers.inputs[0], begin + i, from);
                }
            }
        });
        if (wrong >= 0) explain(wrong, pointers.inputs[1]);
    }

    int64_t at(void const* indices, int64_t i) const {
        return wide_ ? static_cast<int64_t const*>(indices)[i] : static_cast<int32_t const*>(indices)[i];
    }
    /// The position of the index of this block.
    int64_t tupleOf(int64_t block) const { return (block / (outer_ * count_) * count_ + block % count_) * length_; }

    /// The block of X that this index names for a row of blocks of Y; -1 if it is out of range.
    template <class Index> int64_t sourceOf(int64_t row, Index const* tuple) const {
        for (int k = 0; k < length_; ++k) {
            int64_t const index = tuple[k];
            int64_t const extent = extents_[k];
            if (index < -extent || index >= extent) return -1;
            row = row * extent + (index < 0 ? index + extent : index);
        }
        return row;
    }

    [[noreturn]] void explain(int64_t block, void const* indices) const {
        int64_t const tuple = tupleOf(block);
        int k = 0;
        while (k + 1 < length_ && at(indices, tuple + k) >= -extents_[k] && at(indices, tuple + k) < extents_[k]) ++k;
        failOnIndex(at(indices, tuple + k), extents_[k], firstAxis_ + k);
    }

    int firstAxis_ = 0;
    int length_ = 1; // components of an index
    Dims extents_;   // of the axes that they address
    int64_t outer_ = 1;
    int64_t count_ = 1;
    int64_t blocks_ = 0;
    int64_t blockBytes_ = 0;
    bool wide_ = true;
};

/// Y[o,i,j] = X[o, indices[o,i,j], j], in rows along the last axis.
class PickingElements final : public Executable {
public:
    explicit PickingElements(PrepareArgs const& args)
        : x_(args.inputs[0]), y_(args.inputs[1]), strides_(rowMajorStrides(x_)),
          at_(resolveAxis(as<Gather>(*args.node.layer)->axis, x_.rank())),
          elementBytes_(elementBytes(args.variant.inputs[0].type)),
          wide_(args.variant.inputs[1].type == DataType::Int64) {}

    void run(Pointers const& pointers) override {
        if (wide_) return runWith(static_cast<int64_t const*>(pointers.inputs[1]), pointers);
        runWith(static_cast<int32_t const*>(pointers.inputs[1]), pointers);
    }

private:
    template <class Index> void runWith(Index const* indices, Pointers const& pointers) const {
        switch (elementBytes_) {
        case 1: return pick<uint8_t>(indices, pointers);
        case 2: return pick<uint16_t>(indices, pointers);
        case 4: return pick<uint32_t>(indices, pointers);
        }
        pick<uint64_t>(indices, pointers);
    }

    template <class T, class Index> void pick(Index const* indices, Pointers const& pointers) const {
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        int const last = y_.rank() - 1;
        int64_t const length = y_[last];
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        parallelFor(y_.volume(0, last), std::max<int64_t>(1, 8192 / std::max<int64_t>(length, 1)),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) {
                            int64_t const bad = pickRow(x + startOf(row), indices + row * length, y + row * length);
                            if (bad >= 0) return wrong.store(row * length + bad);
                        }
                    });
        if (wrong >= 0) failOnIndex(indices[wrong], x_[at_], at_);
    }

    /// The offset of a row in X, without the offsets of its indices.
    int64_t startOf(int64_t row) const {
        int64_t start = 0;
        for (int axis = y_.rank() - 2; axis >= 0; row /= y_[axis--])
            start += axis == at_ ? 0 : row % y_[axis] * strides_[axis];
        return start;
    }

    /// The position of an index that is out of range; -1 if there is none.
    template <class T, class Index> int64_t pickRow(T const* x, Index const* indices, T* y) const {
        int64_t const length = y_[y_.rank() - 1];
        int64_t const extent = x_[at_];
        int64_t const stride = strides_[at_];
        int64_t const step = at_ == y_.rank() - 1 ? 0 : 1;
        for (int64_t j = 0; j < length; ++j) {
            int64_t const index = indices[j] < 0 ? indices[j] + extent : indices[j];
            if (index < 0 || index >= extent) return j;
            y[j] = x[index * stride + j * step];
        }
        return -1;
    }

    Dims x_, y_, strides_; // Y has the shape of the indices
    int at_;
    size_t elementBytes_;
    bool wide_;
};

class CpuGather final : public Kernel {
public:
    std::string_view name() const override { return "gather"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (as<Gather>(*args.node.layer)->mode == Gather::Mode::Element) return std::make_unique<PickingElements>(args);
        return std::make_unique<Picking>(args);
    }
};

constexpr CpuGather kGather;
constexpr Kernel const* kKernels[]{&kGather};

} // namespace

KernelList gatherKernels() { return {Gather::kKind, kKernels}; }

} // namespace tenon::cpu
