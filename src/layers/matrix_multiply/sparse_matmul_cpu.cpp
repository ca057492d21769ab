// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/sparse_matmul_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"
#include "backends/packed.h"
#include "base/parallel.h"
#include "layers/matrix_multiply/sparse_loops_cpu.h"
#include "layers/matrix_multiply/sparse_weights.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

constexpr int kB = 1;

MatrixMultiply const& layerOf(Node const& node) { return *as<MatrixMultiply>(*node.layer); }

/// Panel by panel, in the layout of SparsePanel.
struct Packing {
    SparseProduct product;
    DataType type; // in which values are stored
    int64_t panels, panelBytes;

    Packing(SparseProduct const& of, DataType kept)
        : product(of), type(kept), panels((of.n + kSparsePanel - 1) / kSparsePanel),
          panelBytes(chunkAt((of.groups() + kSparseChunk - 1) / kSparseChunk) - missingBytes()) {}

    size_t bytes() const { return static_cast<size_t>(panels * panelBytes); }
    int64_t groupBytes() const { return static_cast<int64_t>(bytesOf(type, SparseProduct::kKept * kSparsePanel)); }
    int64_t chunkAt(int64_t chunk) const { return chunk * (kWordBytes * kSparsePanel + kSparseChunk * groupBytes()); }
    int64_t numbersAt(int64_t group) const {
        return chunkAt(group / kSparseChunk) + kWordBytes * kSparsePanel + group % kSparseChunk * groupBytes();
    }

    static constexpr int64_t kWordBytes = 4;

private:
    /// The last chunk has only the remaining groups.
    int64_t missingBytes() const { return (kSparseChunk - 1 - (product.groups() - 1) % kSparseChunk) * groupBytes(); }
};

Packing packingOf(PrepareArgs const& args, DataType kept) {
    auto const product = sparseProductOf(layerOf(args.node), args.inputs[0], args.inputs[kB]);
    if (!product)
        fail(ErrorCode::Unsupported, args.node, ": does not multiply rows by one matrix at ", joined(args.inputs));
    return {*product, kept};
}

template <class T> void packColumn(SparseWeights const& weights, Packing const& packing, int64_t column, uint8_t* to) {
    int64_t const lane = column % kSparsePanel;
    for (int64_t group = 0; group < packing.product.groups(); ++group) {
        SparseGroup const kept = weights.group(group, column);
        auto* const words = reinterpret_cast<uint32_t*>(to + packing.chunkAt(group / kSparseChunk));
        auto* const numbers = reinterpret_cast<T*>(to + packing.numbersAt(group));
        for (int64_t i = 0; i < SparseProduct::kKept; ++i) {
            bool const areOneWord = std::is_same_v<T, BFloat16>;
            numbers[areOneWord ? lane * SparseProduct::kKept + i : i * kSparsePanel + lane] =
                static_cast<T>(kept.values[i]);
            int64_t const number = group % kSparseChunk * SparseProduct::kKept + i;
            words[lane] |= static_cast<uint32_t>(kept.places[i]) << (2 * number);
        }
    }
}

/// Columns after the last one stay zero.
void packPanel(SparseWeights const& weights, Packing const& packing, int64_t panel, uint8_t* to) {
    int64_t const end = std::min((panel + 1) * kSparsePanel, packing.product.n);
    dispatchFloat(packing.type, [&]<class T>(TypeTag<T>) {
        for (int64_t column = panel * kSparsePanel; column < end; ++column) packColumn<T>(weights, packing, column, to);
    });
}

SparseLoops::Kept keptAs(DataType type) {
    if (type == DataType::Float16) return SparseLoops::Halves;
    return type == DataType::BFloat16 ? SparseLoops::BFloats : SparseLoops::Floats;
}

// A [rows,k] float32 → Y [rows,n]
class SparseExecutable final : public Executable {
public:
    SparseExecutable(PrepareArgs const& args, DataType kept)
        : packing_(packingOf(args, kept)), packed_(args.packed),
          multiply_(bestLoops<SparseLoops>().multiply[keptAs(kept)]) {
        expectPacked(args, packing_.bytes());
    }

    void run(Pointers const& pointers) override {
        int64_t const perPanel = std::max<int64_t>(packing_.product.rows * packing_.product.k * kSparsePanel / 2, 1);
        parallelFor(packing_.panels, std::max<int64_t>(kGrain / perPanel, 1), [&](int64_t begin, int64_t end) {
            for (int64_t row = 0; row < packing_.product.rows; row += kStrip) {
                for (int64_t panel = begin; panel < end; ++panel) multiply(pointers, panel, row);
            }
        });
    }

private:
    static constexpr int64_t kGrain = 65536; // products that are worth a thread
    static constexpr int64_t kStrip = 64;    // rows that stay in a cache while they are multiplied with all panels

    void multiply(Pointers const& pointers, int64_t panel, int64_t row) const {
        auto const& [allRows, n, k, wRow, wColumn] = packing_.product;
        auto const* const a = static_cast<float const*>(pointers.inputs[0]) + row * k;
        auto* const y = static_cast<float*>(pointers.outputs[0]) + row * n + panel * kSparsePanel;
        auto const* const packed = static_cast<uint8_t const*>(packed_->bytes.data()) + panel * packing_.panelBytes;
        int64_t const rows = std::min(kStrip, allRows - row);
        int64_t const columns = std::min(kSparsePanel, n - panel * kSparsePanel);
        alignas(64) float sums[kStrip * kSparsePanel];
        multiply_(sums, a, rows, {packed, k});
        for (int64_t r = 0; r < rows; ++r) std::copy_n(sums + r * kSparsePanel, columns, y + r * n);
    }

    Packing packing_;
    std::shared_ptr<Packed const> packed_;
    void (*multiply_)(float*, float const*, int64_t, SparsePanel const&);
};

/// The number of rows at the optimum up to which the weights take longer to read than to multiply. Fewer if this CPU
/// may multiply bfloat16: then a kernel that reads half of the bytes exists already.
int64_t mostRows(KernelQuery const& query) {
    auto const types = query.typesOf(*query.node.input(0));
    bool const hasRival = backend().costs().peak(DataType::BFloat16) > backend().costs().float32 &&
                          std::ranges::find(types, DataType::BFloat16) != types.end();
    return hasRival ? 2 : 8;
}

std::string refusalOf(KernelQuery const& query, std::optional<SparseProduct> const& product) {
    std::string why = sparseRefusal(query.node, product, query.allowSparse, query.independent);
    if (!why.empty() || query.said != nullptr) return why; // pack() checks the weights
    if (product->rows > mostRows(query)) return text("supports up to ", mostRows(query), " rows, not ", product->rows);
    return SparseWeights(*product, *query.node.input(kB)->literal()).refusal();
}

class SparseMatmul final : public Kernel {
public:
    std::string_view name() const override { return "sparse_matmul"; }

    // any floating point A, computed in float32; constant weights, which are stored in A's type
    Offer offer(KernelQuery const& query) const override {
        auto const product = sparseProductOf(layerOf(query.node), query.inputs[0], query.inputs[kB]);
        if (std::string why = refusalOf(query, product); !why.empty()) return Offer::refuse(std::move(why));
        auto const& steps = layerOf(query.node).epilogue;
        Offer offer = offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, {}, Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .packed = 1U << kB};
            variant.inputs[kB].type = query.node.input(kB)->literal()->type();
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            if (!finishesInPlace(args, steps, 0)) return;
            double const finishing = finishingCost(args, steps.size());
            variant = storedAs(type, query, variant);
            variant.cost = costOf(query, *product, type) + finishing;
            offer.variants.push_back(std::move(variant));
        });
        if (offer.variants.empty()) offer.refusal = "does not support this epilogue";
        return offer;
    }

    // B [K,N] or [N,K] → panels of 16 columns
    Packed pack(PrepareArgs const& args) const override {
        Packing const packing = packingOf(args, args.variant.outputs[0].type);
        SparseWeights const weights(packing.product, *args.node.input(kB)->literal());
        if (std::string const why = weights.refusal(); !why.empty())
            fail(ErrorCode::InvalidPlan, args.node, ": ", name(), ' ', why, "; build the engine again");
        auto const memory = allocateHost(packing.bytes());
        auto* const bytes = static_cast<uint8_t*>(memory.get());
        std::memset(bytes, 0, packing.bytes());
        parallelFor(packing.panels, 1, [&](int64_t begin, int64_t end) {
            for (int64_t panel = begin; panel < end; ++panel)
                packPanel(weights, packing, panel, bytes + panel * packing.panelBytes);
        });
        return {packKey(args.variant),
                Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(packing.bytes())}, bytes, memory)};
    }
    std::string packKey(Variant const& variant) const override {
        return text("2 of 4 rows, panels of 16 columns ", variant.outputs[0].type);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [kept = args.variant.outputs[0].type](PrepareArgs const& inner) {
            return finishedInPlace(inner, layerOf(inner.node).epilogue, 0,
                                   std::make_unique<SparseExecutable>(inner, kept));
        });
    }

private:
    static double costOf(KernelQuery const& query, SparseProduct const& product, DataType type) {
        double const rows = static_cast<double>(product.rows);
        double const operations = 2 * rows * static_cast<double>(product.n) * static_cast<double>(product.k);
        // half of the products are skipped, but each number of A is looked up, which is slow without instructions for
        // it
        double const slowness = bestIsa() == Isa::Portable ? 8 : 1.25;
        auto const packed = static_cast<double>(Packing(product, type).bytes());
        auto const others = static_cast<double>(query.inputs[0].volume() + query.outputs[0].volume());
        double const conversion = type == DataType::Float32 ? 0 : memoryCost(6 * others);
        double const ends = 2.2 * rows * static_cast<double>(product.n); // of the sums
        return 700 + slowness * operations / backend().costs().float32 + 0.2 * memoryCost(packed + 4 * others) + ends +
               conversion;
    }
};

constexpr SparseMatmul kSparse;

} // namespace

Kernel const& sparseMatmul() { return kSparse; }

} // namespace tenon::cpu
