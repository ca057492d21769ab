// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/one_hot/one_hot.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

/// Each thread fills rows of the new axis with "off", and then sets the "on" values.
class Setting final : public Executable {
public:
    explicit Setting(PrepareArgs const& args)
        : bytes_(elementBytes(args.variant.outputs[0].type)),
          wide_(args.variant.inputs[OneHot::kIndices].type == DataType::Int64) {
        Dims const& y = args.outputs[0];
        int const axis = resolveAxis(as<OneHot>(*args.node.layer)->axis, y.rank());
        outer_ = y.volume(0, axis);
        depth_ = y[axis];
        inner_ = y.volume(axis + 1, y.rank());
    }

    void run(Pointers const& pointers) override {
        switch (bytes_) {
        case 1: return set<uint8_t>(pointers);
        case 2: return set<uint16_t>(pointers);
        case 4: return set<uint32_t>(pointers);
        }
        set<uint64_t>(pointers);
    }

private:
    template <class T> void set(Pointers const& pointers) const {
        constexpr int64_t kGrain = 16 << 10; // elements
        auto const* values = static_cast<T const*>(pointers.inputs[OneHot::kValues]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        if (outer_ == 1) { // rows are the elements at one index
            int64_t const ranges = usefulSlots(depth_, std::max<int64_t>(1, kGrain / inner_)); // each reads all indices
            return parallelFor(ranges, 1, [&](int64_t begin, int64_t end) {
                fill(y, depth_ * begin / ranges, depth_ * end / ranges, values, pointers);
            });
        }
        parallelFor(outer_, std::max<int64_t>(1, kGrain / (depth_ * inner_)), [&](int64_t begin, int64_t end) {
            for (int64_t o = begin; o < end; ++o) fill(y, o * depth_, (o + 1) * depth_, values, pointers);
        });
    }

    /// Rows [begin, end) of Y, all of one o.
    template <class T> void fill(T* y, int64_t begin, int64_t end, T const* values, Pointers const& pointers) const {
        std::fill(y + begin * inner_, y + end * inner_, values[0]);
        int64_t const first = begin / depth_ * depth_;
        for (int64_t j = 0; j < inner_; ++j) {
            int64_t const index = indexAt(pointers, first / depth_ * inner_ + j);
            int64_t const row = first + (index < 0 ? index + depth_ : index);
            bool const isInside = index >= -depth_ && index < depth_;
            if (isInside && row >= begin && row < end) y[row * inner_ + j] = values[1];
        }
    }

    int64_t indexAt(Pointers const& pointers, int64_t i) const {
        void const* const indices = pointers.inputs[OneHot::kIndices];
        return wide_ ? static_cast<int64_t const*>(indices)[i] : static_cast<int32_t const*>(indices)[i];
    }

    size_t bytes_;
    bool wide_;
    int64_t outer_ = 1;
    int64_t depth_ = 1;
    int64_t inner_ = 1;
};

class CpuOneHot final : public Kernel {
public:
    std::string_view name() const override { return "one_hot"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 1}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Setting>(args);
    }
};

constexpr CpuOneHot kOneHot;
constexpr Kernel const* kKernels[]{&kOneHot};

} // namespace

KernelList oneHotKernels() { return {OneHot::kKind, kKernels}; }

} // namespace tenon::cpu
