// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/int4_multiply/int4_multiply.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/matmul_loops.h"
#include "backends/cpu/through_float.h"
#include "backends/packed.h"
#include "base/parallel.h"
#include "layers/int4_multiply/int4_loops_cpu.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tenon::cpu {
namespace {

using Weights = Int4Multiply;

std::optional<Int4Weights> weightsOf(Node const& node, std::span<Dims const> inputs) {
    Dims const zeros = inputs.size() > Weights::kZero ? inputs[Weights::kZero] : Dims{};
    return int4WeightsOf(*as<Int4Multiply>(*node.layer), inputs[Weights::kW], inputs[Weights::kScale], zeros);
}

/// Up to kInt4Chunk rows of W that belong to one block.
struct Chunk {
    int64_t block, row, rows, group;
};

/// How K is cut into blocks, those into chunks, and these into groups.
struct Chunks {
    int64_t k, block;

    static int64_t cut(int64_t count, int64_t by) { return (count + by - 1) / by; }

    /// The number of pieces of `by` rows, each within one block.
    int64_t count(int64_t by) const { return k / block * cut(block, by) + cut(k % block, by); }
    Chunk at(int64_t i) const {
        int64_t const perBlock = cut(block, kInt4Chunk);
        int64_t const first = i % perBlock * kInt4Chunk; // of the block
        int64_t const row = i / perBlock * block + first;
        int64_t const rows = std::min({kInt4Chunk, block - first, k - row});
        return {i / perBlock, row, rows, i / perBlock * cut(block, kInt4Group) + first / kInt4Group};
    }
};

/// Panel by panel: the integers, the scales and, if there are any, the zero points.
struct Packing {
    Int4Weights weights;
    bool hasZeros;
    Chunks chunks;
    int64_t panels, integerBytes, scaleCount, panelBytes;

    Packing(Int4Weights const& of, bool zeros)
        : weights(of), hasZeros(zeros), chunks{of.k, std::max<int64_t>(of.block, 1)},
          panels((of.n + kInt4Panel - 1) / kInt4Panel), integerBytes(chunks.count(kInt4Group) * kInt4GroupBytes),
          scaleCount(of.blocks() * kInt4Panel),
          panelBytes((integerBytes + scaleCount * (zeros ? 5 : 4) + kAlignment - 1) / kAlignment * kAlignment) {}

    size_t bytes() const { return static_cast<size_t>(panels * panelBytes); }
    Int4Panel panel(void const* packed, int64_t number) const {
        auto const* at = static_cast<uint8_t const*>(packed) + number * panelBytes;
        auto const* scales = reinterpret_cast<float const*>(at + integerBytes);
        auto const* zeros = reinterpret_cast<uint8_t const*>(scales + scaleCount);
        return {at, scales, hasZeros ? zeros : nullptr, weights.k, chunks.block};
    }

private:
    static constexpr int64_t kAlignment = 64;
};

Packing packingOf(Node const& node, std::span<Dims const> inputs) {
    return {*weightsOf(node, inputs), node.input(Weights::kZero) != nullptr};
}

constexpr int kZeroNibble = 8;

void packColumn(Int4Reader const& reader, Packing const& packing, int64_t column, uint8_t* panel) {
    int64_t const place = column % kInt4Panel;
    int64_t const block = packing.chunks.block;
    for (int64_t k = 0; k < packing.weights.k; ++k) {
        int64_t const row = k % block;
        int64_t const group = k / block * Chunks::cut(block, kInt4Group) + row / kInt4Group;
        int64_t const half = row % kInt4Group / 4;
        auto const nibble = static_cast<unsigned>(reader.integer(k, column) + kZeroNibble) << (4 * half);
        panel[group * kInt4GroupBytes + place * 4 + row % 4] |= static_cast<uint8_t>(nibble);
    }
    auto* const scales = reinterpret_cast<float*>(panel + packing.integerBytes);
    auto* const zeros = reinterpret_cast<uint8_t*>(scales + packing.scaleCount);
    for (int64_t i = 0; i < packing.weights.blocks(); ++i) {
        scales[i * kInt4Panel + place] = reader.scale(i, column);
        if (packing.hasZeros)
            zeros[i * kInt4Panel + place] =
                static_cast<uint8_t>(static_cast<int>(reader.zero(i, column)) + kZeroNibble);
    }
}

/// Columns of 64 bytes, which kernels read whole; those after the last one are zeros.
void packPanel(Int4Reader const& reader, Packing const& packing, int64_t number, uint8_t* at) {
    int64_t const end = std::min((number + 1) * kInt4Panel, packing.weights.n);
    for (int64_t column = number * kInt4Panel; column < end; ++column) packColumn(reader, packing, column, at);
}

// A [rows,k] float32 → Y [rows,n]. Few rows are multiplied as digits, so that the weights are read as stored; for more
// rows the weights are unpacked, some at a time, and multiplied as floats.
class Int4Executable final : public Executable {
public:
    explicit Int4Executable(PrepareArgs const& args)
        : packing_(packingOf(args.node, args.inputs)), packed_(args.packed), loops_(bestLoops<Int4Loops>()),
          products_(bestLoops<MatmulLoops>()), multiplyFew_(loops_.multiply[multipliesInt8() ? 1 : 0]),
          rows_(args.outputs[0].volume() / std::max<int64_t>(packing_.weights.n, 1)) {
        expectPacked(args, packing_.bytes());
        int64_t const fewer = multipliesInt8() ? 1 : 2; // it takes twice as long without instructions for it
        if (rows_ * fewer > Int4Loops::kMostRows) multiplyFew_ = nullptr;
        strips_ = Chunks::cut(rows_, kMostRows);
        tasks_ = Chunks::cut(packing_.panels, kPanels) * strips_;
        int64_t const perTask = packing_.weights.k * kPanels * kInt4Panel * std::min(rows_, kMostRows);
        int64_t const worth = tasks_ * std::max<int64_t>(perTask, 1) / kGrain;
        lanes_ = std::min<int64_t>(std::max<int64_t>(worth, 1), usefulSlots(tasks_, 1));
    }

    size_t workspaceBytes() const override {
        size_t const digits = static_cast<size_t>(chunks() * rows_) * sizeof(Int4Digits);
        return std::max(multiplyFew_ == nullptr ? 0 : digits, static_cast<size_t>(lanes_) * sizeof(Scratch));
    }

    void run(Pointers const& pointers) override {
        if (packing_.weights.n == 0 || rows_ == 0) return;
        if (multiplyFew_ != nullptr && split(pointers)) return multiplyDigits(pointers);
        auto* const scratch = static_cast<Scratch*>(pointers.workspace);
        parallelForSlots(tasks_, 1, static_cast<int>(lanes_), [&](int64_t begin, int64_t end, int lane) {
            for (int64_t i = begin; i < end; ++i)
                multiplyMany(pointers, i / strips_ * kPanels, i % strips_ * kMostRows, scratch[lane]);
        });
    }

private:
    static constexpr int64_t kGrain = 65536;  // products that are worth a thread
    static constexpr int64_t kPanels = 2;     // that are unpacked at a time
    static constexpr int64_t kDepth = 256;    // rows of them
    static constexpr int64_t kMostRows = 240; // of A that are multiplied with them before they are discarded
    static constexpr int64_t kColumns = kPanels * kInt4Panel;
    struct Scratch {
        float weights[kDepth * kColumns];
        float part[kMostRows * kColumns]; // of Y, for an incomplete last panel
    };

    int64_t chunks() const { return packing_.chunks.count(kInt4Chunk); }
    Int4Panel panel(int64_t number) const { return packing_.panel(packed_->bytes.data(), number); }

    /// Converts A to digits; false if they would be less exact than float32.
    bool split(Pointers const& pointers) const {
        auto const* a = static_cast<float const*>(pointers.inputs[0]);
        auto* const digits = static_cast<Int4Digits*>(pointers.workspace);
        std::atomic<bool> isExact = true;
        parallelFor(chunks() * rows_, kGrain / kInt4Chunk, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                Chunk const chunk = packing_.chunks.at(i / rows_);
                if (!loops_.split(digits[i], a + i % rows_ * packing_.weights.k + chunk.row, chunk.rows))
                    isExact.store(false, std::memory_order_relaxed);
            }
        });
        return isExact;
    }

    void multiplyDigits(Pointers const& pointers) const {
        auto const [n, k, block] = packing_.weights;
        auto* const y = static_cast<float*>(pointers.outputs[0]);
        int64_t const perPanel = std::max<int64_t>(k * kInt4Panel * rows_, 1);
        parallelFor(packing_.panels, std::max<int64_t>(kGrain / perPanel, 1), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                alignas(64) float sums[Int4Loops::kMostRows * kInt4Panel];
                multiplyFew_(sums, static_cast<Int4Digits const*>(pointers.workspace), rows_, panel(i));
                int64_t const columns = std::min(kInt4Panel, n - i * kInt4Panel);
                for (int64_t r = 0; r < rows_; ++r)
                    std::copy_n(sums + r * kInt4Panel, columns, y + r * n + i * kInt4Panel);
            }
        });
    }

    /// Up to kPanels panels from this one on times up to kMostRows rows from this one on.
    void multiplyMany(Pointers const& pointers, int64_t firstPanel, int64_t firstRow, Scratch& scratch) const {
        auto const [n, k, block] = packing_.weights;
        int64_t const columns = std::min(kColumns, n - firstPanel * kInt4Panel);
        int64_t const padded = Chunks::cut(columns, products_.width) * products_.width;
        float* const y = static_cast<float*>(pointers.outputs[0]) + firstRow * n + firstPanel * kInt4Panel;
        MatmulProduct product{.a = static_cast<float const*>(pointers.inputs[0]) + firstRow * k,
                              .b = scratch.weights,
                              .c = columns == padded ? y : scratch.part,
                              .rows = std::min(kMostRows, rows_ - firstRow),
                              .columns = padded,
                              .depth = 0,
                              .aPitch = k,
                              .bPitch = 0,
                              .cPitch = columns == padded ? n : kColumns,
                              .bColumns = Chunks::cut(columns, kInt4Panel) * kInt4Panel,
                              .bDepth = kDepth};
        int64_t chunk = 0;
        do {
            product.depth = unpack(firstPanel, product.bColumns, chunk, scratch.weights);
            products_.multiply(product);
            product.a += product.depth;
            product.adds = true;
        } while (chunk < chunks());
        for (int64_t r = 0; columns != padded && r < product.rows; ++r)
            std::copy_n(scratch.part + r * kColumns, columns, y + r * n);
    }

    /// Unpacks as many chunks as fit; returns their number of rows of W.
    int64_t unpack(int64_t firstPanel, int64_t columns, int64_t& chunk, float* to) const {
        int64_t const pitch = std::min(products_.panel, columns);
        int64_t done = 0;
        for (; chunk < chunks(); ++chunk) {
            Chunk const next = packing_.chunks.at(chunk);
            if (done + next.rows > kDepth) break;
            for (int64_t column = 0; column < columns; column += kInt4Panel) {
                Int4Panel from = panel(firstPanel + column / kInt4Panel);
                from.integers += next.group * kInt4GroupBytes;
                from.scales += next.block * kInt4Panel;
                if (from.zeros != nullptr) from.zeros += next.block * kInt4Panel;
                float* const at = to + column / pitch * pitch * kDepth + done * pitch + column % pitch;
                loops_.unpack({at, pitch, kDepth}, from, next.rows);
            }
            done += next.rows;
        }
        return done;
    }

    Packing packing_;
    std::shared_ptr<Packed const> packed_;
    Int4Loops const& loops_;
    MatmulLoops const& products_;
    void (*multiplyFew_)(float*, Int4Digits const*, int64_t, Int4Panel const&);
    int64_t rows_;
    int64_t strips_ = 0, tasks_ = 0, lanes_ = 1;
};

class Int4MultiplyKernel final : public Kernel {
public:
    std::string_view name() const override { return "int4_multiply"; }

    // any floating point A, computed in float32; constant weights
    Offer offer(KernelQuery const& query) const override {
        Node const& node = query.node;
        for (size_t i = Weights::kW; i < node.inputs().size(); ++i) {
            if (node.inputs()[i] && !node.inputs()[i]->literal()) return Offer::refuse("requires constant weights");
        }
        auto const weights = weightsOf(node, query.inputs);
        if (!weights) return Offer::refuse("requires scales of several weights of a column, and zero points like them");
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
        Packing const packing(reader.weights(), args.node.input(Weights::kZero) != nullptr);
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
    std::string packKey(Variant const&) const override { return "panels of 32 columns, 8 rows together"; }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) { return std::make_unique<Int4Executable>(inner); });
    }

private:
    static double costOf(KernelQuery const& query, Int4Weights const& weights) {
        auto const rows =
            static_cast<double>(query.outputs[0].volume()) / static_cast<double>(std::max<int64_t>(weights.n, 1));
        double const elements = static_cast<double>(weights.n) * static_cast<double>(weights.k);
        return 500 + memoryCost(elements / 2) + 0.05 * elements + 2 * rows * elements / backend().costs().float32;
    }
};

constexpr Int4MultiplyKernel kInt4;
constexpr Kernel const* kKernels[]{&kInt4};

} // namespace

KernelList int4MultiplyKernels() { return {Int4Multiply::kKind, kKernels}; }

} // namespace tenon::cpu
