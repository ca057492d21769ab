// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/select/select.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "graph/memory_axes.h"

namespace tenon::cpu {
namespace {

/// y[i] = condition[i * strides[0]] ? a[i * strides[1]] : b[i * strides[2]]
struct Run {
    bool const* condition;
    void const* a;
    void const* b;
    void* y;
    int64_t strides[3];
    int64_t count;
};
using Loop = void (*)(Run const& run);

template <class Bits> void loop(Run const& run) {
    auto const* a = static_cast<Bits const*>(run.a);
    auto const* b = static_cast<Bits const*>(run.b);
    auto* y = static_cast<Bits*>(run.y);
    bool const dense = run.strides[0] == 1 && run.strides[1] == 1 && run.strides[2] == 1;
    if (dense) {
        for (int64_t i = 0; i < run.count; ++i) y[i] = run.condition[i] ? a[i] : b[i];
    } else {
        auto const [c, s, t] = run.strides;
        for (int64_t i = 0; i < run.count; ++i) y[i] = run.condition[i * c] ? a[i * s] : b[i * t];
    }
}

/// By the size of an element; null for elements that share bytes.
Loop loopOf(DataType type) {
    switch (bitsOf(type)) {
    case 8: return loop<uint8_t>;
    case 16: return loop<uint16_t>;
    case 32: return loop<uint32_t>;
    case 64: return loop<uint64_t>;
    default: return nullptr;
    }
}

class SelectExecutable final : public Executable {
public:
    explicit SelectExecutable(PrepareArgs const& args)
        : loop_(loopOf(args.variant.outputs[0].type)),
          bytes_(static_cast<int64_t>(bytesOf(args.variant.outputs[0].type, 1))), volume_(args.outputs[0].volume()) {
        std::vector<OperandView> views;
        for (Dims const& dims : args.inputs) views.push_back({dims, Format::linear()});
        axes_ = memoryAxes(args.outputs[0], Format::linear(), views);
        last_ = axes_.extents.rank() - 1;
        inner_ = last_ < 0 ? 1 : axes_.extents[last_];
    }

    void run(Pointers const& pointers) override {
        if (volume_ == 0) return;
        if (inner_ == volume_)
            return parallelFor(inner_, kGrain, [&](int64_t begin, int64_t end) { runRow(pointers, 0, begin, end); });
        parallelFor(volume_ / inner_, std::max<int64_t>(kGrain / inner_, 1), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) runRow(pointers, row, 0, inner_);
        });
    }

private:
    static constexpr int64_t kGrain = 16 * 1024;

    void runRow(Pointers const& pointers, int64_t row, int64_t begin, int64_t end) const {
        auto const* condition = static_cast<bool const*>(pointers.inputs[0]) + offset(0, row, begin);
        auto const at = [&](size_t i) {
            return static_cast<std::byte const*>(pointers.inputs[i]) + offset(i, row, begin) * bytes_;
        };
        Run run{condition, at(1),
                at(2),     static_cast<std::byte*>(pointers.outputs[0]) + (row * inner_ + begin) * bytes_,
                {},        end - begin};
        for (size_t i = 0; i < 3; ++i) run.strides[i] = last_ < 0 ? 0 : axes_.strides[i][last_];
        loop_(run);
    }

    int64_t offset(size_t operand, int64_t row, int64_t first) const {
        Dims const& strides = axes_.strides[operand];
        int64_t offset = last_ < 0 ? 0 : first * strides[last_];
        for (int axis = last_ - 1; axis >= 0; --axis) {
            offset += row % axes_.extents[axis] * strides[axis];
            row /= axes_.extents[axis];
        }
        return offset;
    }

    Loop loop_;
    int64_t bytes_;
    int64_t volume_;
    MemoryAxes axes_;
    int last_ = -1;
    int64_t inner_ = 1;
};

/// Linear tensors; any broadcasting.
class SelectKernel final : public Kernel {
public:
    std::string_view name() const override { return "select_loop"; }

    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 3, .ns = 300}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<SelectExecutable>(args);
    }
};

constexpr SelectKernel kSelect;
constexpr Kernel const* kKernels[] = {&kSelect};

} // namespace

KernelList selectKernels() { return {Select::kKind, kKernels}; }

} // namespace tenon::cpu
