// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The rates that one core of this machine reaches in own products, as rows of the table in
// src/backends/cpu/cpu_rates.cpp, one for each instruction set: bench_cpu_rates. ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16
// prints the row without AMX.
#include "backends/cpu/cpu_rates.h"
#include "backends/cpu/block_product_loops.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace tenon;
using namespace tenon::cpu;
using Multiply = BlockProductLoops::Multiply;

/// Nanoseconds of a call: the fastest tenth of many is at most this. Other processes may share the core.
double nanoseconds(auto const& call) {
    constexpr int kRuns = 301;
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i) {
        auto const start = std::chrono::steady_clock::now();
        call();
        times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    std::ranges::nth_element(times, times.begin() + kRuns / 10);
    return times[kRuns / 10];
}

/// Products of rows of 256 words with panels of weights, as in layers.
class Products {
public:
    Products(BlockProductLoops const& loops, int64_t rows, int64_t panels)
        : rows_(rows), panels_(panels), columns_(loops.panel), block_(loops.block), x_(aligned(rows * kDepth)),
          w_(aligned(panels * kDepth * columns_)), y_(aligned(rows * columns_)), bias_(aligned(columns_)),
          firstSums_(Size(columns_)) {
        for (int64_t i = 0; i < kDepth; i += kSegment) segments_.push_back({i, i * columns_});
    }

    double nanosecondsOf(Multiply multiply) {
        int64_t panel = 0;
        BlockProduct product{.x = x_.get(),
                             .segments = segments_,
                             .depth = kSegment,
                             .whole = kDepth / kSegment,
                             .rowStride = kDepth,
                             .wPitch = columns_,
                             .bias = bias_.get(),
                             .firstSums = firstSums_.data(),
                             .factors = bias_.get(),
                             .y = y_.get(),
                             .yRow = columns_,
                             .yBlock = block_,
                             .rows = rows_,
                             .columns = columns_};
        return nanoseconds([&] {
            product.w = w_.get() + panel * kDepth * columns_;
            multiply(product);
            panel = (panel + 1) % panels_;
        });
    }

    /// \param elements of a word
    double rateOf(Multiply multiply, double elements) {
        if (multiply == nullptr) return 0;
        double const products = static_cast<double>(rows_ * kDepth * columns_) * elements;
        return 2 * products / nanosecondsOf(multiply);
    }
    double panelBytes() const { return static_cast<double>(kDepth * columns_) * sizeof(float); }

private:
    using Size = size_t;
    static constexpr int64_t kDepth = 256;
    static constexpr int64_t kSegment = 16;

    /// The order of tensors and weights.
    static std::shared_ptr<float> aligned(int64_t count) {
        auto floats = std::static_pointer_cast<float>(backend().allocate(Size(count) * sizeof(float)));
        std::fill_n(floats.get(), count, 1.F);
        return floats;
    }

    int64_t rows_, panels_, columns_, block_;
    std::shared_ptr<float> x_, w_, y_, bias_;
    std::vector<int32_t> firstSums_;
    std::vector<BlockSegment> segments_;
};

void measure(Isa isa) {
    auto const& loops = loopsFor<BlockProductLoops>(isa);
    bool const hasTiles = isa == Isa::Avx512 && usesAmx();
    Multiply const pairs = hasTiles ? loops.tilePairs : multipliesPairs() ? loops.multiplyPairs : nullptr;
    Multiply const quads = hasTiles ? loops.tileQuads : multipliesQuads() ? loops.multiplyQuads : nullptr;
    Products products(loops, 112, 4);
    constexpr int64_t kManyBytes = 64 << 20; // that exceeds a core's own caches
    Products rows(loops, 1, kManyBytes / static_cast<int64_t>(products.panelBytes()));
    std::printf("    {Maker::%s, Isa::%s, %s, {%.0f, %.0f, %.0f, %.1f}},\n", maker() == Maker::Intel ? "Intel" : "Amd",
                isa == Isa::Avx512 ? "Avx512"
                : isa == Isa::Avx2 ? "Avx2"
                                   : "Portable",
                hasTiles ? "true" : "false", products.rateOf(loops.multiply, 1), products.rateOf(pairs, 2),
                products.rateOf(quads, 4), rows.panelBytes() / rows.nanosecondsOf(loops.multiply));
}

} // namespace

int main() {
    backend(); // opens oneDNN, which detects this CPU's features
    for (Isa isa : availableIsas()) measure(isa);
}
