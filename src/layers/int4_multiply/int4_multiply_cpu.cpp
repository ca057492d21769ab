// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/int4_multiply/int4_multiply.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/through_float.h"
#include "backends/packed.h"
#include "base/parallel.h"
#include "layers/int4_multiply/int4_loops_cpu.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

using Weights = Int4Multiply;

std::optional<Int4Weights> weightsOf(Node const& node, std::span<Dims const> inputs) {
    Dims const zeros = inputs.size() > Weights::kZero ? inputs[Weights::kZero] : Dims{};
    return int4WeightsOf(*as<Int4Multiply>(*node.layer), inputs[Weights::kW], inputs[Weights::kScale], zeros);
}

/// Panel by panel: the integers, the scales and the shifts.
struct Packing {
    Int4Weights weights;
    int64_t panels, integerBytes, scaleCount, panelBytes;

    explicit Packing(Int4Weights const& of)
        : weights(of), panels((of.n + kInt4Panel - 1) / kInt4Panel),
          integerBytes((of.k * kInt4Panel / 2 + 63) / 64 * 64), scaleCount(of.blocks() * kInt4Panel),
          panelBytes(integerBytes + 2 * scaleCount * static_cast<int64_t>(sizeof(float))) {}

    size_t bytes() const { return static_cast<size_t>(panels * panelBytes); }
    Int4Panel panel(void const* packed, int64_t number) const {
        auto const* at = static_cast<uint8_t const*>(packed) + number * panelBytes;
        auto const* scales = reinterpret_cast<float const*>(at + integerBytes);
        return {at, scales, scales + scaleCount, weights.k, weights.block};
    }
};

/// One panel; columns behind the last one are zeros.
void packPanel(Int4Reader const& reader, Packing const& packing, int64_t number, uint8_t* at) {
    constexpr int kZeroNibble = 8;
    auto* const scales = reinterpret_cast<float*>(at + packing.integerBytes);
    int64_t const first = number * kInt4Panel;
    int64_t const columns = std::min(kInt4Panel, packing.weights.n - first);
    for (int64_t c = 0; c < columns; ++c) {
        int const shift = c < kInt4Panel / 2 ? 0 : 4;
        for (int64_t k = 0; k < packing.weights.k; ++k) {
            auto const nibble = static_cast<unsigned>(reader.integer(k, first + c) + kZeroNibble) << shift;
            at[k * kInt4Panel / 2 + c % (kInt4Panel / 2)] |= static_cast<uint8_t>(nibble);
        }
        for (int64_t block = 0; block < packing.weights.blocks(); ++block) {
            float const scale = reader.scale(block, first + c);
            scales[block * kInt4Panel + c] = scale;
            scales[packing.scaleCount + block * kInt4Panel + c] =
                -scale * (reader.zero(block, first + c) + kZeroNibble);
        }
    }
}

// A [rows,k] float32 → Y [rows,n]
class Int4Executable final : public Executable {
public:
    explicit Int4Executable(PrepareArgs const& args)
        : packing_(*weightsOf(args.node, args.inputs)), packed_(args.packed), loops_(bestLoops<Int4Loops>()),
          rows_(args.outputs[0].volume() / std::max<int64_t>(packing_.weights.n, 1)) {
        expectPacked(args, packing_.bytes());
    }

    void run(Pointers const& pointers) override {
        if (packing_.weights.n == 0) return;
        constexpr int64_t kRows = Int4Loops::kMostRows;
        int64_t const strips = (rows_ + kRows - 1) / kRows;
        int64_t const perPiece = std::max<int64_t>(packing_.weights.k * kInt4Panel * std::min(rows_, kRows), 1);
        parallelFor(packing_.panels * strips, std::max<int64_t>(kGrain / perPiece, 1), [&](int64_t begin, int64_t end) {
            for (int64_t piece = begin; piece < end; ++piece)
                multiply(pointers, piece / strips, piece % strips * kRows);
        });
    }

private:
    static constexpr int64_t kGrain = 65536; // products

    void multiply(Pointers const& pointers, int64_t number, int64_t firstRow) const {
        auto const [n, k, block] = packing_.weights;
        int const rows = static_cast<int>(std::min<int64_t>(rows_ - firstRow, Int4Loops::kMostRows));
        auto const* a = static_cast<float const*>(pointers.inputs[0]) + firstRow * k;
        auto* y = static_cast<float*>(pointers.outputs[0]) + firstRow * n + number * kInt4Panel;
        Int4Panel const panel = packing_.panel(packed_->bytes.data(), number);
        int64_t const columns = std::min(kInt4Panel, n - number * kInt4Panel);
        if (columns == kInt4Panel) return loops_.multiply(y, n, a, k, rows, panel);
        alignas(64) float part[Int4Loops::kMostRows * kInt4Panel];
        loops_.multiply(part, kInt4Panel, a, k, rows, panel);
        for (int r = 0; r < rows; ++r) std::copy_n(part + r * kInt4Panel, columns, y + r * n);
    }

    Packing packing_;
    std::shared_ptr<Packed const> packed_;
    Int4Loops const& loops_;
    int64_t rows_;
};

class Int4MultiplyKernel final : public Kernel {
public:
    std::string_view name() const override { return "int4_multiply"; }

    // any floating point A, computed in float32; constant weights
    Offer offer(KernelQuery const& query) const override {
        Node const& node = query.node;
        for (size_t i = Weights::kW; i < node.inputs().size(); ++i) {
            if (node.inputs()[i] && !node.inputs()[i]->literal()) return Offer::refuse("takes constant weights");
        }
        auto const weights = weightsOf(node, query.inputs);
        if (!weights) return Offer::refuse("takes scales of several weights of a column, and zero points like them");
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, {}, Device::Cpu};
            Variant variant{.inputs = {label}, .outputs = {label}};
            for (size_t i = Weights::kW; i < node.inputs().size(); ++i) {
                Tensor const* const input = node.inputs()[i];
                variant.inputs.push_back({input ? input->type : DataType::Int4, {}, Device::Cpu});
                if (input) variant.packed |= 1U << i;
            }
            variant.cost = costOf(query, *weights);
            offer.variants.push_back(storedAs(type, query, variant));
        });
    }

    // W [K,N] or [N,K] int4, scales, zero points → panels of 32 columns
    Packed pack(PrepareArgs const& args) const override {
        auto const constant = [&](int input) {
            Tensor const* const tensor = args.node.input(input);
            return tensor ? tensor->literal() : nullptr;
        };
        Int4Reader const reader(*as<Int4Multiply>(*args.node.layer), *constant(Weights::kW), *constant(Weights::kScale),
                                constant(Weights::kZero));
        Packing const packing(reader.weights());
        auto const memory = allocateHost(packing.bytes());
        auto* const bytes = static_cast<uint8_t*>(memory.get());
        std::memset(bytes, 0, packing.bytes());
        parallelFor(packing.panels, 1, [&](int64_t begin, int64_t end) {
            for (int64_t panel = begin; panel < end; ++panel)
                packPanel(reader, packing, panel, bytes + panel * packing.panelBytes);
        });
        return {packKey(args.variant),
                Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(packing.bytes())}, bytes, memory)};
    }
    std::string packKey(Variant const&) const override { return "panels of 32 columns"; }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) { return std::make_unique<Int4Executable>(inner); });
    }

private:
    static double costOf(KernelQuery const& query, Int4Weights const& weights) {
        auto const rows =
            static_cast<double>(query.outputs[0].volume()) / static_cast<double>(std::max<int64_t>(weights.n, 1));
        double const elements = static_cast<double>(weights.n) * static_cast<double>(weights.k);
        double const strips = std::max(1.0, rows / Int4Loops::kMostRows);
        return 500 + memoryCost(elements / 2) + 0.05 * elements * strips +
               2 * rows * elements / backend().costs().float32;
    }
};

constexpr Int4MultiplyKernel kInt4;
constexpr Kernel const* kKernels[]{&kInt4};

} // namespace

KernelList int4MultiplyKernels() { return {Int4Multiply::kKind, kKernels}; }

} // namespace tenon::cpu
