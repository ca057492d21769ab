// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moe/moe.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/matmul_loops.h"
#include "backends/cpu/through_float.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon::cpu {
namespace {

constexpr double kFlopsPerNs = 40;  // of one thread
constexpr int64_t kColumns = 256;   // of a product that a thread computes at a time
constexpr int64_t kRowsAtOnce = 64; // that stay in the cache with them

int64_t aligned(int64_t count) { return (count + 15) / 16 * 16; }

/// The memory of a run. Rows are tokens, repeated for each of their experts and grouped by expert.
struct Scratch {
    float* x;         // [rows,C]; after the first products the results of the experts
    float* gate;      // [rows,H]; then the input of the last products
    float* up;        // [rows,H]
    int32_t* slots;   // by token and choice: its row
    int32_t* offsets; // of the experts, and after the last one
};

/// The tokens are sorted by their experts, so that each expert multiplies all of its rows at once.
class RunMoe final : public Executable {
public:
    explicit RunMoe(PrepareArgs const& args)
        : layer_(*as<Moe>(*args.node.layer)), p_(args.inputs),
          multiply_(bestLoops<MatmulLoops>().multiply), hasBias_{args.node.input(Moe::kGateBias) != nullptr,
                                                                 args.node.input(Moe::kUpBias) != nullptr,
                                                                 args.node.input(Moe::kDownBias) != nullptr},
          rounding_(layer_, p_.inner) {}

    size_t workspaceBytes() const override {
        int64_t const floats = aligned(p_.rows() * p_.size) + 2 * aligned(p_.rows() * p_.inner);
        return sizeof(float) * static_cast<size_t>(floats + aligned(p_.rows()) + 2 * aligned(p_.experts + 1));
    }

    void run(Pointers const& pointers) override {
        Scratch const scratch = scratchAt(static_cast<float*>(pointers.workspace));
        auto const* chosen = static_cast<int32_t const*>(pointers.inputs[Moe::kExperts]);
        checkExperts({chosen, static_cast<size_t>(p_.rows())}, p_.experts);
        sortRows(chosen, scratch);
        copyRows(at(pointers, Moe::kX), scratch);
        eachPart(scratch, p_.inner, p_.size * 2, [&](Part const& part) { computeHidden(pointers, scratch, part); });
        if (rounding_.rounds()) roundRows(scratch, *at(pointers, Moe::kScale));
        eachPart(scratch, p_.size, p_.inner, [&](Part const& part) {
            multiply(part, {scratch.gate, p_.inner}, at(pointers, Moe::kDown), {scratch.x, p_.size});
        });
        sumUp(pointers, scratch);
    }

private:
    /// Some rows of an expert, and some columns of its result.
    struct Part {
        int64_t expert, row, rows, column, columns;
    };
    struct Rows {
        float* data;
        int64_t pitch;
    };

    static float const* at(Pointers const& pointers, int input) {
        return static_cast<float const*>(pointers.inputs[input]);
    }
    /// The bias of an expert; null if there is none.
    float const* bias(Pointers const& pointers, int input, int64_t of, int64_t count) const {
        return hasBias_[input - Moe::kGateBias] ? at(pointers, input) + of * count : nullptr;
    }

    Scratch scratchAt(float* memory) const {
        float* const gate = memory + aligned(p_.rows() * p_.size);
        float* const up = gate + aligned(p_.rows() * p_.inner);
        auto* const slots = reinterpret_cast<int32_t*>(up + aligned(p_.rows() * p_.inner));
        return {memory, gate, up, slots, slots + aligned(p_.rows())};
    }

    void sortRows(int32_t const* chosen, Scratch const& scratch) const {
        int32_t* const next = scratch.offsets + aligned(p_.experts + 1);
        std::fill_n(next, p_.experts + 1, 0);
        for (int64_t i = 0; i < p_.rows(); ++i) ++next[chosen[i] + 1];
        std::partial_sum(next, next + p_.experts + 1, next);
        std::copy_n(next, p_.experts + 1, scratch.offsets);
        for (int64_t i = 0; i < p_.rows(); ++i) scratch.slots[i] = next[chosen[i]]++;
    }

    void copyRows(float const* x, Scratch const& scratch) const {
        parallelFor(p_.rows(), std::max<int64_t>(1, 16384 / p_.size), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                std::copy_n(x + i / p_.chosen * p_.size, p_.size, scratch.x + scratch.slots[i] * p_.size);
        });
    }

    /// Calls work(part) for all rows of all experts and all columns.
    template <class Work>
    void eachPart(Scratch const& scratch, int64_t columns, int64_t depth, Work const& work) const {
        int64_t const across = (columns + kColumns - 1) / kColumns;
        double const each = 2 * static_cast<double>(p_.rows() * depth) * static_cast<double>(columns) /
                            static_cast<double>(p_.experts * across) / kFlopsPerNs;
        auto const grain = std::max<int64_t>(1, static_cast<int64_t>(1e4 / std::max(each, 1.0)));
        parallelFor(p_.experts * across, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t const column = i % across * kColumns;
                int64_t const last = scratch.offsets[i / across + 1];
                for (int64_t row = scratch.offsets[i / across]; row < last; row += kRowsAtOnce)
                    work(Part{i / across, row, std::min(kRowsAtOnce, last - row), column,
                              std::min(kColumns, columns - column)});
            }
        });
    }

    /// The rows of a part times the matrix of its expert, among those of all [E,depth,to.pitch].
    void multiply(Part const& part, Rows const& from, float const* matrices, Rows const& to) const {
        multiply_({.a = from.data + part.row * from.pitch,
                   .b = matrices + part.expert * from.pitch * to.pitch + part.column,
                   .c = to.data + part.row * to.pitch + part.column,
                   .rows = part.rows,
                   .columns = part.columns,
                   .depth = from.pitch,
                   .aPitch = from.pitch,
                   .bPitch = to.pitch,
                   .cPitch = to.pitch});
    }

    void computeHidden(Pointers const& pointers, Scratch const& scratch, Part const& part) const {
        multiply(part, {scratch.x, p_.size}, at(pointers, Moe::kGate), {scratch.gate, p_.inner});
        multiply(part, {scratch.x, p_.size}, at(pointers, Moe::kUp), {scratch.up, p_.inner});
        float const* const gateBias = bias(pointers, Moe::kGateBias, part.expert, p_.inner);
        float const* const upBias = bias(pointers, Moe::kUpBias, part.expert, p_.inner);
        for (int64_t row = part.row; row < part.row + part.rows; ++row) {
            float* const gate = scratch.gate + row * p_.inner;
            float const* const up = scratch.up + row * p_.inner;
            for (int64_t i = part.column; i < part.column + part.columns; ++i)
                gate[i] = gated(gate[i] + (gateBias ? gateBias[i] : 0), up[i] + (upBias ? upBias[i] : 0));
        }
    }

    float gated(float gate, float up) const {
        if (layer_.limit > 0) {
            auto const limit = static_cast<float>(layer_.limit);
            gate = std::min(gate, limit);
            up = std::clamp(up, -limit, limit);
        }
        if (layer_.activation == Moe::Activation::Silu) gate /= 1 + std::exp(-static_cast<float>(layer_.alpha) * gate);
        return gate * (up + static_cast<float>(layer_.beta));
    }

    void roundRows(Scratch const& scratch, float scale) const {
        parallelFor(p_.rows(), std::max<int64_t>(1, 4096 / p_.inner), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row)
                rounding_.round({scratch.gate + row * p_.inner, static_cast<size_t>(p_.inner)}, scale);
        });
    }

    void sumUp(Pointers const& pointers, Scratch const& scratch) const {
        auto const* chosen = static_cast<int32_t const*>(pointers.inputs[Moe::kExperts]);
        auto* const y = static_cast<float*>(pointers.outputs[0]);
        int64_t const grain = std::max<int64_t>(1, 16384 / (p_.size * std::max<int64_t>(p_.chosen, 1)));
        parallelFor(p_.tokens, grain, [&](int64_t begin, int64_t end) {
            for (int64_t token = begin; token < end; ++token) {
                float* const to = y + token * p_.size;
                std::fill_n(to, p_.size, 0.0F);
                for (int64_t i = token * p_.chosen; i < (token + 1) * p_.chosen; ++i) {
                    float const score = at(pointers, Moe::kScores)[i];
                    float const* const made = scratch.x + scratch.slots[i] * p_.size;
                    float const* const downBias = bias(pointers, Moe::kDownBias, chosen[i], p_.size);
                    for (int64_t k = 0; k < p_.size; ++k) to[k] += score * (made[k] + (downBias ? downBias[k] : 0));
                }
            }
        });
    }

    Moe const& layer_; // owned by the engine's graph
    MoeProblem p_;
    void (*multiply_)(MatmulProduct const&);
    bool hasBias_[3];
    MoeRounding rounding_;
};

class CpuMoe final : public Kernel {
public:
    std::string_view name() const override { return "sorted_moe"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        MoeProblem const problem(query.inputs);
        int64_t const width = bestLoops<MatmulLoops>().width;
        if (problem.size % width != 0 || problem.inner % width != 0)
            return Offer::refuse(text("requires weights whose extents are multiples of ", width, ", not ", problem.size,
                                      " and ", problem.inner));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{DataType::Float32, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}};
            variant.inputs[Moe::kExperts].type = DataType::Int32;
            variant.cost = 2000 + problem.operations() / kFlopsPerNs;
            Variant& offered = offer.variants.emplace_back(storedAs(type, query, variant));
            if (Tensor const* const scale = query.node.input(Moe::kScale))
                offered.inputs[Moe::kScale].type = scale->type;
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        MoeProblem const problem(args.inputs);
        if (problem.rows() > INT32_MAX)
            fail(ErrorCode::Unsupported, args.node, ": ", problem.rows(),
                 " tokens and experts of theirs; the kernel supports ", INT32_MAX);
        return throughFloat(args, [](PrepareArgs const& inFloat) { return std::make_unique<RunMoe>(inFloat); });
    }
};

constexpr CpuMoe kMoe;
constexpr Kernel const* kKernels[]{&kMoe};

} // namespace

KernelList moeKernels() { return {Moe::kKind, kKernels}; }

} // namespace tenon::cpu
