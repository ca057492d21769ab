// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reverse_sequence/reverse_sequence.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

class Reversing final : public Executable {
public:
    explicit Reversing(PrepareArgs const& args)
        : space_(*as<ReverseSequence>(*args.node.layer), args.inputs[0]), count_(args.inputs[1].volume()),
          blockBytes_(space_.inner * static_cast<int64_t>(elementBytes(args.variant.inputs[0].type))),
          wide_(args.variant.inputs[1].type == DataType::Int64) {}

    void run(Pointers const& pointers) override {
        for (int64_t n = 0; n < count_; ++n) { // bodies of parallelFor must not throw
            int64_t const length = lengthAt(pointers.inputs[1], n);
            if (length < 0 || length > space_.steps()) failOnLength(length, n, space_.steps());
        }
        auto const* x = static_cast<std::byte const*>(pointers.inputs[0]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        int64_t const grain = std::max<int64_t>(1, kCopyGrain / std::max<int64_t>(blockBytes_, 16));
        parallelFor(space_.blocks, grain, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block)
                std::memcpy(y + block * blockBytes_, x + sourceOf(block, pointers.inputs[1]) * blockBytes_,
                            static_cast<size_t>(blockBytes_));
        });
    }

private:
    int64_t lengthAt(void const* lengths, int64_t n) const {
        return wide_ ? static_cast<int64_t const*>(lengths)[n] : static_cast<int32_t const*>(lengths)[n];
    }

    int64_t sourceOf(int64_t block, void const* lengths) const {
        int64_t const second = block % space_.second;
        int64_t const first = block / space_.second / space_.between % space_.first;
        int64_t const length = lengthAt(lengths, space_.batchFirst ? first : second);
        int64_t const step = space_.batchFirst ? second : first;
        if (step >= length) return block;
        return block + (length - 1 - step - step) * (space_.batchFirst ? 1 : space_.between * space_.second);
    }

    SequenceSpace space_;
    int64_t count_;
    int64_t blockBytes_;
    bool wide_;
};

class CpuReverseSequence final : public Kernel {
public:
    std::string_view name() const override { return "reverse_sequence"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 2}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Reversing>(args);
    }
};

constexpr CpuReverseSequence kReverseSequence;
constexpr Kernel const* kKernels[]{&kReverseSequence};

} // namespace

KernelList reverseSequenceKernels() { return {ReverseSequence::kKind, kKernels}; }

} // namespace tenon::cpu
