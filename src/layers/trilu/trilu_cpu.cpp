// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/trilu/trilu.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

/// Copies a part of each row and zeroes the rest.
class CuttingTriangles final : public Executable {
public:
    explicit CuttingTriangles(PrepareArgs const& args)
        : upper_(as<Trilu>(*args.node.layer)->upper), bytes_(elementBytes(args.variant.inputs[0].type)),
          x_(args.inputs[0]), given_(args.node.input(1) != nullptr),
          wide_(given_ && args.variant.inputs[1].type == DataType::Int64) {}

    void run(Pointers const& pointers) override {
        int64_t const columns = x_[x_.rank() - 1];
        int64_t const rows = x_[x_.rank() - 2];
        int64_t const lines = x_.volume(0, x_.rank() - 1);
        int64_t const diagonal = diagonalOf(pointers);
        auto const* x = static_cast<std::byte const*>(pointers.inputs[0]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        auto const width = static_cast<size_t>(columns) * bytes_;
        int64_t const grain = std::max<int64_t>(1, kCopyGrain / std::max<int64_t>(static_cast<int64_t>(width), 1));
        parallelFor(lines, grain, [&](int64_t begin, int64_t end) {
            for (int64_t line = begin; line < end; ++line) {
                // the first column of the upper part, or the one after the lower part
                int64_t const from = std::clamp(diagonal, -rows, columns) + line % rows + (upper_ ? 0 : 1);
                size_t const split = static_cast<size_t>(std::clamp<int64_t>(from, 0, columns)) * bytes_;
                copyPart(x + line * static_cast<int64_t>(width), y + line * static_cast<int64_t>(width), split, width);
            }
        });
    }

private:
    int64_t diagonalOf(Pointers const& pointers) const {
        if (!given_) return 0;
        void const* k = pointers.inputs[1];
        return wide_ ? *static_cast<int64_t const*>(k) : *static_cast<int32_t const*>(k);
    }

    void copyPart(std::byte const* x, std::byte* y, size_t split, size_t width) const {
        std::memset(upper_ ? y : y + split, 0, upper_ ? split : width - split);
        std::memcpy(upper_ ? y + split : y, upper_ ? x + split : x, upper_ ? width - split : split);
    }

    bool upper_;
    size_t bytes_;
    Dims x_;
    bool given_; // k
    bool wide_;  // it is int64
};

class CpuTrilu final : public Kernel {
public:
    std::string_view name() const override { return "trilu"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.writes = 1.5}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<CuttingTriangles>(args);
    }
};

constexpr CpuTrilu kTrilu;
constexpr Kernel const* kKernels[]{&kTrilu};

} // namespace

KernelList triluKernels() { return {Trilu::kKind, kKernels}; }

} // namespace tenon::cpu
